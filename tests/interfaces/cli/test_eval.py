"""`clew eval`: questions from a project's own code, asked of a copy of it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.interfaces.conftest import Done

Run = Callable[..., Done]
MODES = ["grep", "fast", "semantic", "hybrid"]


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file() and ".git/" not in str(path)}


@pytest.fixture
def shop(project: Path) -> Path:
    """The project with more documentation to ask from."""
    for number, (name, words) in enumerate(
        {
            "parse_header": "Split the header of a request into its fields.",
            "renew_passport": "Issue a fresh document for a traveller before the old one expires.",
            "count_sheep": "Tell how many animals have jumped over the fence tonight.",
        }.items()
    ):
        (project / "src" / f"part{number}.py").write_text(
            f'def {name}(value):\n    """{words}"""\n    return {name.split("_")[1]}(value)\n'
        )
    return project


def test_questions_from_documentation_are_asked_in_every_mode_and_nothing_changes(shop: Path, clew: Run) -> None:
    before = contents(shop)
    done = clew("eval", ".", "--json")
    assert done.code == 0
    assert contents(shop) == before
    assert list(done.json) == ["root", "questions", "seed", "files", "chunks", "budget", "rows", "notes", "seconds"]
    assert [row["mode"] for row in done.json["rows"]] == MODES
    assert done.json["questions"]["docstring"] == done.json["questions"]["asked"] >= 4
    for row in done.json["rows"]:
        assert 0 <= row["interval"][0] <= row["right_file_first"] <= row["interval"][1] <= 1
        assert row["tokens"] <= 2_000


def test_what_is_missing_is_said(shop: Path, clew: Run) -> None:
    assert any("git" in note for note in clew("eval", "--json").json["notes"])
    for path in shop.rglob("*.py"):
        path.write_text("def undocumented():\n    return 1\n")
    (shop / "web" / "mail.js").unlink()
    done = clew("eval", "--json")
    assert done.code == 1
    assert done.json["rows"] == []
    assert len(done.json["notes"]) == 2


def test_the_words_of_a_question_are_in_no_answer(shop: Path, clew: Run) -> None:
    """Grep, which only knows words, cannot find what was cut out."""
    own = shop.parent / "own.jsonl"
    own.write_text(json.dumps({"query": "animals jumped fence tonight", "files": ["src/part2.py"]}) + "\n")
    kept = {row["mode"]: row for row in clew("eval", "--json", "--from", own).json["rows"]}
    assert kept["grep"]["right_file_first"] == 1
    row = {"query": "animals jumped fence tonight", "files": ["src/part2.py"], "kind": "docstring", "symbol": "count_sheep"}
    own.write_text(json.dumps(row) + "\n")
    cut = {row["mode"]: row for row in clew("eval", "--json", "--from", own).json["rows"]}
    assert cut["grep"]["mrr"] == 0


def test_saved_questions_asked_again_give_the_same_scores(shop: Path, clew: Run) -> None:
    first = clew("eval", "--json", "--save", shop.parent / "saved.jsonl").json
    again = clew("eval", "--json", "--from", shop.parent / "saved.jsonl").json
    assert again["rows"] == first["rows"]


def test_the_same_seed_draws_the_same_questions(shop: Path, clew: Run) -> None:
    def drawn(seed: int) -> str:
        clew("eval", "--questions", 2, "--seed", seed, "--save", shop.parent / "drawn.jsonl")
        return (shop.parent / "drawn.jsonl").read_text()

    assert drawn(1) == drawn(1)
    assert drawn(1).count("\n") == 2
    assert len({drawn(seed) for seed in range(1, 5)}) > 1


def test_documentation_that_stands_elsewhere_too_is_not_asked(shop: Path, clew: Run) -> None:
    (shop / "NOTES.txt").write_text("Tell how many animals have jumped over the fence tonight.\n")
    clew("eval", "--save", shop.parent / "saved.jsonl")
    assert "animals" not in (shop.parent / "saved.jsonl").read_text()


def test_commits_are_asked_beside_documentation(shop: Path, clew: Run) -> None:
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.c", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.c"}
    for command in (["init", "-q"], ["add", "src/part1.py"], ["commit", "-qm", "Travellers get passports renewed in time"]):
        subprocess.run(["git", *command], cwd=shop, check=True, capture_output=True, env={**os.environ, **who})
    done = clew("eval", "--json").json
    assert done["questions"]["commit"] == 1
    assert [row["kind"] for row in done["rows"]] == ["all"] * 4 + ["docstring"] * 4 + ["commit"] * 4
    table = clew("eval").out
    assert "right file first" in table
    assert "commits" in table


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"files": ["a"]}', "no query"),
        ('{"query": "x", "files": "a"}', "files"),
        ('{"query": "x", "files": ["a"], "kind": "y"}', "kind"),
        ('{"query": "where is it", "files": ["absent.py"]}', "indexed"),
        ("", "no questions"),
    ],
)
def test_a_file_of_questions_that_is_none_is_refused(shop: Path, clew: Run, line: str, said: str) -> None:
    (shop / "own.jsonl").write_text(line + "\n")
    done = clew("eval", "--json", "--from", "own.jsonl")
    assert done.code == 2
    assert said in json.dumps(done.json["error"])


def test_wrong_use_is_refused(shop: Path, clew: Run) -> None:
    for options in (["--questions", "0"], ["--from", "absent.jsonl"], ["absent-folder"], ["--save", "absent/folder/x.jsonl"]):
        assert clew("eval", "--json", *options).code == 2, options


def test_hostile_files_are_no_fault(shop: Path, clew: Run) -> None:
    (shop / "src" / "hostile.py").write_bytes(
        b'def f():\n    """\xed\xa0\x80 Odd words \xe2\x80\xa8 of many kinds stand \x00 in here.\x1b[31m"""\n    return "\xff\xfe"\n'
    )
    (shop / "src" / "latin.py").write_bytes(
        'def g():\n    """Größe und Länge aller Dinge werden hier genau gemessen."""\n'.encode("latin-1")
    )
    done = clew("eval")
    assert done.code == 0
    assert "\x1b" not in done.out
