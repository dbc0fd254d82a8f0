"""What becomes of an index when one of its writes fails? A sample of what `python -m tests.faults` tries at every write of each scenario."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .injecting import FAILURES, KILL, TEAR, Injector
from .scenarios import SCENARIOS, Case

FEW = {"first index": 4, "search after edits": 2, "rebuild": 2, "gc after edits": 2, "index after damage": 2}
"""Trials of a scenario here: more where more kinds of files are written."""


@pytest.fixture
def injector(tmp_path: Path) -> Iterator[Injector]:
    """A process with the shim, ready to fork."""
    injector = Injector(tmp_path, tmp_path)
    yield injector
    injector.close()


def spread(writes: int, trials: int, shift: int) -> list[int]:
    """So many numbers of writes, evenly over all."""
    return [1 + (writes * (2 * place + 1) // (2 * trials) + shift) % writes for place in range(trials)]


@pytest.mark.parametrize(("action", "shift"), [(KILL, 0), (TEAR, 1)], ids=["before a write", "within a write"])
def test_a_kill_at_any_write_leaves_right_answers_or_a_way_to_them(injector: Injector, tmp_path: Path, action: int, shift: int) -> None:
    for name, trials in FEW.items():
        case = Case(SCENARIOS[name], injector, tmp_path / name.replace(" ", "-"))
        for at in spread(len(case.count()), trials, shift):
            case.trial(at, action)


@pytest.mark.parametrize("failure", ["ENOSPC", "EIO"])
def test_a_write_that_fails_ends_in_an_error_that_helps_and_leaves_right_answers_or_a_way_to_them(
    injector: Injector, tmp_path: Path, failure: str
) -> None:
    for name in ("first index", "gc after edits"):
        case = Case(SCENARIOS[name], injector, tmp_path / name.replace(" ", "-"))
        for lasting, at in enumerate(spread(len(case.count()), 2, list(FAILURES).index(failure) * 7)):
            case.trial(at, FAILURES[failure], lasting=bool(lasting))


@pytest.mark.parametrize("failure", FAILURES)
def test_a_good_index_answers_where_nothing_can_be_written(injector: Injector, tmp_path: Path, failure: str) -> None:
    case = Case(SCENARIOS["search of a good index"], injector, tmp_path / "good")
    for command in (("search", "--json", "only_in_3"), ("status", "--json")):
        ended = injector.run(case.root, *command, at=1, action=FAILURES[failure], lasting=True)
        assert ended.code == 0, ended
        assert command[0] == "status" or ended.lines[0]["results"][0]["symbol_name"] == "only_in_3"
    assert injector.run(case.root, "gc", "--json", at=1, action=FAILURES[failure], lasting=True).code in {3, 4}
