"""What is asked? The shape of a question, and what each leg is asked for it; pure, no index needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice, repeat
from typing import Literal, NamedTuple

from clew.core.words import query_terms, terms
from clew.search.mentions import bare_name, identifiers, is_path, paths_in, places_in, quotations, with_parts, without_receivers
from clew.search.paths import Role
from clew.search.report import Frame, Report, take_apart

Shape = Literal["nothing", "name", "path", "words", "report"]

_FRAME = re.compile(r"\bFile \"[^\"\n]+\", line \d+, in (\w+)|^\s*at ([\w.$<>]+)[ (]")
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
_CODE = re.compile(r"[{}\[\];=<>]|\w\([^)\s]|::|->")
"""What stands in a line of code and in no sentence; `run()` stands in sentences."""
_WORDS = re.compile(r"[^\W_]+")
_SAID = re.compile(r"\w (?=\w)|\w[!?:,…%]$|\w\.$|[%{]\w")
_HOW = re.compile(r"^\W*how\b", re.IGNORECASE)
_IS_QUESTION = re.compile(r"^\W*(where|which|what|how|who|find|show|list)\b|\?\s*$", re.IGNORECASE)
"""A report that is no question tells of tests and documents, and is about the code."""
_LOGGED = re.compile(r"[^\n]{1,80}?(?:: |\] )[ \t]*(?!.{0,40}: )((?:\S{1,80} ){3,40}\S{1,80})[ \t]*$")
"""A line of a log: what stands after its last head (time, level, error, place), if it is a sentence."""
_NAMED_ROLES: dict[Role, frozenset[str]] = {
    "test": frozenset(terms("test tests spec fixture example mock bench benchmark")),
    "vendored": frozenset(terms("vendor vendored compat legacy")),
    "generated": frozenset(terms("generated lock pb2")),
    "prose": frozenset(terms("readme changelog docs")),
}
"""Parts of a name or path that lie in such files."""

MAX_TEXT = 20_000
"""Characters that are read: a longer question is a pasted log, and its head says what it is about."""
MAX_TERMS = 256
"""Distinct terms of a report that are counted, from its title on."""
MAX_TIMES = 8
"""How often a term counts at most: as often as two of the title; a log repeats some words a hundred times."""
MAX_MESSAGES, MESSAGE_WORDS = 4, 3
"""Messages that are looked for word by word, and the words from which a text is one."""
TITLE_WEIGHT, PROSE_WEIGHT, CODE_WEIGHT = 4, 2, 1
"""How often a term of a report's first line, prose and code counts (bench/results/issues.md)."""
ABOUT_PROSE = 500
"""Characters of a report's prose that are embedded beside its title, which counts twice: more, and code, dilute what it is about."""
TITLE_NAMES, PROSE_NAMES, FRAME_NAMES, CODE_NAMES = 1.0, 0.5, 0.35, 0.25
"""What a name in each part of a report counts: the title says what is wrong, pasted code mostly how it was come upon."""
SHORT_NAME = 3
"""Characters under which a name in a report is a variable of an example."""


class Query(NamedTuple):
    """A question as it was read.

    `terms` repeat by weight; `gist` are the distinct ones that it is about, those of a report's title or all; `about` is the text that is
    embedded. `names` are the identifiers in it, lower parts of a qualified one included (`a.B.c` gives also `B.c` and `c`), each with its
    share of the boost for a definition. `places` are the (path, line) that it names, a bare path standing for its first line. `asks` are the
    roles of files that it asks for (tests, docs…). `has_line` says whether one of the places is told with its line. `messages` are what is to be found word by word: what a program said, a
    quotation, a pasted line. Of a report, `frames` are those of its trace, nearest to the fault first.
    """

    text: str
    shape: Shape
    terms: tuple[str, ...] = ()
    gist: frozenset[str] = frozenset()
    about: str = ""
    names: tuple[tuple[str, float], ...] = ()
    paths: tuple[str, ...] = ()
    places: tuple[tuple[str, int], ...] = ()
    has_line: bool = False
    asks: frozenset[Role] = frozenset()
    frames: tuple[Frame, ...] = ()
    messages: tuple[str, ...] = ()

    @property
    def asks_how(self) -> bool:
        """How something works is asked, not what it is."""
        return bool(_HOW.search(self.text))

    @property
    def is_bare(self) -> bool:
        """One symbol or path and nothing else."""
        return self.shape in ("name", "path")


@lru_cache(maxsize=16)
def read(text: str) -> Query:
    """The question in a text that somebody typed, pasted or generated; no text is refused."""
    plain = without_receivers(text[:MAX_TEXT].strip())
    return _read_report(plain) if "\n" in plain else _read_line(plain)


def _read_line(plain: str) -> Query:
    bare = bare_name(plain)
    weighed = tuple(query_terms(plain))
    if not weighed:
        return Query(plain, "nothing")
    paths = paths_in(plain)
    shape = _shape(plain, bare, paths)
    return Query(
        text=plain,
        shape=shape,
        terms=weighed,
        gist=frozenset(weighed),
        about=plain,
        names=with_parts((name, 1.0) for name in ([bare] if bare else _names_in_line(plain))),
        paths=paths,
        has_line=bool(places_in(plain)),
        places=places_in(plain) or (((paths[0], 1),) if shape == "path" else ()),
        asks=_roles_asked(plain, shape in ("name", "path")),
        messages=_quoted_or_pasted(plain) if shape == "words" else (),
    )


def _shape(text: str, bare: str, paths: tuple[str, ...]) -> Shape:
    if len(paths) == 1 and is_path(text) and ("/" in paths[0] or not bare):
        return "path"
    return "name" if bare else "words"


def _names_in_line(text: str) -> Iterator[str]:
    return chain((frame[1] or frame[2] for frame in _FRAME.finditer(text)), identifiers(text))


def _read_report(plain: str) -> Query:
    report = take_apart(plain)
    weighed = _weighed_terms(report)
    if not weighed:
        return Query(plain, "nothing")
    return Query(
        text=plain,
        shape="report",
        terms=weighed,
        gist=frozenset(query_terms(report.title)) or frozenset(weighed),
        about="\n".join((report.title, report.title, report.prose[:ABOUT_PROSE])),
        names=with_parts(
            (name, share) for name, share in _names_in_report(report) if len(name) >= SHORT_NAME and not name.startswith("__")
        ),
        paths=paths_in(f"{report.title}\n{report.prose}\n{report.code}"),
        asks=_roles_asked(report.title, is_name=False) if _IS_QUESTION.search(report.title) else frozenset(),
        frames=report.frames,
        messages=_messages(report),
    )


def _quoted_or_pasted(plain: str) -> tuple[str, ...]:
    """What is to be found word by word: the text, where it is a line of code, or else what is quoted in it."""
    if _CODE.search(plain):
        return (plain,) if len(_WORDS.findall(plain)) >= MESSAGE_WORDS else ()
    return tuple(text for text in quotations(plain)[:MAX_MESSAGES] if _is_text(text))


def _is_text(quotation: str) -> bool:
    """Whether a quotation is something that is said, and no name or word: it has some words, or marks that only text has."""
    words = len(_WORDS.findall(quotation))
    return words >= MESSAGE_WORDS or (words > 0 and bool(_SAID.search(quotation)))


def _weighed_terms(report: Report) -> tuple[str, ...]:
    """The terms of a report: its title counts most and its code least."""
    title = query_terms(report.title) * TITLE_WEIGHT
    prose = query_terms(report.prose) * PROSE_WEIGHT
    code = terms(report.code) + terms(report.output)
    every = [*title, *prose, *code * CODE_WEIGHT]
    times = Counter(every)
    return tuple(chain.from_iterable(repeat(term, min(times[term], MAX_TIMES)) for term in islice(times, MAX_TERMS)))


def _names_in_report(report: Report) -> Iterator[tuple[str, float]]:
    yield from ((name, TITLE_NAMES) for name in identifiers(report.title, called="("))
    yield from ((name, PROSE_NAMES) for name in identifiers(report.prose, called="("))
    yield from ((frame.function, FRAME_NAMES) for frame in report.frames if frame.function)
    yield from ((name, CODE_NAMES) for name in identifiers(report.code, called="("))


def _messages(report: Report) -> tuple[str, ...]:
    """What was said by a program: the messages of errors, what is quoted and has some words, and pasted lines that read like a sentence."""
    quoted = quotations(f"{report.title}\n{report.prose}")
    logged = (match[1] for line in (report.title, *report.output.split("\n"), *report.code.split("\n")) if (match := _LOGGED.match(line)))
    said = chain((message for _, message in report.errors), quoted, logged)
    return tuple(islice(dict.fromkeys(text for text in said if len(text.split()) >= MESSAGE_WORDS), MAX_MESSAGES))


def _roles_asked(text: str, is_name: bool) -> frozenset[Role]:
    """The kinds of files that the question asks for: by its words, or by a part of the name that it is."""
    if is_name:
        parts = set(terms(text))
        return frozenset(role for role, words in _NAMED_ROLES.items() if words & parts)
    return frozenset(role for role, asked in _ASKED_ROLES.items() if asked.search(text))
