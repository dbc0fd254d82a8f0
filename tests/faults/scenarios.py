"""What is at work when a write fails? Commands on a small project, each from a state that is set up once, and what must be true afterwards."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .injecting import COUNT, Ended, Injector

FUNCTIONS = ("create_user", "cancel_order", "retry_upload", "parse_header", "render_page", "send_mail")
QUESTIONS = (
    {"id": "name", "query": "only_in_3", "mode": "fast"},
    {"id": "new", "query": "brand_new_function", "mode": "fast"},
    {"id": "gone", "query": "only_in_5", "mode": "fast"},
    {"id": "words", "query": "cancel an order by its number", "mode": "hybrid"},
    {"id": "meaning", "query": "upload again after a failure", "mode": "semantic"},
)
FILES = 8
OURS = {3, 4, 5}
"""Exit codes of a command that says no: may not write, index unusable, another writer."""


@dataclass(frozen=True)
class Scenario:
    """A command, run on an index of the files as they were before (or none), where they have changed since."""

    name: str
    command: tuple[str, ...]
    indexed_before: bool = True
    changed: bool = True
    damaged: bool = False
    interrupted: bool = False


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        Scenario("first index", ("index", "--json"), indexed_before=False),
        Scenario("first search", ("search", "--json", "only_in_3"), indexed_before=False),
        Scenario("index after edits", ("index", "--json")),
        Scenario("search after edits", ("search", "--json", "only_in_3")),
        Scenario("watch after edits", ("watch", "--json"), interrupted=True),
        Scenario("rebuild", ("index", "--rebuild", "--json")),
        Scenario("gc after edits", ("gc", "--json")),
        Scenario("index after damage", ("index", "--json"), damaged=True),
        Scenario("search of a good index", ("search", "--json", "only_in_3"), changed=False),
        Scenario("status of a good index", ("status", "--json"), changed=False),
    )
}


def write_files(root: Path, *, changed: bool) -> None:
    """The files of the project: as they are indexed at first, or as they are after edits."""
    root.mkdir(exist_ok=True)
    for number in range(FILES):
        common = FUNCTIONS[number % len(FUNCTIONS)]
        text = f'def {common}(value):\n    """{common.replace("_", " ")} number {number}."""\n    return value + {number}\n\n\n'
        _write(root / f"file{number}.py", f"{text}def only_in_{number}():\n    return {common}({number})\n")
    if changed:
        _write(root / "file2.py", 'def brand_new_function():\n    """Upload again what failed."""\n    return 2\n')
        _write(root / "more.py", "def one_more():\n    return cancel_order(9)\n")
        (root / "file5.py").unlink()


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


class Case:
    """A scenario made ready in a folder of its own, and its trials."""

    def __init__(self, scenario: Scenario, injector: Injector, work: Path) -> None:
        self.scenario = scenario
        self._injector = injector
        self.root = work / "project"
        self.root.mkdir(parents=True)
        self._questions = work / "questions.jsonl"
        _write(self._questions, "".join(json.dumps(question) + "\n" for question in QUESTIONS))
        self._before = work / "index-before"
        if scenario.indexed_before:
            write_files(self.root, changed=False)
            assert injector.run(self.root, "index", "--json").code == 0
            if scenario.damaged:
                (cut,) = (self.root / ".clew" / "snapshot").glob("*/arrays.bin")
                cut.write_bytes(cut.read_bytes()[:-1])
            shutil.move(self.root / ".clew", self._before)
        write_files(self.root, changed=scenario.changed)
        assert injector.run(self.root, "index", "--json").code == 0
        expected = _found(self._answers())
        assert expected is not None
        self._expected = expected

    def count(self) -> tuple[str, ...]:
        """The writes that the command comes to when nothing fails."""
        self._reset()
        ended = self._command(0, COUNT, lasting=False)
        assert ended.code == 0, ended
        return ended.log

    def trial(self, at: int, action: int, *, lasting: bool = False) -> str:
        """Let the write fail, and then ask. Returns how it went: right, said or refused; raises AssertionError where an answer is wrong."""
        self._reset()
        ended = self._command(at, action, lasting=lasting)
        assert not ended.is_our_fault, ended
        if ended.code >= 0:
            assert ended.code in {0, *OURS}, ended
            self._judge_reply(ended)
        asked = self._answers()
        assert not asked.is_our_fault, (ended, asked)
        how = self._judge(asked, ended)
        repair = ("index", "--rebuild", "--json") if how == "refused" and "--rebuild" in asked.out else ("index", "--json")
        repaired = self._injector.run(self.root, *repair)
        assert repaired.code == 0, (ended, asked, repaired)
        again = self._answers()
        assert self._judge(again, ended) == "right", (ended, asked, again)
        state = json.loads(self._injector.run(self.root, "status", "--json").out)
        assert state["complete"] and not state["last_error"] and not state["chunks"].get("unembedded"), (ended, state)
        return how

    def _reset(self) -> None:
        shutil.rmtree(self.root / ".clew", ignore_errors=True)
        if self._before.exists():
            shutil.copytree(self._before, self.root / ".clew")

    def _command(self, at: int, action: int, *, lasting: bool) -> Ended:
        scenario = self.scenario
        return self._injector.run(self.root, *scenario.command, at=at, action=action, lasting=lasting, interrupted=scenario.interrupted)

    def _answers(self) -> Ended:
        return self._injector.run(self.root, "search", "--batch", str(self._questions))

    def _judge_reply(self, ended: Ended) -> None:
        """What a command whose write failed says is true, or an error that says what to do."""
        reply = ended.lines
        if ended.code:
            assert reply[-1]["error"]["hint"], ended
        elif self.scenario.command[0] == "search" and not reply[0]["stale"]:
            assert reply[0]["results"][0]["symbol_name"] == "only_in_3", ended

    def _judge(self, asked: Ended, ended: Ended) -> str:
        if _found(asked) == self._expected:
            return "right"
        for answer in asked.lines:
            if "error" in answer:
                assert answer["error"]["code"] == "index_unusable" and "clew index" in answer["error"]["hint"], (ended, asked)
            elif (expected := self._expected[answer["id"]]) != _shown(answer):
                assert any("clew index" in warning for warning in answer["warnings"]), (ended, answer, expected)
        return "refused" if any("error" in answer for answer in asked.lines) else "said"


def _found(asked: Ended) -> dict[str, Any] | None:
    """What each question was told; None where one got none because of an error."""
    if any("error" in answer for answer in asked.lines) or len(asked.lines) != len(QUESTIONS):
        return None
    return {answer["id"]: _shown(answer) for answer in asked.lines}


def _shown(answer: Any) -> tuple[Any, ...]:
    results = [(r["filepath"], r["line_start"], r["line_end"], r["symbol_name"], r["score"], r["code_snippet"]) for r in answer["results"]]
    return (results, answer["warnings"], answer["stale"], answer["confidence"])
