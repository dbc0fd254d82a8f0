"""A provider that is down is left alone by all of the user's processes, not only by the one that found out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import stamina
from tests.provider_server import KEY, ProviderServer, provider_server

from clew.adapters.calling import Caller, Clock, Fault, Terms
from clew.adapters.outages import FORGOTTEN_S, Outages
from clew.errors import Unreachable

TERMS = Terms(attempts=1)
MODEL = "voyage:voyage-4@256"


class Down(Exception):
    """No answer."""


class Wall:
    """Two clocks that a test moves: the wall's and a process's own."""

    def __init__(self) -> None:
        self.wall, self.own = 1_000_000.0, 0.0

    def pass_by(self, seconds: float) -> None:
        self.wall += seconds
        self.own += seconds

    def process(self, path: Path) -> Caller:
        """What a new process has."""
        return Caller(
            "voyage", lambda _: Fault("outage", "no answer"), TERMS, Clock(lambda: self.own, lambda _: None, lambda: self.wall), path
        )


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with stamina.set_testing(True, attempts=1, cap=True):
        yield


def is_asked(caller: Caller, *, answers: bool) -> bool:
    """Whether the provider was asked; what it says does not matter."""
    asked = []

    def request(_: float) -> str:
        asked.append(1)
        if not answers:
            raise Down
        return "here"

    with suppress(Unreachable):
        caller.call(request)
    return bool(asked)


def opened(wall: Wall, path: Path) -> None:
    for _ in range(TERMS.failures):
        assert is_asked(wall.process(path), answers=False)


def test_failures_of_short_lived_processes_count_together_and_one_of_them_tries_again(tmp_path: Path) -> None:
    wall, path = Wall(), tmp_path / "outages.db"
    opened(wall, path)
    for _ in range(3):
        caller = wall.process(path)
        assert caller.is_resting
        assert not is_asked(caller, answers=True)
    wall.pass_by(TERMS.rest_s)
    first, second = wall.process(path), wall.process(path)
    assert not first.is_resting
    inside = []
    first.call(lambda _: inside.append(is_asked(second, answers=True)))
    assert inside == [False]  # while the one tries, the other does not
    assert is_asked(second, answers=True)  # recovery is noticed by all at once


def test_a_trial_that_fails_begins_another_rest(tmp_path: Path) -> None:
    wall, path = Wall(), tmp_path / "outages.db"
    opened(wall, path)
    wall.pass_by(TERMS.rest_s)
    assert is_asked(wall.process(path), answers=False)
    assert not is_asked(wall.process(path), answers=True)
    wall.pass_by(TERMS.rest_s)
    assert is_asked(wall.process(path), answers=True)


def test_an_answer_in_any_process_makes_failures_no_longer_in_a_row(tmp_path: Path) -> None:
    wall, path = Wall(), tmp_path / "outages.db"
    for _ in range(3):
        for _ in range(TERMS.failures - 1):
            assert is_asked(wall.process(path), answers=False)
        assert is_asked(wall.process(path), answers=True)


@pytest.mark.parametrize("jump", [-86_400.0, -1.0, FORGOTTEN_S, 1e9])
def test_a_clock_that_jumps_never_keeps_a_provider_from_being_asked(tmp_path: Path, jump: float) -> None:
    wall, path = Wall(), tmp_path / "outages.db"
    opened(wall, path)
    wall.wall += jump
    assert is_asked(wall.process(path), answers=True)


@pytest.mark.parametrize("content", [b"", b"no database at all", b"SQLite format 3\0" + b"\xff" * 4_000])
def test_a_damaged_record_is_as_none_and_is_made_anew(tmp_path: Path, content: bytes) -> None:
    wall, path = Wall(), tmp_path / "outages.db"
    path.write_bytes(content)
    assert is_asked(wall.process(path), answers=True)
    opened(wall, path)
    assert not is_asked(wall.process(path), answers=True)


def test_a_record_that_cannot_be_written_costs_nothing_but_the_record(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    outages = Outages(tmp_path / "file" / "outages.db", "voyage", 1, 30.0)
    outages.failed()
    assert outages.turn() == "ask"
    assert not outages.is_resting


def search(question: str, project: Path, server: ProviderServer, home: Path) -> dict[str, Any]:
    """`clew search` in a process of its own."""
    given = {"HOME": str(home), "VOYAGE_API_KEY": KEY, "VOYAGE_BASE_URL": f"{server.address}/voyage/v1", "CLEW_EMBEDDER": MODEL}
    command = [sys.executable, "-m", "clew", "search", question, "--mode", "hybrid", "--json", "--path", str(project)]
    done = subprocess.run(command, env=os.environ | given, capture_output=True, check=False)
    return dict(json.loads(done.stdout))


def test_commands_share_what_they_learn_of_an_outage(tmp_path: Path, home: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "steps.py").write_text("def add_step(value):\n    return value + 1\n", "utf-8")
    with provider_server() as server:
        assert not search("what adds a step", project, server, home)["warnings"]
        before = Caller(
            "voyage:voyage-4",
            lambda _: Fault("outage", "no"),
            TERMS,
            place=home / ".cache/clew/outages.db",
            address=f"{server.address}/voyage/v1",
        )
        for _ in range(TERMS.failures - 1):
            assert is_asked(before, answers=False)
        server.always = 503
        told = search("where is a step added to the value", project, server, home)
        assert told["results"]
        assert any("does not answer" in warning for warning in told["warnings"])
        asked = len(server.seen)
        found = search("how to add the next step to a value", project, server, home)
        assert found["results"]
        assert any("is not asked: it failed 5 times" in warning for warning in found["warnings"])
        assert len(server.seen) == asked
