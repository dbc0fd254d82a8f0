"""What becomes of registered databases when one of the writes of `clew db` fails?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .databases import ASK, SCENARIOS, DatabaseCase
from .injecting import FAILURES, KILL, TEAR, Injector


@pytest.fixture
def injector(tmp_path: Path) -> Iterator[Injector]:
    """A process with the shim, ready to fork."""
    injector = Injector(tmp_path, tmp_path)
    yield injector
    injector.close()


@pytest.mark.parametrize(("name", "action"), [("first index", KILL), ("remove", KILL), ("another URL", TEAR)])
def test_a_kill_at_any_write_leaves_right_answers_or_a_way_to_them(injector: Injector, tmp_path: Path, name: str, action: int) -> None:
    case = DatabaseCase(SCENARIOS[name], injector, tmp_path / "case")
    case.trial(1 + len(case.count()) // 2, action)


def test_a_full_disk_leaves_right_answers_or_a_way_to_them(injector: Injector, tmp_path: Path) -> None:
    case = DatabaseCase(SCENARIOS["remove"], injector, tmp_path / "case")
    case.trial(1 + len(case.count()) // 3, FAILURES["ENOSPC"], lasting=True)


@pytest.mark.parametrize("failure", ["EROFS", "EACCES"])
def test_what_was_read_answers_where_nothing_can_be_written(injector: Injector, tmp_path: Path, failure: str) -> None:
    case = DatabaseCase(SCENARIOS["index after a change"], injector, tmp_path / "case")
    case.count()
    for command in (ASK, ("db", "list", "--json"), ("db", "status", "--json"), ("db", "show", "shop", "--json")):
        ended = injector.run(case.root, *command, at=1, action=FAILURES[failure], lasting=True)
        assert ended.code == 0, ended
        assert "payments" in ended.out or command != ASK
    for command in (("db", "add", "more", "sqlite:///other.db", "--json"), ("db", "remove", "shop", "--json")):
        ended = injector.run(case.root, *command, at=1, action=FAILURES[failure], lasting=True)
        assert ended.code in {3, 4, 5}, ended
        assert ended.lines[0]["error"]["hint"], ended
