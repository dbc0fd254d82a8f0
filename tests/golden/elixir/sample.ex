defmodule Post.Letter do
  @moduledoc """
  A letter on its way.
  """

  use GenServer
  alias Post.{Stamp, Address}
  import Ecto.Query, only: [from: 2]

  @behaviour Post.Item
  @max_weight 50

  @type t :: %__MODULE__{to: Address.t()}

  defstruct [:to, weight: 20]

  @doc """
  Sends the letter.

      iex> Post.Letter.send(letter)
  """
  @spec send(t(), keyword()) :: {:ok, t()} | {:error, atom()}
  def send(letter, opts \\ [])

  def send(%__MODULE__{weight: weight}, _opts) when weight > @max_weight do
    {:error, :too_heavy}
  end

  def send(%__MODULE__{} = letter, opts) do
    case Stamp.buy(opts[:stamp]) do
      {:ok, _stamp} -> {:ok, letter}
      error -> error
    end
  end

  def empty?(%{text: ""}), do: true
  def empty?(_letter), do: false

  @impl true
  def handle_call(:read, _from, state), do: {:reply, state, state}

  # only for us
  defp weigh(letter), do: letter.weight

  defmacro envelope(name, do: block) do
    quote do
      def unquote(name)(), do: unquote(block)
    end
  end

  defguard is_heavy(weight) when weight > 40

  def left <~> right, do: left ++ right

  defmodule Lost do
    defexception message: "lost"
  end
end

defprotocol Readable do
  @doc "Reads it."
  def read(item)
end

defimpl Readable, for: Post.Letter do
  def read(letter) do
    letter.text
  end
end
