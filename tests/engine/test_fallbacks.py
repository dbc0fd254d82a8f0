"""Does a question find an answer while the model that is set is away, and are vectors of two models kept apart?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clew.assembly import open_engine
from clew.core.answer import Answer, Question
from clew.engine import Engine
from clew.errors import ClewError, MissingExtra, ModelMismatch, Unreachable, UsageError
from clew.index.models import Fallback
from clew.index.updater import Project
from clew.settings import load_settings
from clew.sources.rules import Rules
from clew.stores.embedded import EmbeddedStore
from clew.testing import HashingEmbedder

if TYPE_CHECKING:
    from clew.core.catalog import Vectors

AWAY = Unreachable("the provider does not answer (no connection)", "is the network up?")
QUESTION = "where is the retry of an upload"


class Models:
    """A model that may fail, and one that stands in for it, of the same size."""

    def __init__(self) -> None:
        self.first = HashingEmbedder(32, "first")
        self.second = HashingEmbedder(32, "second")
        self.loading: ClewError | None = None

    def load(self) -> HashingEmbedder:
        if self.loading is not None:
            raise self.loading
        return self.first

    def engine(self, root: Path, *, fallbacks: Sequence[Fallback] | None = None) -> Engine:
        project = Project(root, "home-project", "private", Rules())
        chosen = [Fallback("second:", lambda: self.second)] if fallbacks is None else fallbacks
        store = EmbeddedStore.open(root / ".clew")
        return Engine(project, load_settings(root), store, self.load, fallbacks=chosen)


@pytest.fixture
def models() -> Models:
    return Models()


def ask(engine: Engine, mode: str = "semantic") -> Answer:
    return engine.search(Question(QUESTION, mode=mode, limit=5))


def places(answer: Answer) -> list[tuple[str, str]]:
    return [(result.chunk.filepath, result.chunk.symbol_name) for result in answer.results]


def test_an_outage_after_indexing_is_a_warning_and_its_end_is_noticed(project: Path, models: Models) -> None:
    with models.engine(project) as engine:
        engine.index()
        before = ask(engine)
        models.first.fault = AWAY

        meanwhile = ask(engine)

        assert meanwhile.results
        assert [one for one in meanwhile.warnings if "does not answer" in one and "second" in one]
        models.first.fault = None
        after = ask(engine)
        assert places(after) == places(before)
        assert after.warnings == before.warnings


def test_an_outage_answers_as_an_index_of_the_fallback_alone(project: Path, models: Models, tmp_path: Path) -> None:
    with models.engine(project) as engine:
        engine.index()
        models.first.fault = AWAY
        meanwhile = ask(engine)
    alone = Models()
    alone.first = alone.second
    other = tmp_path / "other"
    project.rename(other)
    with alone.engine(other, fallbacks=()) as engine:
        engine.index(rebuild=True)
        assert places(ask(engine)) == places(meanwhile)


def test_what_an_outage_left_out_is_completed_by_the_next_run(project: Path, models: Models) -> None:
    models.first.fault = AWAY
    with models.engine(project) as engine:
        report = engine.index()
        assert not report.complete
        assert any("first" in warning for warning in report.warnings)
        assert ask(engine).results
        state = engine.status()
        assert state.chunks_unembedded == state.chunks
        assert [one.unembedded for one in state.fallbacks] == [0]
        models.first.fault = None

        again = engine.index()

        assert again.complete
        assert again.chunks_embedded == models.first.embedded > 0
        assert engine.status().chunks_unembedded == 0
        assert not [one for one in ask(engine).warnings if "second" in one]


def test_an_edit_during_an_outage_is_found_in_the_fallbacks_space(project: Path, models: Models) -> None:
    with models.engine(project) as engine:
        engine.index()
        models.first.fault = AWAY
        (project / "new.py").write_text("def retry_of_an_upload(value):\n    return value\n", encoding="utf-8")

        answer = ask(engine)

        assert ("new.py", "retry_of_an_upload") in places(answer)
        models.first.fault = None
        engine.index()
        assert ("new.py", "retry_of_an_upload") in places(ask(engine))
        assert engine.status().chunks_unembedded == 0


@pytest.mark.parametrize("fault", [RuntimeError("broken"), UsageError("the key is refused"), AWAY])
def test_whatever_breaks_the_model_the_fallback_answers(project: Path, models: Models, fault: Exception) -> None:
    with models.engine(project) as engine:
        engine.index()
        models.first.fault = fault
        for mode in ("semantic", "hybrid", "auto"):
            assert ask(engine, mode).results


def test_a_model_that_cannot_be_loaded_is_stood_in_for(project: Path, models: Models) -> None:
    models.loading = AWAY
    with models.engine(project) as engine:
        report = engine.index()
        assert not report.complete
        assert ask(engine).results
    models.loading = None
    with models.engine(project) as engine:
        assert engine.index().complete
        assert not [one for one in ask(engine).warnings if "second" in one]


def test_a_model_that_is_set_wrongly_is_refused_by_an_index_run(project: Path, models: Models) -> None:
    models.loading = MissingExtra("its package is not installed", "pip install it")
    with models.engine(project) as engine, pytest.raises(MissingExtra):
        engine.index()


def test_without_a_fallback_an_outage_is_a_fault_of_a_search_by_meaning(project: Path, models: Models) -> None:
    with models.engine(project, fallbacks=()) as engine:
        engine.index()
        models.first.fault = AWAY
        with pytest.raises(Unreachable):
            ask(engine)
        assert ask(engine, "hybrid").results


def test_another_model_of_the_same_size_is_refused_with_the_command_that_adds_its_vectors(project: Path, models: Models) -> None:
    with models.engine(project) as engine:
        engine.index()
    models.first = HashingEmbedder(32, "third")
    with models.engine(project) as engine:
        with pytest.raises(ModelMismatch) as caught:
            ask(engine)
        assert f"`clew index --mode hybrid {engine.root}`" in caught.value.hint
        answer = ask(engine, "hybrid")
        assert answer.results
        assert any("clew index" in warning for warning in answer.warnings)


def test_a_search_with_another_model_does_not_begin_an_index_of_its(project: Path, models: Models) -> None:
    with models.engine(project) as engine:
        engine.index()
    models.first = HashingEmbedder(32, "third")
    with models.engine(project) as engine:
        (project / "new.py").write_text("def retry_of_an_upload(value):\n    return value\n", encoding="utf-8")
        ask(engine, "hybrid")
        with pytest.raises(ModelMismatch):
            ask(engine)
        assert models.first.embedded == 0


def test_clearing_out_keeps_what_is_set_and_nothing_else(project: Path, models: Models) -> None:
    with models.engine(project) as engine:
        engine.index()
    former, models.first = models.first, HashingEmbedder(32, "third")
    with models.engine(project) as engine:
        engine.index()
        assert engine.gc().forgotten == ("first",)
        models.first.fault = AWAY
        assert ask(engine).results
    models.first = former
    with models.engine(project) as engine, pytest.raises(ModelMismatch):
        ask(engine)


def test_a_fallback_that_is_no_longer_set_goes_with_the_next_run(project: Path, models: Models) -> None:
    with models.engine(project) as engine:
        engine.index()
        assert engine.gc().forgotten == ()
    with models.engine(project, fallbacks=()) as engine:
        engine.index()
        assert engine.gc().forgotten == ("second",)


def test_a_fallback_that_cannot_be_loaded_keeps_its_vectors(project: Path, models: Models) -> None:
    def away() -> HashingEmbedder:
        raise AWAY

    with models.engine(project) as engine:
        engine.index()
    with models.engine(project, fallbacks=[Fallback("second:", away)]) as engine:
        assert any("second:" in warning for warning in engine.index().warnings)
        assert engine.gc().forgotten == ()


def test_the_shipped_model_stands_in_unless_it_is_switched_off(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_engine(project, {"embedder": "static:"}) as engine:
        engine.index()
        assert engine.status().fallbacks == ()
    monkeypatch.setenv("CLEW_FALLBACK", "none")
    with open_engine(project, {"embedder": "static:", "vector_dims": 64}) as engine:
        assert engine.settings.fallback == ("none",)
        engine.index()
        assert engine.status().fallbacks == ()


def test_with_rebuild_every_space_is_made_anew(project: Path, models: Models) -> None:
    with models.engine(project) as engine:
        engine.index()
        engine.index(rebuild=True)
        state = engine.status()
        assert (state.chunks_unembedded, [one.unembedded for one in state.fallbacks]) == (0, [0])
        models.first.fault = AWAY
        assert ask(engine).results


class Hanging(HashingEmbedder):
    """A model that, asked for documents by somebody who waits, gives up at once, and has an answer for who can wait."""

    def hurried(self) -> Hanging:
        return _Hurried(self.space.dims, "first")


class _Hurried(Hanging):
    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        raise Unreachable("the provider does not answer in time", "try again")


def test_a_search_that_takes_in_an_edit_does_not_wait_for_a_model_that_hangs(project: Path, models: Models) -> None:
    models.first = Hanging(32, "first")
    with models.engine(project) as engine:
        engine.index()
        (project / "edited.py").write_text("def reconcile_ledgers():\n    return 1\n", encoding="utf-8")
        answer = engine.search(Question("reconcile_ledgers", mode="fast"))
        assert answer.results[0].chunk.symbol_name == "reconcile_ledgers"
        assert any("does not answer in time" in warning for warning in answer.warnings)
        assert engine.status().chunks_unembedded == 1
        assert engine.index().chunks_embedded == 1, "who asks for an index run waits for the model"
