"""Which relation is a question about: who calls a name, what a change of it touches, who imports it, where it is defined? Pure, by its shape.

The word that may be a name becomes X, words that mean the same become one, and what says nothing is dropped; the few forms that are left are a
table. So `please show me all places that invoke the method Session.send()` and `callers of Session.send` come to the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from clew.search.relation_forms import FORMS, KINDS, SAME, SILENT, THE, Relation

MAX_TEXT = 240
"""Characters of a question about a relation: it is short, and says what it asks at once."""

WORDS_BEFORE = 4
"""Words that may stand before a form that is asked of a name spelled like code."""

_CANONICAL = {word: meaning for meaning, words in SAME.items() for word in (*words.split(), meaning)}
_CUES = frozenset[str]().union(*(cues for cues, _ in FORMS.values())) | {"find", "show", "get", "see", "locate"}
_STRONG_CUES = frozenset[str]().union(*(cues for relation, (cues, _) in FORMS.items() if relation not in ("definition", "members")))
_TOKEN = re.compile(r"[^\s,;]+")
_BEFORE, _BEHIND = "?!:;,()[]{}\u201c\u2026", "?.!:;,()[]{}\u201c\u201d\u2026"
_PART = r"[^\W\d][\w$]*[!?]?"
_NAME = re.compile(rf"(?:[\w@./~+-]+:)?[@$&*]?{_PART}(?:(?:\.|::|#|->)[@$]?{_PART})*")
_PATH = re.compile(r"[@.~]{0,2}/?[\w@.+~\[\]-]+(?:/[\w@.+~\[\]-]+)+|[\w@+-]+(?:\.[\w+-]+)*\.[A-Za-z]\w{0,7}")
_SPELLED = re.compile(r"\w(?:\.|::|#|->|/)[\w@$.]|[a-z\d][A-Z]|[A-Z]{2}[a-z]|\w_|_\w|^[@$&*]|[A-Za-z]\d|^[A-Z]{2,}$")
"""What only code is spelled like."""
_TAIL = re.compile(
    r" (?:in|within|across|throughout|inside|from) (?:this|the|our|whole|entire|my)(?: (?:whole|entire))?(?: \w+)? ?(?:project|code|codebase|base|repo|repository|sources?|app|application|package|library|tree)$"
    r"| (?:and )?(?:from )?where$| by the way$| thanks$| at all$| at the moment$| right$",
)


class Sought(NamedTuple):
    """A relation and what it is asked of: a name, `path:name`, or a path. `alone` where that is the whole question: a sentence around it asks for
    more. `sure` where the name is spelled as only code is; else it counts where the project defines it."""

    relation: Relation
    target: str
    alone: bool = True
    sure: bool = True


class _Target(NamedTuple):
    """The word of a question that may be a name."""

    text: str
    number: int
    is_code: bool


@lru_cache(maxsize=16)
def relation_in(text: str) -> Sought | None:
    """The relation that a question asks for; None where it is about something else, or about no name."""
    if len(text) > MAX_TEXT or "\n" in text or " " not in text:
        return None
    words = _TOKEN.findall(text)
    meant = frozenset(map(_canonical, words))
    if _CUES.isdisjoint(meant):
        return None
    targets = list(_targets(words))
    is_code = any(target.is_code for target in targets)
    if not is_code and _STRONG_CUES.isdisjoint(meant) and KINDS.isdisjoint(meant) and KINDS.isdisjoint(map(str.lower, words)):
        return None  # `where is …` asks for a definition, and that only of a name
    for target in targets:
        asked, is_told = _plain(words[: target.number], words[target.number + 1 :], target)
        if asked and (relation := _relation(asked)) and (is_told or relation != "definition"):
            return Sought(relation, target.text, sure=target.is_code)
        if target.is_code and (relation := _relation(asked, _loose)):
            return Sought(relation, target.text, alone=False)
    return _inside(text) if is_code else None


def _targets(words: list[str]) -> Iterator[_Target]:
    """What may be the name, what is surely code first; a word that the forms are made of is none."""
    plain, kinds = [], []
    for number, word in enumerate(words):
        if word.islower() and word.isalpha():
            if word not in _NO_NAMES:
                plain.append(_Target(word, number, is_code=False))
            elif word in _KINDS_AS_NAMES:
                kinds.append(_Target(word, number, is_code=False))
            continue
        inner = word.lstrip(_BEFORE).rstrip(_BEHIND)
        bare = inner.strip("`'\"<>").removesuffix("()")
        bare = bare.split("(")[0] if bare.endswith(")") else bare
        if not (_NAME.fullmatch(bare) or _PATH.fullmatch(bare)):
            continue
        is_marked = len(inner) >= 3 and inner[0] in "`'\"<" and inner[-1] in "`'\">"
        is_called = "(" in word
        if is_marked or is_called or _SPELLED.search(bare) or (number and bare[0].isupper() and bare.lower() not in _CANONICAL):
            yield _Target(bare, number, is_code=True)
        elif bare.lower() not in _NO_NAMES:
            plain.append(_Target(bare, number, is_code=False))
        elif bare in _KINDS_AS_NAMES:
            kinds.append(_Target(bare, number, is_code=False))
    yield from (plain or kinds)[-1:]  # `who calls helper`: where nothing else may be the name


_NEVER = frozenset(
    "it they them he she which what where who how why when there something nothing to of in on from by for with if before after not no or at as into X x".split()
)

_KINDS_AS_NAMES = frozenset(word for word in KINDS if _CANONICAL.get(word, "code") == "code")
_NO_NAMES = _NEVER | SILENT | KINDS | frozenset(_CANONICAL)


def _plain(before: list[str], behind: list[str], target: _Target) -> tuple[str, bool]:
    """The question in the words of the forms, and whether the name is surely one: spelled like code, or told with its kind."""
    is_kind = has_article = False
    while before and before[-1].lower().strip(_BEHIND) in (*KINDS, *THE, "called", "named"):
        word = before.pop().lower().strip(_BEHIND)
        is_kind = is_kind or word in KINDS
        has_article = has_article or word in THE
        if word in THE:
            break
    if behind and behind[0].lower().strip(_BEHIND) in KINDS:
        is_kind = True
        behind = behind[1:]
    if has_article and not (is_kind or target.is_code):
        return "", False  # `the timeout` is a thing, not a name
    joined = " ".join([*map(_canonical, before), "X", *map(_canonical, behind)])
    joined = " ".join(joined.split())
    while (shorter := _TAIL.sub("", joined)) != joined:
        joined = shorter
    return " ".join(word for word in joined.split() if word not in SILENT and (word == "X" or word.strip("-"))), is_kind or target.is_code


def _canonical(word: str) -> str:
    bare = word.lower().strip(_BEHIND).replace("\u2019", "'").removesuffix("'s")
    return _CANONICAL.get(bare, bare)


def _relation(asked: str, form: Callable[[Relation], re.Pattern[str]] | None = None) -> Relation | None:
    words = frozenset(asked.split())
    for relation, (cues, _) in FORMS.items():
        if not words.isdisjoint(cues) and (form or _form)(relation).fullmatch(asked):
            return relation
    return None


@lru_cache(maxsize=len(FORMS))
def _form(relation: Relation) -> re.Pattern[str]:
    """Compiled when it is first needed: most questions need none."""
    return re.compile("|".join(FORMS[relation][1]))


@lru_cache(maxsize=len(FORMS))
def _loose(relation: Relation) -> re.Pattern[str]:
    """The forms behind a few other words: what is asked of a name that is surely one, beside something else. Of `how X is used` the words matter."""
    forms = () if relation in ("definition", "members") else (form for form in FORMS[relation][1] if not form.startswith("X"))
    return re.compile(rf"(?:(?!how|why|when)\S+ ){{1,{WORDS_BEFORE}}}(?:{'|'.join(forms) or '(?!)'})")


@lru_cache(maxsize=1)
def _strong() -> re.Pattern[str]:
    """What asks for a relation wherever it stands in a sentence, where what follows is spelled like code."""
    return re.compile(
        r"\b(?:(?P<importers>(?:who|what|which (?:files|modules)) imports?|importers of)|(?P<impact>what (?:breaks|happens|would break) (?:if|when) (?:i|we|you) (?:change|rename|remove|delete))"
        r"|(?P<subtypes>(?:subclasses|implementations|overrides) of|(?:who|what) (?:extends|implements|overrides))"
        r"|(?P<callers>(?:who|what|which (?:functions|methods|code)) (?:calls|call|invokes?)|(?:callers|call sites|usages|all uses) of)) (?:the )?(?:function |method |class )?(\S+)",
        re.IGNORECASE,
    )


def _inside(text: str) -> Sought | None:
    """A relation that is asked for inside of a longer sentence, of something that is surely a name."""
    found = _strong().search(text)
    target = found[found.lastindex or 0].strip(_BEHIND) if found else ""
    bare = target.strip("`'\"").removesuffix("()").rstrip("(")
    if found is None or not (_NAME.fullmatch(bare) or _PATH.fullmatch(bare)) or not (_SPELLED.search(bare) or target != bare):
        return None
    relation = next(one for one in ("importers", "impact", "subtypes", "callers") if found[one])
    return Sought(relation, bare, alone=False)  # type: ignore[arg-type]
