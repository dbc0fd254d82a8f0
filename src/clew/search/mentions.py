"""What does a text name? The identifiers, paths, places and quotations between its words; pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from clew.core.words import STOP_WORDS

_NAME = r"[^\W\d][\w$]*[!?]?(?:(?:\.|::|#|->)[^\W\d][\w$]*[!?]?)*"
_IS_NAME = re.compile(_NAME)
_NAMES = re.compile(rf"(?<![\w.$])({_NAME})(\(\)?)?")
_SEPARATORS = re.compile(r"\.|::|#|->")
_HUMP = re.compile(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]|\w_\w")
_KEYWORD_AND_NAME = re.compile(rf"(def|fn|func|fun|struct|enum|class|function|interface|trait|type|method|module|object)\s+({_NAME})")
_NEVER_PROSE = frozenset({"def", "fn", "func", "fun", "struct", "enum"})
_PATHS = re.compile(r"(?<![\w.@+~/\\-])[\w.@+~-]*+(?:[/\\]++[\w.@+~-]++)++|(?<![\w@+.-])[\w@+-]++(?=\.\w)(?:\.[\w+-]+)*\.[A-Za-z]\w{0,7}\b")
_PLACES = re.compile(rf"({_PATHS.pattern}):(\d{{1,7}})\b|\bFile \"([^\"\n]+)\", line (\d{{1,7}})\b")
_IS_PATH = re.compile(rf"(?:[A-Za-z]:)?(?:{_PATHS.pattern})(?::\d+)*")
_RECEIVER = re.compile(r"(?<![\w./~-])(?:(?:[\w.~-]+/)*+([\w-]+\.))?\(\*(\w+)\)\.")
_QUOTED = re.compile(r"\"([^\"\n]{3,200})\"|`([^`\n]{3,200})`|(?<!\w)'([^'\n]{3,200})'(?!\w)")

MAX_NAME = 200
"""Characters of a name: a longer one is data, and nothing is called so."""
MAX_NAMES = 24
"""Names that are looked up: those of a long text come in order, and its first ones matter most."""
MAX_PLACES = 8
"""Places that are looked up, from the end: that is where a trace tells of the fault."""


def without_receivers(text: str) -> str:
    """The text with Go's names of methods as other languages write them: `net/http.(*Client).Do` as `http.Client.Do`."""
    return _RECEIVER.sub(r"\1\2.", text) if "(*" in text else text


def bare_name(text: str) -> str:
    """The symbol, if the text is nothing else: `Session`, `a::b`, `send()`, `def send`."""
    inner = text.strip("`\"'").removesuffix("()")
    if _IS_NAME.fullmatch(inner):
        return inner
    pair = _KEYWORD_AND_NAME.fullmatch(inner)
    if pair and (pair[1] in _NEVER_PROSE or _looks_like_code(pair[2])):
        return pair[2]
    return ""


def is_path(text: str) -> bool:
    """Whether the text is a path and nothing else, a line number aside."""
    return bool(_IS_PATH.fullmatch(text))


def identifiers(text: str, *, called: str = "()") -> Iterator[str]:
    """Identifiers between ordinary words: quoted, camel, snake, qualified, capitalised inside a sentence, or followed by `called`."""
    yield from (quotation for quotation in quotations(text) if _IS_NAME.fullmatch(quotation))
    for match in _NAMES.finditer(text):
        word, call = match[1], match[2] or ""
        if (call and call.startswith(called)) or _looks_like_code(word) or (word[0].isupper() and word.lower() not in STOP_WORDS):
            yield word


def with_parts(names: Iterable[tuple[str, float]], limit: int = MAX_NAMES) -> tuple[tuple[str, float], ...]:
    """Each name with its share and, for a qualified one, its tails: half the share for each part left off; the first `limit` of them."""
    shares: dict[str, float] = {}
    for name, share in names:
        parts = [part for part in _SEPARATORS.split(name) if part] if len(name) <= MAX_NAME else []
        for start in range(len(parts)):
            tail = ".".join(parts[start:])
            shares[tail] = max(shares.get(tail, 0.0), share * 0.5**start)
    return tuple(islice(shares.items(), limit))


def paths_in(text: str) -> tuple[str, ...]:
    """The paths in a text, `/`-separated, each once."""
    found = (match.group().replace("\\", "/").lstrip("./").rstrip(".") for match in _PATHS.finditer(text))
    return tuple(dict.fromkeys(path for path in found if path and not path.isdigit()))


def places_in(text: str) -> tuple[tuple[str, int], ...]:
    """What stands as `path:line` in the text, or in a frame of a trace; the last ones of a trace are nearest to the fault."""
    found = ((match[1] or match[3], int(match[2] or match[4])) for match in _PLACES.finditer(text))
    tidy = dict.fromkeys((path.replace("\\", "/").lstrip("./"), line) for path, line in found)
    return tuple(tidy)[-MAX_PLACES:]


def quotations(text: str) -> tuple[str, ...]:
    """What stands in quotation marks or back quotes, each once."""
    return tuple(dict.fromkeys(next(filter(None, match.groups())) for match in _QUOTED.finditer(text)))


def _looks_like_code(word: str) -> bool:
    return bool(_SEPARATORS.search(word) or _HUMP.search(word))
