"""Do init, index, status, outline and doctor keep their contract?"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.core.catalog import Changes
from clew.settings import keys
from clew.stores.embedded import EmbeddedStore

Run = Callable[..., Any]


def test_index_reports_what_it_did(project: Path, clew: Run) -> None:
    done = clew("index", "--json")
    report = done.json
    assert done.code == 0
    assert list(report) == ["namespace", "files", "chunks", "skipped", "warnings", "complete", "seconds"]
    assert report["files"] == {"indexed": 2, "unchanged": 0, "deleted": 0, "skipped": 0}
    assert report["chunks"]["added"] == report["chunks"]["embedded"] > 0
    assert report["complete"] is True


def test_a_second_index_reads_nothing_again(project: Path, clew: Run) -> None:
    clew("index")
    report = clew("index", "--json").json
    assert report["files"] == {"indexed": 0, "unchanged": 2, "deleted": 0, "skipped": 0}
    assert (report["chunks"]["added"], report["chunks"]["embedded"]) == (0, 0)


def test_rebuild_makes_everything_anew(project: Path, clew: Run) -> None:
    clew("index")
    assert clew("index", "--rebuild", "--json").json["files"]["indexed"] == 2


def test_index_mode_fast_embeds_nothing(project: Path, clew: Run) -> None:
    assert clew("index", "--mode", "fast", "--json").json["chunks"]["embedded"] == 0
    assert clew("status", "--json").json["chunks"]["embedded"] == 0


def test_a_skipped_file_is_named_with_its_reason(project: Path, clew: Run) -> None:
    (project / "data.bin").write_bytes(bytes(range(256)) * 10)
    report = clew("index", "--json").json
    (skipped,) = report["skipped"]
    assert skipped["filepath"] == "data.bin"
    assert skipped["reason"]
    assert "skipped data.bin: " in clew("index").out
    assert clew("status", "--json").json["skipped"] == report["skipped"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--mode", "deep"], "deep"),
        (["--mode", "quick"], "quick"),
        (["no/such/folder"], "no/such/folder"),
        (["--bogus"], "--bogus"),
    ],
)
def test_wrong_use_of_index_is_exit_code_2(project: Path, clew: Run, arguments: list[str], said: str) -> None:
    done = clew("index", *arguments, "--json")
    assert done.code == 2
    assert said in done.json["error"]["message"]
    assert not (project / ".clew").exists()


def test_an_illegal_namespace_is_exit_code_2(project: Path, clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_NAMESPACE", "My Project")
    assert clew("index", "--json").code == 2


def test_status_tells_the_same_as_the_report(project: Path, clew: Run) -> None:
    report = clew("index", "--json").json
    done = clew("status", "--json")
    state = done.json
    assert done.code == 0
    assert state["files"] == {"indexed": 2, "skipped": 0}
    assert state["chunks"] == {"total": report["chunks"]["added"], "embedded": report["chunks"]["embedded"]}
    assert state["namespace"] == report["namespace"]
    assert state["languages"] == {"javascript": {"files": 1, "parsed": 1}, "python": {"files": 1, "parsed": 1}}
    assert state["complete"] is True
    assert state["embedder"]
    assert state["vector_dims"] > 0
    assert state["bytes"] > 0
    assert state["indexed_at"] > 0
    assert (state["last_error"], state["writer"]) == ("", "")


def test_status_counts_what_differs_from_the_disk_and_tells_when_a_change_was_taken_in(project: Path, clew: Run) -> None:
    clew("index")
    before = clew("status", "--json").json
    assert (before["behind"], before["written_at"] > 0) == (0, True)

    (project / "new.py").write_text("def brand_new():\n    return 1\n")
    (project / "src" / "basket.py").unlink()
    assert clew("status", "--json").json["behind"] == 2
    assert "2 files changed since" in clew("status").out

    clew("search", "brand_new")
    assert clew("status", "--json").json["behind"] == 0
    assert "up to date  yes" in clew("status").out.replace("   ", "  ")


def test_status_names_who_writes_and_what_went_wrong_last(project: Path, clew: Run) -> None:
    clew("index")
    with EmbeddedStore.open(project / ".clew") as store, store.writer():
        name = store.namespaces()[0]
        store.apply(Changes(name, facts={"last_error": "the model was lost"}))
        state = clew("status", "--json").json
        assert f"process {os.getpid()}" in state["writer"]
        assert state["last_error"] == "the model was lost"
        assert "the model was lost" in clew("status").out
    assert clew("status", "--json").json["writer"] == ""


def test_status_tells_the_size_on_the_disk(project: Path, clew: Run) -> None:
    clew("index")
    there = sum(path.stat().st_size for path in (project / ".clew").rglob("*") if path.is_file())
    assert there <= clew("status", "--json").json["bytes"] <= there + 2**16  # SQLite's readers share some pages while they read


def test_a_project_without_a_file_is_named_as_such(tmp_path: Path, clew: Run) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "there is no file to index" in clew("index", empty).out
    assert "right folder" in clew("search", "anything", "--path", empty, "--json").json["hint"]


def test_status_on_paper_names_the_state(project: Path, clew: Run) -> None:
    clew("index")
    done = clew("status")
    assert "state      complete" in done.out.replace("  ", " ").replace("  ", " ") or "complete" in done.out
    assert "python 1" in done.out


@pytest.mark.parametrize("path", [".", "src"])
def test_status_without_an_index_is_exit_code_3_and_makes_none(project: Path, clew: Run, path: str) -> None:
    done = clew("status", path, "--json")
    assert done.code == 3
    assert done.json["error"]["code"] == "no_index"
    assert "clew index" in done.json["error"]["hint"]
    assert not (project / ".clew").exists()
    assert clew("status", path).out == ""


def test_outline_shows_a_files_definitions_from_here_or_from_the_root(project: Path, clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["Basket", "Basket.__init__", "Basket.add_item", "Basket.total_price"]
    clew("index")
    done = clew("outline", "src/basket.py", "--json")
    assert done.code == 0
    assert done.json["filepath"] == "src/basket.py"
    assert [definition["qualified_name"] for definition in done.json["definitions"]] == names
    monkeypatch.chdir(project / "src")
    for spelling in ("basket.py", "../src/basket.py", "src/basket.py", project / "src" / "basket.py"):
        assert clew("outline", spelling, "--json").json["filepath"] == "src/basket.py"


def test_outline_is_a_tree_on_paper(project: Path, clew: Run) -> None:
    out = clew("outline", "src/basket.py").out.split("\n")
    assert out[0].startswith("     4-16     class Basket")
    assert out[2].startswith("    10-12       def add_item")


def test_outline_of_a_file_elsewhere_leaves_nothing_there(project: Path, clew: Run, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "tool.py").write_text("def run_tool():\n    return 1\n")

    done = clew("outline", elsewhere / "tool.py", "--json")

    assert [definition["name"] for definition in done.json["definitions"]] == ["run_tool"]
    assert [path.name for path in elsewhere.iterdir()] == ["tool.py"]
    assert clew("outline", elsewhere / "none.py", "--json").code == 2


def test_outline_makes_no_index_where_there_is_none(project: Path, clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "src")
    for arguments in (("basket.py",), (project / "web" / "mail.js",), ("src/basket.py", "--path", project)):
        assert clew("outline", *arguments, "--json").json["definitions"]
    assert not list(project.rglob(".clew"))


def test_outline_of_a_folder_lists_its_files_with_their_outermost_definitions(project: Path, clew: Run) -> None:
    done = clew("outline", "src", "--json")
    assert (done.code, done.json["error"]["code"]) == (3, "no_index")
    clew("index")
    assert clew("outline", "src").out == "src/basket.py\n     4-16     class Basket\n"
    found = clew("outline", ".", "--json").json
    assert (found["folder"], [one["filepath"] for one in found["files"]]) == (".", ["src/basket.py", "web/mail.js"])
    assert [one["name"] for one in found["files"][0]["definitions"]] == ["Basket", "__init__", "add_item", "total_price"]
    (project / "empty").mkdir()
    assert clew("outline", "empty").code == 1


def test_outline_without_definitions_is_exit_code_1(project: Path, clew: Run) -> None:
    (project / "notes.txt").write_text("nothing here has a name\n")
    done = clew("outline", "notes.txt", "--json")
    assert (done.code, done.json["definitions"]) == (1, [])


@pytest.mark.parametrize("file", ["missing.py", "/etc/hostname", "../../outside.py"])
def test_outline_of_what_is_no_file_of_the_project_is_wrong_use(project: Path, clew: Run, file: str) -> None:
    done = clew("outline", file, "--path", project, "--json")
    assert done.code == 2
    assert file in done.json["error"]["message"]


def test_init_writes_a_file_that_changes_nothing_and_never_overwrites(project: Path, clew: Run) -> None:
    done = clew("init")
    target = project / "clew.toml"
    assert (done.code, done.out) == (0, f"wrote {target}\n")
    assert tomllib.loads(target.read_text()) == {}
    target.write_text("limit = 3\n")
    again = clew("init", "--json")
    assert again.code == 2
    assert "clew.toml" in again.json["error"]["message"]
    assert target.read_text() == "limit = 3\n"


def test_doctor_tries_every_component_and_shows_every_setting(project: Path, clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LIMIT", "7")
    done = clew("doctor", "--json")
    assert done.code == 0
    assert done.json["ok"] is True
    settings = {row["name"]: row for row in done.json["settings"]}
    assert set(settings) == {key.name for key in keys()}
    assert settings["limit"] == {"name": "limit", "value": 7, "origin": "environment CLEW_LIMIT"}
    states = {check["name"]: check["state"] for check in done.json["checks"]}
    assert {"python", "sqlite", "git", "grammars", "lancedb", "embedder", "index folder", "index"} <= set(states)
    assert set(states.values()) == {"ok"}
    assert not (project / ".clew").exists()


def test_doctor_finds_a_component_that_does_not_work(project: Path, clew: Run) -> None:
    (project / "clew.toml").write_text('embedder = "static:/no/such/model"\n')
    done = clew("doctor", "--json")
    assert done.code == 1
    assert done.json["ok"] is False
    assert {check["name"]: check["state"] for check in done.json["checks"]}["embedder"] == "failed"


def test_doctor_says_what_is_wrong_with_the_settings(project: Path, clew: Run) -> None:
    (project / "clew.toml").write_text("limit = 0\n")
    done = clew("doctor")
    assert done.code == 1
    assert "failed   settings: limit in " in done.out


def test_doctor_sees_the_index(project: Path, clew: Run) -> None:
    clew("index")
    checks = {check["name"]: check for check in clew("doctor", "--json").json["checks"]}
    assert checks["index"]["state"] == "ok"
    assert "2 files" in checks["index"]["detail"]


def test_version_and_help_are_on_stdout(clew: Run) -> None:
    assert clew("--version").out.startswith("clew ")
    assert clew().out == clew("--help").out
    assert (clew().code, clew("search", "-h").code) == (0, 0)
