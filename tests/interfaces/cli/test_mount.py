"""Are another project's chunks found where they are mounted, and nowhere else?"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.provider_server import KEY, provider_server

Run = Callable[..., Any]
LEDGER = 'def reconcile_ledger(entries):\n    """Reconcile the ledger with the bank statement."""\n    return sum(entries)\n'


@pytest.fixture
def library(tmp_path: Path, clew: Run) -> Path:
    """Another project, public and indexed."""
    root = tmp_path / "library"
    (root / "src").mkdir(parents=True)
    (root / "src" / "ledger.py").write_text(LEDGER)
    (root / "clew.toml").write_text('visibility = "public"\nnamespace = "library"\n')
    assert clew("index", str(root)).code == 0
    return root


def found(answer: Any) -> list[tuple[str, str]]:
    return [(result["namespace"], result["filepath"]) for result in answer["results"]]


def test_what_is_mounted_is_found_beside_the_projects_own_and_named_by_its_namespace(project: Path, library: Path, clew: Run) -> None:
    asked = ("search", "--json", "where is the ledger reconciled with the bank statement")
    assert ("library", "src/ledger.py") not in found(clew(*asked).json)
    done = clew("mount", str(library), "--json")
    assert (done.code, done.json) == (0, {"mounted": str(library), "namespaces": ["library"]})
    answer = clew(*asked).json
    first = answer["results"][0]
    assert (first["namespace"], first["filepath"]) == ("library", "src/ledger.py")
    assert first["absolute_path"] == str(library / "src" / "ledger.py")
    assert first["code_snippet"] == LEDGER.rstrip("\n")
    assert not first["from_index"]
    assert answer["confidence"] in ("high", "medium")
    text = clew("search", "where is the ledger reconciled with the bank statement").out
    assert text.startswith(f"library  {library}/src/ledger.py:1-3  reconcile_ledger")


def test_the_projects_own_answers_stay_as_they_were(project: Path, library: Path, clew: Run) -> None:
    before = clew("search", "--json", "total_price").json
    clew("mount", str(library))
    after = clew("search", "--json", "total_price").json
    assert after["results"] == before["results"]
    assert after["confidence_score"] == before["confidence_score"]


def test_a_question_may_name_the_namespaces_that_are_asked(project: Path, library: Path, clew: Run) -> None:
    clew("mount", str(library))
    alone = clew("search", "--json", "--namespace", "library", "reconcile ledger statement").json
    assert {namespace for namespace, _ in found(alone)} == {"library"}
    nobody = clew("search", "--json", "--namespace", "nobody", "reconcile ledger")
    assert (nobody.code, nobody.json["error"]["code"]) == (2, "usage")
    own = clew("status", "--json").json["namespace"]
    assert {namespace for namespace, _ in found(clew("search", "--json", "--namespace", own, "reconcile ledger").json)} <= {own}


def test_a_private_project_cannot_be_mounted(project: Path, library: Path, clew: Run) -> None:
    (library / "clew.toml").write_text('namespace = "library"\n')
    assert clew("index", str(library)).code == 0
    done = clew("mount", str(library))
    assert done.code == 2
    assert "nothing that may be mounted" in done.err
    assert "clew namespace visibility public" in done.err
    assert clew("mount", "--json").json == {"mounts": []}
    named = clew("mount", str(library), "--namespace", "library")
    absent = clew("mount", str(library), "--namespace", "nothing")
    assert named.err.replace("library", "…") == absent.err.replace("nothing", "…").replace("library", "…"), "both are refused alike"


def test_a_mount_that_is_closed_again_or_gone_costs_a_warning_and_no_answer(project: Path, library: Path, clew: Run) -> None:
    clew("mount", str(library))
    (library / "clew.toml").write_text('namespace = "library"\n')
    clew("index", str(library))
    closed = clew("search", "--json", "total_price").json
    assert {namespace for namespace, _ in found(closed)} == {clew("status", "--json").json["namespace"]}
    shutil.rmtree(library)
    gone = clew("search", "--json", "total_price").json
    assert gone["results"] == closed["results"]
    assert any(str(library) in warning and "--remove" in warning for warning in gone["warnings"])
    listed = clew("mount")
    assert "there is no folder" in listed.err
    assert clew("mount", "--remove", str(library)).code == 0
    assert clew("search", "--json", "total_price").json["warnings"] == []


def test_a_mounted_file_that_changed_is_shown_from_the_index_and_marked(project: Path, library: Path, clew: Run) -> None:
    clew("mount", str(library))
    (library / "src" / "ledger.py").write_text("# moved\n" + LEDGER)
    first = clew("search", "--json", "--namespace", "library", "reconcile ledger").json["results"][0]
    assert first["from_index"]
    assert any("changed" in reason for reason in first["reasons"])


def test_a_projects_file_may_mount_folders_and_send_questions_nowhere(project: Path, library: Path, clew: Run) -> None:
    (project / "clew.toml").write_text('[[mounts]]\nstore = "../library"\nnamespaces = ["library"]\n')
    answer = clew("search", "--json", "where is the ledger reconciled with the bank statement").json
    assert found(answer)[0] == ("library", "src/ledger.py")
    (project / "clew.toml").write_text('[[mounts]]\nstore = "mongodb://attacker.example/x"\n')
    refused = clew("search", "--json", "total_price").json
    assert refused["results"]
    assert any("for you to say" in warning for warning in refused["warnings"])


@pytest.mark.parametrize(
    "content",
    ['mounts = "x"', "[[mounts]]\n", "[[mounts]]\nstore = 3\n", '[[mounts]]\nstore = "x"\nnamespaces = "y"\n', '[[mounts]]\nstore = "x"\nurl = "y"\n'],
)  # fmt: skip
def test_a_wrong_section_is_named(project: Path, clew: Run, content: str) -> None:
    (project / "clew.toml").write_text(content)
    done = clew("search", "total_price")
    assert done.code == 2
    assert "clew.toml" in done.err


def test_a_batch_and_python_ask_mounts_too(project: Path, library: Path, clew: Run, tmp_path: Path) -> None:
    clew("mount", str(library))
    batch = tmp_path / "batch.jsonl"
    batch.write_text(json.dumps({"id": 1, "query": "reconcile the ledger", "namespace": ["library"]}) + "\n")
    done = clew("search", "--batch", str(batch))
    assert found(json.loads(done.out)) == [("library", "src/ledger.py")]


def test_a_mount_is_searched_by_the_fallback_while_the_model_is_away(
    project: Path, tmp_path: Path, clew: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "shelf"
    root.mkdir()
    (root / "ledger.py").write_text(LEDGER)
    (root / "clew.toml").write_text('visibility = "public"\nnamespace = "shelf"\n')
    monkeypatch.setenv("VOYAGE_API_KEY", KEY)
    monkeypatch.setenv("CLEW_EMBEDDER", "voyage:voyage-4@256")
    with provider_server() as server:
        monkeypatch.setenv("VOYAGE_BASE_URL", f"{server.address}/voyage/v1")
        assert {clew("index", str(one)).code for one in (root, project)} == {0}
        clew("mount", str(root))
        server.always = 401  # at once, where an outage is asked for again
        away = clew("search", "--json", "--namespace", "shelf", "--mode", "semantic", "reconcile the ledger with the bank").json
    assert found(away) == [("shelf", "ledger.py")]
    assert any(one.startswith(f"{root}: ") and "static:" in one and "searched instead" in one for one in away["warnings"])
