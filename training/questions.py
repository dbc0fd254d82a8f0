"""How would somebody ask for it? Documentation, names and tests in the words of a question."""

from __future__ import annotations

import random
import re

_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_FIELDS = re.compile(
    r"^\s*(?:@\w+|:\w+.*?:|args?:|arguments:|parameters?:?|returns?:|raises:|yields:|examples?:?|usage:|notes?:|see also:?|\.\. |>>>|#+ |```|---+|===+|\\\w+|~~~)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"'(])")
_MARKUP = re.compile(r":\w+:`~?([^`]*)`|\{@\w+\s+([^}]*)\}|\[`?([^\]`]*)`?\](?:\([^)]*\))?|`+([^`]*)`+|\*\*([^*]+)\*\*|<[^>]{1,80}>")
_URL = re.compile(r"https?://\S+")
_DULL = re.compile(
    r"todo|fixme|deprecated|copyright|licen[cs]e|noqa|eslint|type: ignore|pragma|auto-?generated|do not edit|see above|inherit(?:ed)? ?doc",
    re.I,
)
FEWEST_WORDS = 3
_MOST_WORDS = 60
_ASKING = (
    "how does {} work", "how {} works", "where is {}", "where do we {}", "how to {}", "code for {}", "{} implementation", "how is {} implemented",
    "what handles {}", "which function {}", "find the code that {}", "{} logic", "internals of {}", "the part that {}", "where does it {}", "how are {} handled",
)  # fmt: skip
_CHANGING = (
    "fix {}",
    "add {}",
    "support {}",
    "handle {}",
    "improve {}",
    "refactor {}",
    "{} is broken",
    "wrong {}",
    "bug in {}",
    "error: {}",
    "allow {}",
    "remove {}",
)
_VERB_ENDINGS = re.compile(
    r"^(return|get|set|create|check|add|remove|convert|compute|parse|read|write|call|make|generate|build|find|load|run|handle)s\b", re.I
)


def words_of(name: str) -> str:
    """`parseHTTPHeader` as `parse http header`."""
    return " ".join(part.lower() for part in _PART.findall(name))


def prose(docs: str) -> list[str]:
    """The sentences of a documentation before its fields and examples, without markup."""
    kept = []
    for line in docs.split("\n"):
        if _FIELDS.match(line):
            break
        kept.append(line.strip())
    text = _URL.sub(" ", " ".join(kept))
    plain = _MARKUP.sub(lambda found: next((group for group in found.groups() if group), " "), text)
    return [" ".join(sentence.split()) for sentence in _SENTENCE.split(plain) if sentence.strip()]


def is_telling(text: str) -> bool:
    """Whether a text says enough to be asked: some words, mostly letters, no remark to the authors."""
    words = re.findall(r"[A-Za-z]{2,}", text)
    return len(words) >= FEWEST_WORDS and sum(map(len, words)) > len(text) * 0.5 and not _DULL.search(text)


def clipped(text: str, most: int = _MOST_WORDS) -> str:
    """The first words of a text."""
    return " ".join(text.split()[:most])


def asked(sentence: str, chance: random.Random) -> str:
    """A sentence as a question about it."""
    bare = _VERB_ENDINGS.sub(lambda found: found[1], sentence.rstrip(".!:")).strip()
    bare = bare[:1].lower() + bare[1:] if not bare[:2].isupper() else bare
    return chance.choice(_ASKING).format(clipped(bare, 14))


def committed(sentence: str, chance: random.Random) -> str:
    """A sentence as the subject of a commit or a report: short."""
    bare = _VERB_ENDINGS.sub("", sentence.rstrip(".!:")).strip() or sentence
    return chance.choice(_CHANGING).format(clipped(bare[:1].lower() + bare[1:], chance.randint(3, 7)))
