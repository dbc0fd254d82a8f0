"""By which rules does a language look up a name? The few facts that tell languages apart."""

from __future__ import annotations

import builtins
from dataclasses import dataclass

FUNCTIONS = frozenset(("function", "method", "declaration", "macro", "test", "constructor"))
TYPES = frozenset(
    ("class", "struct", "interface", "trait", "enum", "impl", "object", "protocol", "extension", "record", "union", "type", "contract")
)
SPACES = frozenset(("module", "namespace"))
"""Kinds of definitions that are called, that are types, and that hold other definitions by name alone."""

_PYTHON_METHODS = frozenset(
    name
    for kind in (str, bytes, bytearray, list, dict, set, frozenset, tuple, int, float, complex, range, memoryview, property, type)
    for name in dir(kind)
) | frozenset(
    "acquire release read readline readlines write writelines flush seek tell close open fileno truncate send throw group groups "
    "groupdict match search sub span start stop end run call cancel done result submit shutdown put get_nowait put_nowait set wait notify "
    "exists is_file is_dir mkdir resolve parent iterdir glob rglob read_text write_text read_bytes write_bytes unlink rename touch stat "
    "popleft appendleft extendleft rotate most_common elements subtract total move_to_end debug info warning error exception critical log "
    "parse dump dumps load loads connect cursor execute fetchone fetchall commit rollback total_seconds isoformat strftime date time now "
    "assert_called_once assert_called_with assert_called_once_with reset_mock setattr delattr setenv delenv chdir invoke add_argument "
    "parse_args getvalue register encode decode __init__ __call__ __enter__ __exit__ __new__ next cast name".split()
)
"""Method names of what comes with Python: a receiver that is not known may be one of these."""


_COMMON = frozenset(
    "abort abs accept add addAll addEventListener all and any append apply as_mut as_ref as_str at await begin bind build call catch charAt clear clone close collect "
    "compare compareTo concat consume contains containsKey copy count create debug delete dispose emit empty encode decode end endsWith entries "
    "entry enumerate equals err error every exec execute exists exit expect extend fail fetch fill filter find findIndex first flatMap flush fmt "
    "fold forEach format from get getClass getName getOrDefault getOrElse handle has hasNext hashCode head id includes indexOf info init insert "
    "into into_iter invoke is_empty is_none is_some iter iter_mut iterator join key keys last len length listen load lock log main map map_err "
    "match max merge message min name new next next_back ok on once open or_else parse peek poll pop post print printf println process push put "
    "read readLine recv reduce release remove replace request reset resolve reverse run save send set size skip slice some sort split start "
    "startsWith state status stop stream sub subscribe substring sum take tail test then throw to toArray toJSON toList toLowerCase toString toUpperCase "
    "to_owned to_string to_vec trim type union unlock unsubscribe unwrap unwrap_or update use validate value valueOf values wait warn with write writeLine "
    "Add All Any Append Clear Close Contains Copy Count Create Delete Dispose Do Equals Err Error Errorf Execute Exists Fatal Find First Flush "
    "Format Get GetEnumerator GetHashCode GetType Info Init Insert Invoke Join Last Len Load Lock Log Map Max Min Name New Next Open Parse Print "
    "Printf Println Push Put Read Remove Replace Reset Run Save Select Send Set Size Sort Split Start Stop String Sum Swap Take ToArray ToList "
    "ToString Trim TryGetValue Unlock Unwrap Update Value Values Wait Where With Write WriteLine".split()
)
"""Method names that the libraries of other languages have, too many to be listed language by language."""


@dataclass(frozen=True, slots=True)
class Semantics:
    """`selves` and `class_selves` name the object and its class inside a method, `supers` the bases; with `implicit` a method's name alone
    means one of the same object. `modules` says what an import names: a module of Python or Rust, a path, a folder (Go), or a declared package;
    `packaged` files see what stands in the same folder or declared package without an import, and with `whole` an import brings all names.
    With `by_name` nothing but names is known of the language's files. `common` are method names that a receiver of unknown type may have from elsewhere; `known` names are there without an import."""

    family: str
    modules: str = ""
    selves: frozenset[str] = frozenset(("this",))
    class_selves: frozenset[str] = frozenset()
    supers: frozenset[str] = frozenset(("super",))
    implicit: bool = False
    packaged: str = ""
    whole: bool = False
    common: frozenset[str] = _COMMON
    known: frozenset[str] = frozenset()
    by_name: bool = False
    entering: tuple[str, ...] = ()


_PYTHON = Semantics(
    family="python",
    modules="python",
    selves=frozenset(("self",)),
    class_selves=frozenset(("cls", "mcs", "mcls")),
    supers=frozenset(("super()",)),
    common=_PYTHON_METHODS,
    known=frozenset(dir(builtins)),
    entering=("__enter__", "__aenter__"),
)
_ECMASCRIPT = Semantics(
    family="ecmascript",
    modules="path",
    known=frozenset(
        "Array ArrayBuffer BigInt Boolean Buffer DataView Date Error Function Infinity Intl JSON Map Math NaN Number Object Promise Proxy RangeError "
        "Reflect RegExp Set String Symbol SyntaxError TypeError URL URLSearchParams Uint8Array WeakMap WeakRef WeakSet console decodeURIComponent "
        "document encodeURIComponent exports fetch globalThis isNaN module navigator parseFloat parseInt process queueMicrotask require setInterval "
        "setTimeout clearInterval clearTimeout structuredClone window describe it test expect beforeEach afterEach".split()
    ),
)
_GO = Semantics(family="go", modules="folder", selves=frozenset(), supers=frozenset(), packaged="folder")
_JAVA = Semantics(family="java", modules="package", implicit=True, packaged="package")
_CSHARP = Semantics(family="csharp", modules="package", supers=frozenset(("base",)), implicit=True, packaged="package", whole=True)
_RUST = Semantics(
    family="rust",
    modules="rust",
    selves=frozenset(("self",)),
    class_selves=frozenset(("Self",)),
    supers=frozenset(),
)

_BY_LANGUAGE = {
    "python": _PYTHON,
    "notebook": _PYTHON,
    "javascript": _ECMASCRIPT,
    "typescript": _ECMASCRIPT,
    "tsx": _ECMASCRIPT,
    "go": _GO,
    "java": _JAVA,
    "csharp": _CSHARP,
    "rust": _RUST,
    **{
        language: Semantics(family="c" if language in ("c", "cpp", "objc") else language, by_name=True)
        for language in "c cpp objc ruby php kotlin scala swift dart lua elixir haskell julia ocaml perl zig solidity bash powershell".split()
    },
}


def semantics(language: str) -> Semantics | None:
    """The rules of a language; None where its names are not followed."""
    return _BY_LANGUAGE.get(language)
