"""What makes one file a better answer to a bug report than another? Named, pure rules like those of short questions, with weights of their own."""

from __future__ import annotations

import math
from collections.abc import Iterable

from clew.search.fusion import Candidate
from clew.search.legs.names import Definition
from clew.search.rules import Asked, Rule

DEFINITION_BOOST = 0.6
"""For the file that alone defines a name of the title; those of prose, traces and code count less (question.py)."""
FRAME_BOOST = 0.5
"""For the file of the frame nearest to the fault."""
PLACE_BOOST = 1.0
"""For a file that the text names by its path: nothing is clearer."""
MESSAGE_BOOST = 1.0
"""For the file that alone says what a message says (bench/messages.py)."""
FILE_NAME_BOOST = 0.2
"""Times the share of the file name's words that the title holds: less than in a short question, where the subject is all that is said."""
NEAREST_BOOST = 0.45
"""For the file's chunk nearest to the title; the mean of its chunks, which helps short questions, moved nothing here."""
ASIDE_SHARE = 0.25
"""What is left of the score of files that a fix is seldom made in: tests, documents, vendored code, data."""
DATA_LANGUAGES = frozenset(["json", "yaml", "toml", "ini", "xml", "html", "css", "csv", "svg", "text", "make", "dockerfile"])
"""What describes and configures rather than does."""
TESTING = 0.5
"""Share of the functions among a file's hits that are called a test from which the file is one, wherever it lies."""


def _definition(score: float, file: Candidate, asked: Asked) -> float:
    best = _best_by_name(definition for definition in file.definitions if definition.kind == "name")
    return score + DEFINITION_BOOST * sum(share / math.sqrt(asked.definers[name]) for name, share in best.items())


def _best_by_name(definitions: Iterable[Definition]) -> dict[str, float]:
    best: dict[str, float] = {}
    for definition in definitions:
        best[definition.name] = max(best.get(definition.name, 0.0), definition.share)
    return best


def _frame(score: float, file: Candidate, _: Asked) -> float:
    return score + FRAME_BOOST * max((one.share for one in file.definitions if one.kind == "frame"), default=0.0)


def _place(score: float, file: Candidate, _: Asked) -> float:
    return score + PLACE_BOOST * sum(_best_by_name(one for one in file.definitions if one.kind == "place").values())


def _message(score: float, file: Candidate, asked: Asked) -> float:
    said = (one.share / math.sqrt(asked.definers[one.name]) for one in file.definitions if one.kind == "message")
    return score + MESSAGE_BOOST * max(said, default=0.0)


def _file_name(score: float, file: Candidate, asked: Asked) -> float:
    name = file.path.name
    return score if name.isdisjoint(asked.terms) else score + FILE_NAME_BOOST * len(name & asked.terms) / len(name)


def _meaning(score: float, file: Candidate, _: Asked) -> float:
    return score + NEAREST_BOOST * file.nearest


def _role(score: float, file: Candidate, asked: Asked) -> float:
    role = file.path.role or ("test" if _is_tests(file) else None)
    if role is None:
        return score * ASIDE_SHARE if _is_data(file) else score
    return score if role in asked.query.asks else score * ASIDE_SHARE


def _is_tests(file: Candidate) -> bool:
    names = [hit.symbol_name.rpartition(".")[2].lower() for hit in (*file.words, *file.near) if hit.symbol_type in ("function", "method")]
    return bool(names) and sum(name.startswith("test") for name in names) >= TESTING * len(names)


def _is_data(file: Candidate) -> bool:
    return any(hit.language in DATA_LANGUAGES for hit in (*file.words[:1], *file.near[:1]))


REPORT_RULES: tuple[Rule, ...] = (
    Rule("definition", "defines the name", _definition),
    Rule("frame", "in the trace", _frame),
    Rule("place", "path in the question", _place),
    Rule("message", "says the message", _message),
    Rule("file name", "file name", _file_name),
    Rule("meaning", "meaning", _meaning),
    Rule("role", "held back", _role),
)
