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


@dataclass(frozen=True, slots=True)
class Semantics:
    """`selves` and `class_selves` name the object and its class inside a method, `supers` the bases; with `implicit` a method's name alone
    means one of the same object; with `by_package` what stands in the same package is seen without an import. `common` are method names that
    a receiver of unknown type may have from elsewhere; `known` names that are there without an import; `nested` functions see their class's names."""

    family: str
    selves: frozenset[str] = frozenset(("this",))
    class_selves: frozenset[str] = frozenset()
    supers: frozenset[str] = frozenset(("super",))
    implicit: bool = False
    by_package: bool = False
    common: frozenset[str] = frozenset()
    known: frozenset[str] = frozenset()
    constructors: frozenset[str] = frozenset()
    entering: tuple[str, ...] = ()


_PYTHON = Semantics(
    family="python",
    selves=frozenset(("self",)),
    class_selves=frozenset(("cls", "mcs", "mcls")),
    supers=frozenset(("super()",)),
    common=_PYTHON_METHODS,
    known=frozenset(dir(builtins)),
    constructors=frozenset(("__init__", "__new__")),
    entering=("__enter__", "__aenter__"),
)

_BY_LANGUAGE = {"python": _PYTHON, "notebook": _PYTHON}


def semantics(language: str) -> Semantics | None:
    """The rules of a language; None where its names are not followed."""
    return _BY_LANGUAGE.get(language)
