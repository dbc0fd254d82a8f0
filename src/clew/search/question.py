"""What is asked? The shape of a question, the names, paths and quotations in it; pure, no index needed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal, NamedTuple

from clew.core.words import STOP_WORDS, query_terms, terms
from clew.search.paths import Role

Shape = Literal["nothing", "name", "path", "words", "report"]

_NAME = r"[^\W\d][\w$]*[!?]?(?:(?:\.|::|#|->)[^\W\d][\w$]*[!?]?)*"
_IS_NAME = re.compile(_NAME)
_NAMES = re.compile(rf"(?<![\w.$])({_NAME})(\(\))?")
_SEPARATORS = re.compile(r"\.|::|#|->")
_KEYWORD_AND_NAME = re.compile(rf"(def|fn|func|fun|struct|enum|class|function|interface|trait|type|method|module|object)\s+({_NAME})")
_NEVER_PROSE = frozenset({"def", "fn", "func", "fun", "struct", "enum"})
_PATHS = re.compile(r"(?<![\w.@+~-])[\w.@+~-]*+(?:[/\\]+[\w.@+~-]++)+|(?<![\w@+.-])[\w@+-]++(?=\.\w)(?:\.[\w+-]+)*\.[A-Za-z]\w{0,7}\b")
_PLACES = re.compile(rf"({_PATHS.pattern}):(\d{{1,7}})\b|\bFile \"([^\"\n]+)\", line (\d{{1,7}})\b")
_IS_PATH = re.compile(rf"(?:[A-Za-z]:)?(?:{_PATHS.pattern})(?::\d+)*")
_QUOTED = re.compile(r"\"([^\"\n]{3,200})\"|`([^`\n]{3,200})`|(?<!\w)'([^'\n]{3,200})'(?!\w)")
_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|^(?: {4}|\t|>>>).*$", re.DOTALL | re.MULTILINE)
_FRAME = re.compile(r"\bFile \"[^\"\n]+\", line \d+, in (\w+)|^\s*at ([\w.$<>]+)[ (]", re.MULTILINE)
_HUMP = re.compile(r"[a-z\d][A-Z]|[A-Z]{2,}[a-z]|\w_\w")
_ASKED_ROLES: dict[Role, re.Pattern[str]] = {
    "test": re.compile(
        r"(?<!\bin )(?<!\bby )(?<!\bfor )(?<!\bfrom )(?<!\bwith )(?<!\bduring )\b(tests|specs|fixtures|examples|samples|demos|benchmarks)\b"
        r"|\b(test|spec|example|benchmark) (for|of|that|cases?|suites?|files?)\b",
        re.IGNORECASE,
    ),
    "vendored": re.compile(r"\b(vendor(ed)?|third.party|compat(ibility)?|legacy)\b", re.IGNORECASE),
    "generated": re.compile(r"\b(generated|lock ?files?|minified|bundled?|protobufs?)\b", re.IGNORECASE),
    "prose": re.compile(r"\b(readme|change ?log|docs|documentation|documented|tutorials?|guides?|release notes)\b", re.IGNORECASE),
}
"""What asks for such files. A test that is only where something happens (`used in tests`), or a kind of thing (`test client`), does not."""
_NAMED_ROLES: dict[Role, frozenset[str]] = {
    "test": frozenset(terms("test tests spec fixture example mock bench benchmark")),
    "vendored": frozenset(terms("vendor vendored compat legacy")),
    "generated": frozenset(terms("generated lock pb2")),
    "prose": frozenset(terms("readme changelog docs")),
}
"""Parts of a name or path that lie in such files."""

MAX_TEXT = 20_000
"""Characters that are read: a longer question is a pasted log, and its head says what it is about."""
MAX_NAME = 200
"""Characters of a name: a longer one is data, and nothing is called so."""
MAX_NAMES = 24
"""Names that are looked up: those of a long report come in order, and its first ones matter most."""
MAX_PLACES = 8
"""Places that are looked up, from the end: that is where a trace tells of the fault."""
TITLE_WEIGHT, PROSE_WEIGHT, CODE_WEIGHT = 4, 2, 1
"""How often a term of a report's first line, prose and code counts (2, 1 and ½ times): bench RANKING, long questions."""


class Query(NamedTuple):
    """A question as it was read.

    `terms` repeat by weight; `gist` are the distinct ones that it is about, those of a report's title or all. `names` are the identifiers in it, lower parts of a qualified one included (`a.B.c` gives also `B.c`
    and `c`), each with its share of the boost for a definition. `places` are the (path, line) that it names, a bare path standing for its first line. `asks` are the roles of files that it asks for (tests, docs…).
    """

    text: str
    shape: Shape
    terms: tuple[str, ...] = ()
    gist: frozenset[str] = frozenset()
    names: tuple[tuple[str, float], ...] = ()
    paths: tuple[str, ...] = ()
    places: tuple[tuple[str, int], ...] = ()
    asks: frozenset[Role] = frozenset()

    @property
    def is_bare(self) -> bool:
        """One symbol or path and nothing else."""
        return self.shape in ("name", "path")


def read(text: str) -> Query:
    """The question in a text that somebody typed, pasted or generated; no text is refused."""
    plain = text[:MAX_TEXT].strip()
    bare = _bare_name(plain)
    weighed = _weighed_terms(plain)
    if not weighed:
        return Query(plain, "nothing")
    paths = _paths(plain)
    shape = _shape(plain, bare, paths)
    return Query(
        text=plain,
        shape=shape,
        terms=weighed,
        gist=_gist(plain, weighed),
        names=_with_parts([bare] if bare else _names_in_prose(plain)),
        paths=paths,
        places=_places(plain) or (((paths[0], 1),) if shape == "path" else ()),
        asks=_roles_asked(plain, shape in ("name", "path")),
    )


def _shape(text: str, bare: str, paths: tuple[str, ...]) -> Shape:
    if len(paths) == 1 and _IS_PATH.fullmatch(text) and ("/" in paths[0] or not bare):
        return "path"
    if bare:
        return "name"
    return "report" if "\n" in text else "words"


def _bare_name(text: str) -> str:
    """The symbol, if the question is nothing else: `Session`, `a::b`, `send()`, `def send`."""
    inner = text.strip("`\"'").removesuffix("()")
    if _IS_NAME.fullmatch(inner):
        return inner
    pair = _KEYWORD_AND_NAME.fullmatch(inner)
    if pair and (pair[1] in _NEVER_PROSE or _looks_like_code(pair[2])):
        return pair[2]
    return ""


def _looks_like_code(word: str) -> bool:
    return bool(_SEPARATORS.search(word) or _HUMP.search(word))


def _names_in_prose(text: str) -> list[str]:
    """Identifiers between ordinary words: camel, snake, qualified, called, capitalised inside a sentence, or quoted."""
    found = [frame[1] or frame[2] for frame in _FRAME.finditer(text)]
    found += [quotation for quotation in _quoted(text) if _IS_NAME.fullmatch(quotation)]
    for match in _NAMES.finditer(text):
        word = match[1]
        if match[2] or _looks_like_code(word) or (word[0].isupper() and word.lower() not in STOP_WORDS):
            found.append(word)
    return found


def _with_parts(names: Iterable[str]) -> tuple[tuple[str, float], ...]:
    """Each name and, for a qualified one, its tails: half the share for each part left off."""
    shares: dict[str, float] = {}
    for name in (name for name in names if len(name) <= MAX_NAME):
        parts = [part for part in _SEPARATORS.split(name) if part]
        for start in range(len(parts)):
            tail = ".".join(parts[start:])
            shares[tail] = max(shares.get(tail, 0.0), 0.5**start if start else 1.0)
    return tuple(list(shares.items())[:MAX_NAMES])


def _paths(text: str) -> tuple[str, ...]:
    found = (match.group().replace("\\", "/").lstrip("./").rstrip(".") for match in _PATHS.finditer(text))
    return tuple(dict.fromkeys(path for path in found if path and not path.isdigit()))


def _places(text: str) -> tuple[tuple[str, int], ...]:
    """What stands as `path:line` in the text, or in a frame of a trace; the last ones of a trace are nearest to the fault."""
    found = ((match[1] or match[3], int(match[2] or match[4])) for match in _PLACES.finditer(text))
    tidy = dict.fromkeys((path.replace("\\", "/").lstrip("./"), line) for path, line in found)
    return tuple(tidy)[-MAX_PLACES:]


def _quoted(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(next(filter(None, match.groups())) for match in _QUOTED.finditer(text)))


def _weighed_terms(text: str) -> tuple[str, ...]:
    """The terms of a question; of a report, its title counts most and its code least."""
    title, _, rest = text.partition("\n")
    if not rest.strip():
        return tuple(query_terms(text))
    code = "\n".join(_CODE.findall(rest))
    prose = _CODE.sub(" ", rest)
    return tuple(query_terms(title) * TITLE_WEIGHT + query_terms(prose) * PROSE_WEIGHT + terms(code) * CODE_WEIGHT)


def _gist(text: str, weighed: tuple[str, ...]) -> frozenset[str]:
    title, _, _ = text.partition("\n")
    return frozenset(query_terms(title)) or frozenset(weighed)


def _roles_asked(text: str, is_name: bool) -> frozenset[Role]:
    """The kinds of files that the question asks for: by its words, or by a part of the name that it is."""
    if is_name:
        parts = set(terms(text))
        return frozenset(role for role, words in _NAMED_ROLES.items() if words & parts)
    title, _, _ = text.partition("\n")
    return frozenset(role for role, asked in _ASKED_ROLES.items() if asked.search(title))
