# frozen_string_literal: true

require "set"
require_relative "farm/animal"

# A farm and its animals.
module Farm
  VERSION = "2.1.0"
  KINDS = %w[
    cow
    goat
  ].freeze

  class Error < StandardError; end

  # Keeps animals.
  # Feeds them too.
  class Barn < Building
    include Enumerable
    extend Forwardable
    attr_reader :animals

    def initialize(animals = [], limit: 10)
      @animals = animals
      @limit = limit
    end

    # All of one kind.
    def self.of(kind)
      new(Animal.where(kind: kind))
    end

    class << self
      def open?
        true
      end
    end

    def each(&block)
      return to_enum unless block_given?

      @animals.each(&block)
    end

    def <<(animal) = @animals << animal

    def full?
      @animals.size >= @limit
    end

    private

    def feed!(animal)
      animal.eat
    rescue Hungry => e
      retry if e.again?
    ensure
      clean
    end
  end
end

class Farm::Dairy < Farm::Barn
  def milk = 3
end

module Farm
  def self.build(&block)
    Barn.new.tap { |barn| barn.instance_eval(&block) }
  end
end
