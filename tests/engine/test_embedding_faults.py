"""What does an index run do where its paid model refuses a text, goes down, or costs too much? It goes on, says so, and the next run completes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina
from tests.provider_server import KEY, ProviderServer, provider_server

from clew.assembly import open_engine
from clew.core.answer import Question

MODEL = "voyage:voyage-code-3@256"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    with provider_server() as running, stamina.set_testing(True, attempts=2, cap=True):
        monkeypatch.setenv("VOYAGE_API_KEY", KEY)
        monkeypatch.setenv("VOYAGE_BASE_URL", f"{running.address}/voyage/v1")
        monkeypatch.setenv("CLEW_EMBEDDER", MODEL)
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for number in range(30):
        functions = (f"def step_{one}(value):\n    return value * {one}\n" for one in range(number * 5, number * 5 + 5))
        (root / f"steps{number}.py").write_text("\n\n".join(functions), "utf-8")
    return root


def test_a_refused_text_is_named_and_the_others_are_embedded(project: Path, server: ProviderServer) -> None:
    server.refused = {"def step_77("}
    with open_engine(project) as engine:
        report = engine.index()
        assert any("step_77" in warning and "refuses a text" in warning for warning in report.warnings)
        assert report.chunks_embedded == report.chunks_added - 1
        assert engine.status().chunks_unembedded == 1
        assert len(server.paid) == len(set(server.paid)) == report.chunks_embedded

    server.refused = set()
    with open_engine(project) as engine:
        assert engine.index().chunks_embedded == 1
        assert engine.status().chunks_unembedded == 0


def test_a_provider_that_goes_down_leaves_the_rest_for_the_next_run(project: Path, server: ProviderServer) -> None:
    server.plan, server.always = [None, None], 503
    with open_engine(project) as engine:
        report = engine.index()
        assert not report.complete
        assert any("not embedded" in warning and "does not answer" in warning for warning in report.warnings)
        assert report.chunks_embedded == len(server.paid) > 0
        assert engine.search(Question("step_77", mode="fast")).results
        assert len(server.seen) < 30

    server.always = None
    with open_engine(project) as engine:
        assert engine.index().complete
        assert engine.status().chunks_unembedded == 0
        assert len(server.paid) == len(set(server.paid)) == engine.status().chunks


def test_a_run_stops_at_its_bound_and_the_next_goes_on(project: Path, server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_engine(project) as engine:
        whole = engine.estimate()
    assert whole.cost.texts == 150
    assert whole.cost.dollars
    assert server.seen == []
    with open_engine(project, {"max_cost": f"{whole.cost.dollars / 2:.4f}"}) as engine:
        report = engine.index()
        assert any("bound" in warning for warning in report.warnings)
        assert 0 < report.chunks_embedded < 150
    with open_engine(project) as engine:
        assert engine.index().complete
    assert len(server.paid) == len(set(server.paid)) == 150


def test_what_was_paid_for_one_copy_is_not_in_the_estimate_of_another(project: Path, server: ProviderServer, tmp_path: Path) -> None:
    with open_engine(project) as engine:
        engine.index()
    other = tmp_path / "other"
    other.mkdir()
    for path in project.glob("*.py"):
        (other / path.name).write_bytes(path.read_bytes())
    (other / "new.py").write_text("def quite_new():\n    return 1\n", "utf-8")
    with open_engine(other) as engine:
        found = engine.estimate()
        assert (found.files, found.cost.texts) == (31, 1)
        paid = len(server.paid)
        engine.index()
    assert len(server.paid) == paid + 1


def test_no_key_is_in_what_is_written(project: Path, server: ProviderServer) -> None:
    server.key = "another"
    with open_engine(project) as engine:
        report = engine.index()
    assert any("refuses the key" in warning for warning in report.warnings)
    assert KEY not in json.dumps(report.warnings)
    assert not [path for path in (project / ".clew").rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
