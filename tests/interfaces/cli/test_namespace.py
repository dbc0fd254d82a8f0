"""Does `clew namespace` say whose a namespace is, and let in and out whom it should?"""

from __future__ import annotations

import getpass
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
ME = getpass.getuser()


@pytest.fixture
def indexed(project: Path, clew: Run) -> str:
    """The name of the project's own namespace."""
    assert clew("index").code == 0
    name: str = clew("status", "--json").json["namespace"]
    return name


def test_what_there_is_is_listed_and_told(project: Path, indexed: str, clew: Run) -> None:
    (one,) = clew("namespace", "list", "--json").json["namespaces"]
    assert (one["namespace"], one["visibility"], one["role"], one["files"]) == (indexed, "private", "admin", 2)
    assert clew("namespace", "info", "--json").json == one
    assert clew("namespace", "list").out.startswith(f"{indexed}  private  2 files  ")
    assert "your role   admin" in clew("namespace", "info", indexed).out


def test_a_visibility_counts_for_what_is_indexed_and_stays_when_files_change(
    project: Path, indexed: str, clew: Run, tmp_path: Path
) -> None:
    before = clew("search", "--json", "total_price").json
    done = clew("namespace", "visibility", "public", "--json").json
    assert (done["visibility"], done["owner"], done["chunks"]) == ("public", ME, before and done["chunks"])
    after = clew("search", "--json", "total_price").json
    assert (after["warnings"], after["stale"]) == ([], False)
    assert [(one["id"], one["score"]) for one in after["results"]] == [(one["id"], one["score"]) for one in before["results"]]
    assert clew("index", "--json").json["chunks"]["embedded"] == 0
    (project / "src" / "new.py").write_text("def new_thing():\n    return 1\n")
    assert clew("search", "--json", "new_thing").json["results"][0]["symbol_name"] == "new_thing"
    assert clew("namespace", "info", "--json").json["visibility"] == "public"
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("def a():\n    return 1\n")
    assert clew("mount", str(project), "--path", str(other), "--json").json["namespaces"] == [indexed]
    assert clew("namespace", "visibility", "private").code == 0
    assert "nothing that may be mounted" not in clew("mount", str(project), "--path", str(other)).err, "it is ours"


def test_a_name_is_taken_granted_and_given_up(project: Path, indexed: str, clew: Run) -> None:
    made = clew("namespace", "create", "payments", "--visibility", "team", "--team", "red", "--json").json
    assert (made["owner"], made["team"], made["visibility"], made["chunks"]) == (ME, "red", "team", 0)
    assert clew("namespace", "create", "payments").code == 2
    assert clew("namespace", "create", "No Good").code == 2
    assert clew("namespace", "grant", "viewer", "ann", "payments", "--json").json["grants"] == {"ann": "viewer"}
    assert clew("namespace", "grant", "none", "ann", "payments", "--json").json["grants"] == {}
    asked = clew("namespace", "delete", "payments")
    assert asked.code == 2 and "--yes" in asked.err
    assert clew("namespace", "delete", "payments", "--yes").code == 0
    assert clew("namespace", "info", "payments").code == 2
    assert clew("search", "--json", "total_price").json["results"], "the project's own stays"


@pytest.mark.parametrize(
    "arguments", [["info", "nobody"], ["visibility", "public", "nobody"], ["grant", "viewer", "ann", "nobody"], ["delete", "nobody"]]
)
def test_one_that_there_is_not_is_refused_in_the_same_words_by_each_command(
    project: Path, indexed: str, clew: Run, arguments: list[str]
) -> None:
    done = clew("namespace", *arguments, "--json")
    assert (done.code, done.json["error"]["message"]) == (2, "there is no namespace 'nobody' that you may use")


def test_without_an_index_there_is_nothing_to_say(project: Path, clew: Run) -> None:
    assert clew("namespace", "list").code == 3
    assert not (project / ".clew").exists()
