(** Soup, seen from outside. *)

open Kitchen_types

type vegetable = Leek | Carrot of int

type soup

exception Burnt of string

val litres : ?extra:int -> soup -> int

(** Adds a part.
    The soup is not stirred. *)
val add :
  soup ->
  vegetable ->
  soup

module Pot : sig
  type t

  (** Lifts the lid.
      Careful. *)
  val open_ : t -> soup option
end

module type TASTE = sig
  val taste : soup -> string
end

class ladle : int -> object
  method fill : unit
end
