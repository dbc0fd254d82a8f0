"""Which way a question takes: a table of questions, and the ways that are acceptable for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.answer import Question
from clew.search.question import read
from clew.search.relations import relation_in
from clew.search.router import route

TABLES = sorted((Path(__file__).parent / "routes").glob("*.txt"))
ENOUGH = 0.95
"""Share of the questions of a table that take an acceptable way."""


class Row(NamedTuple):
    """A question, and the ways that are acceptable."""

    question: str
    ways: tuple[str, ...]


def rows(table: Path) -> Iterator[Row]:
    for line in table.read_text(encoding="utf-8").split("\n"):
        if line.strip() and not line.startswith("#"):
            ways, _, question = line.partition(" | ")
            yield Row(question.replace("\\n", "\n"), tuple(ways.strip().split(",")))


def way(question: str) -> str:
    """The way that a question takes by itself."""
    found = route(read(question), Question(question))
    return f"{found.sought.relation}:{found.sought.target}" if found.sought else found.mode


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.stem)
def test_questions_take_an_acceptable_way(table: Path) -> None:
    asked = list(rows(table))
    wrong = [
        f"{way(row.question)} instead of {' or '.join(row.ways)}: {row.question}" for row in asked if way(row.question) not in row.ways
    ]
    assert len(asked) >= 60
    assert len(wrong) <= (1 - ENOUGH) * len(asked), "\n".join(wrong)


def test_no_question_is_in_two_tables() -> None:
    questions = [row.question for table in TABLES for row in rows(table)]
    assert len(questions) == len(set(questions)) >= 120


@given(st.text(max_size=300))
def test_no_text_breaks_the_reading_of_a_relation(text: str) -> None:
    found = relation_in(text)
    assert found is None or found.target in text.replace("(*", "").replace(")", "") or found.target in text


def test_a_long_text_asks_for_no_relation() -> None:
    assert relation_in("who calls Session.send " + "and why " * 100) is None
