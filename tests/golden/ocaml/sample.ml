(* Soup and what is in it. *)
open Printf
module StringMap = Map.Make (String)

type vegetable = Leek | Carrot of int

type soup = {
  name : string;
  parts : vegetable list;
}
and pot = soup option

exception Burnt of string

module type KITCHEN = sig
  type t
  val cook : soup -> t
end

module Kitchen : KITCHEN = struct
  type t = pot

  let clean pot = ignore pot

  let cook soup =
    clean None;
    Some soup
end

(** How much soup there is.
    In litres. *)
let rec litres ?(extra = 0) soup =
  let per_part part =
    match part with
    | Leek -> 1
    | Carrot n -> n
  in
  extra + List.fold_left (fun sum part -> sum + per_part part) 0 soup.parts

and double soup = 2 * litres soup

let defaults = [
  ("leek", Leek);
  ("carrot", Carrot 2);
]

let ( +: ) soup part = { soup with parts = part :: soup.parts }

let describe = function
  | Leek -> "leek"
  | Carrot n -> sprintf "%d carrots" n

external weight : soup -> int = "soup_weight"

class ladle size = object (self)
  inherit spoon
  val mutable full = false
  method fill = full <- true
  method private pour =
    self#fill;
    full <- false;
    size
end

let () = print_endline (describe Leek)
