"""Can somebody else's embedder be used by naming it? A package with an entry point, installed as pip would leave it."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.assembly import open_engine
from clew.core.answer import Question
from clew.errors import UsageError
from clew.plugins import load_embedder

MODULE = """
from clew.testing import HashingEmbedder

def load(model, dims):
    return HashingEmbedder(dims or 24, f"acme {model}")

class Unreachable(HashingEmbedder):
    def embed_documents(self, texts):
        raise ConnectionError("nobody answers")

def unreachable(model, dims):
    return Unreachable(24, f"acme {model}")
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    described = site / "clew_acme-1.0.dist-info"
    described.mkdir(parents=True)
    (site / "clew_acme.py").write_text(MODULE, encoding="utf-8")
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: clew-acme\nVersion: 1.0\n", encoding="utf-8")
    points = "[clew.embedders]\nacme = clew_acme:load\nlost = clew_acme_lost:load\nunreachable = clew_acme:unreachable\nbent = clew_acme:nothing\n"
    (described / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))


@pytest.mark.usefixtures("installed")
def test_an_embedder_of_another_package_indexes_and_searches(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "mail.py").write_text("def send_mail(to):\n    return to\n", encoding="utf-8")
    with open_engine(root, {"embedder": "acme:large", "vector_dims": 16}) as engine:
        assert engine.index().chunks_embedded == 1
        assert (engine.status().embedder, engine.status().vector_dims) == ("acme large", 16)
        answer = engine.search(Question("send mail", mode="semantic"))
    assert [result.chunk.symbol_name for result in answer.results] == ["send_mail"]


@pytest.mark.usefixtures("installed")
def test_an_index_whose_embedder_failed_does_not_look_complete_and_is_finished_by_the_next_run(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "mail.py").write_text("def send_mail(to):\n    return to\n", encoding="utf-8")
    with open_engine(root, {"embedder": "unreachable:large"}) as engine:
        report = engine.index()
        state = engine.status()
        answer = engine.search(Question("send mail"))
    assert (report.indexed, report.complete) == (1, False)
    assert (state.complete, state.chunks_unembedded, state.last_error) == (False, 1, "ConnectionError: nobody answers")
    assert answer.results
    assert any("not complete" in warning for warning in answer.warnings)
    with open_engine(root, {"embedder": "acme:large"}) as engine:
        assert (engine.index().complete, engine.status().complete, engine.status().last_error) == (True, True, "")


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("spec", ["lost:x", "bent:x"])
def test_a_broken_plugin_is_named(spec: str) -> None:
    with pytest.raises(UsageError, match=spec.partition(":")[0]):
        load_embedder(spec, None)


@pytest.mark.usefixtures("installed")
def test_an_unknown_provider_is_answered_with_those_that_there_are() -> None:
    with pytest.raises(UsageError) as fault:
        load_embedder("nobody:x", None)
    assert "acme:" in fault.value.hint
    assert "static:" in fault.value.hint
