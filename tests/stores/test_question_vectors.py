"""Is the vector of a question kept for a day, for all processes, and never for another question or model?"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from clew.adapters.embedders.asked_before import AskedBefore
from clew.stores.question_vectors import KEPT_S, NAME, QuestionVectors
from clew.testing import HashingEmbedder


class Day:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def day() -> Day:
    return Day()


@pytest.fixture
def model() -> HashingEmbedder:
    return HashingEmbedder(8, costly=True)


def asked(model: HashingEmbedder, folder: Path, day: Day, text: str = "where is the thread", most: int = 10) -> np.ndarray:
    """Ask as a process of its own would."""
    return AskedBefore(model, QuestionVectors(folder, day, most)).embed_query(text)


def test_a_question_is_embedded_once_a_day(tmp_path: Path, day: Day, model: HashingEmbedder) -> None:
    first = asked(model, tmp_path, day)
    day.now += KEPT_S - 1
    assert np.array_equal(asked(model, tmp_path, day), first)
    assert model.asked == 1
    day.now += 2
    assert np.array_equal(asked(model, tmp_path, day), first)
    assert model.asked == 2
    assert QuestionVectors(tmp_path).counted() == (1, 3)


def test_a_vector_from_the_future_is_not_believed(tmp_path: Path, day: Day, model: HashingEmbedder) -> None:
    asked(model, tmp_path, day)
    day.now -= 10
    asked(model, tmp_path, day)
    assert model.asked == 2


def test_another_question_and_another_model_have_vectors_of_their_own(tmp_path: Path, day: Day, model: HashingEmbedder) -> None:
    other = HashingEmbedder(8, "other", costly=True)
    mine, theirs = asked(model, tmp_path, day), asked(other, tmp_path, day)
    assert not np.array_equal(mine, theirs)
    assert not np.array_equal(asked(model, tmp_path, day, "another thread"), mine)
    assert (model.asked, other.asked) == (2, 1)
    assert np.array_equal(asked(other, tmp_path, day), theirs)


def test_it_is_bounded_and_the_oldest_go(tmp_path: Path, day: Day, model: HashingEmbedder) -> None:
    for number in range(25):
        day.now += 1
        asked(model, tmp_path, day, f"question {number}")
    with sqlite3.connect(tmp_path / NAME) as base:
        assert base.execute("SELECT count(*) FROM kept").fetchone()[0] <= 10
    asked(model, tmp_path, day, "question 24")
    assert model.asked == 25
    asked(model, tmp_path, day, "question 0")
    assert model.asked == 26


def test_no_question_is_readable_in_it(tmp_path: Path, day: Day, model: HashingEmbedder) -> None:
    asked(model, tmp_path, day, "the secret plan")
    assert b"secret" not in (tmp_path / NAME).read_bytes()


def test_damage_costs_a_call_and_is_mended(tmp_path: Path, day: Day, model: HashingEmbedder) -> None:
    first = asked(model, tmp_path, day)
    (tmp_path / NAME).write_bytes(b"no database at all" * 100)
    assert np.array_equal(asked(model, tmp_path, day), first)
    for _ in range(3):
        asked(model, tmp_path, day)
    assert model.asked <= 3
    assert QuestionVectors(tmp_path).counted().hits >= 2


@pytest.mark.parametrize("there", [False, True])
def test_where_nothing_can_be_kept_a_question_is_answered(tmp_path: Path, day: Day, model: HashingEmbedder, there: bool) -> None:
    folder = tmp_path / "index"
    if there:
        folder.write_text("a file where the folder should be")
    for _ in range(2):
        assert asked(model, folder, day).any()
    assert model.asked == 2
    assert QuestionVectors(folder).counted() == (0, 0)
    assert folder.is_file() == there and not folder.is_dir()


def test_while_another_process_writes_a_question_does_not_wait_for_it(tmp_path: Path, day: Day, model: HashingEmbedder) -> None:
    first = asked(model, tmp_path, day)
    other = sqlite3.connect(tmp_path / NAME, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    assert np.array_equal(asked(model, tmp_path, day), first)
    assert model.asked == 2
    other.execute("ROLLBACK")
    other.close()
