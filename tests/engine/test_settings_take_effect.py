"""Does every setting that shapes an index do what it says, also when it is changed later?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clew.assembly import open_engine
from clew.core.answer import Answer, IndexReport, Question
from clew.errors import UsageError
from clew.index.updater import Progress
from clew.stores.embedded import EmbeddedStore


def index(root: Path, **settings: object) -> IndexReport:
    with open_engine(root, settings) as engine:
        return engine.index()


def ask(root: Path, text: str = "only_in_3", mode: str = "fast", **settings: object) -> Answer:
    with open_engine(root, settings) as engine:
        return engine.search(Question(text, mode=mode))


def stop(progress: Progress) -> None:
    if progress.phase == "reading":
        raise KeyboardInterrupt


@pytest.mark.parametrize("allowed", [-1, 60_000])
def test_a_search_takes_the_time_that_it_may(project: Path, allowed: int) -> None:
    index(project)
    for number in range(20):
        (project / f"more{number}.py").write_text(f"def later_{number}():\n    return {number}\n", encoding="utf-8")
    answer = ask(project, "later_17", freshness_ms=allowed)
    assert not answer.stale
    assert answer.results[0].chunk.symbol_name == "later_17"


def test_a_search_without_time_says_that_it_is_stale(project: Path) -> None:
    index(project)
    for number in range(20):
        (project / f"more{number}.py").write_text(f"def later_{number}():\n    return {number}\n", encoding="utf-8")
    answer = ask(project, "later_17", freshness_ms=0)
    assert answer.stale
    assert answer.warnings


def test_another_visibility_is_carried_by_every_chunk_and_costs_no_embedding(project: Path) -> None:
    index(project)
    assert any("visibility" in warning for warning in ask(project, visibility="public").warnings)
    report = index(project, visibility="public")
    assert (report.indexed, report.chunks_embedded) == (12, 0)
    with EmbeddedStore.open(project / ".clew") as store:
        (name,) = store.namespaces()
        assert store.facts(name)["visibility"] == "public"
    assert index(project, visibility="public").unchanged == 12


def test_a_change_of_visibility_that_was_interrupted_is_finished_by_the_next_run(project: Path) -> None:
    index(project)
    (project / "part0" / "file0.py").write_text("def changed():\n    return 1\n", encoding="utf-8")
    with open_engine(project, {"visibility": "public"}) as engine, pytest.raises(KeyboardInterrupt):
        engine.index(progress=stop)
    index(project, visibility="public")
    with open_engine(project, {"visibility": "public"}) as engine:
        found = engine.search(Question("create user cancel order retry upload parse header", limit=50, mode="fast"))
    assert {result.chunk.visibility for result in found.results} == {"public"}


def test_a_project_that_gets_another_name_keeps_its_embeddings_and_not_the_old_name(project: Path) -> None:
    index(project)
    report = index(project, namespace="another-name")
    assert (report.indexed, report.chunks_embedded) == (12, 0)
    with EmbeddedStore.open(project / ".clew") as store:
        assert store.namespaces() == ("another-name",)
    assert index(project).namespace == "another-name"


def test_projects_that_share_an_index_folder_keep_apart(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "elsewhere.py").write_text("def only_elsewhere():\n    return 1\n", encoding="utf-8")
    shared = str(tmp_path / "shared")
    names = {index(root, index_dir=shared).namespace for root in (project, other)}
    assert len(names) == 2
    assert ask(project, index_dir=shared).results
    assert not ask(other, index_dir=shared).results
    assert index(project, index_dir=shared).unchanged == 12


def test_a_project_that_is_moved_with_its_index_keeps_its_name(project: Path, tmp_path: Path) -> None:
    name = index(project).namespace
    project.rename(tmp_path / "moved")
    assert index(tmp_path / "moved").namespace == name


def test_status_tells_of_the_model_that_the_last_run_used(project: Path) -> None:
    index(project)
    index(project, vector_dims=64)
    (project / "more.py").write_text("def later():\n    return 1\n", encoding="utf-8")
    index(project, vector_dims=64)
    with open_engine(project) as engine:
        state = engine.status()
    assert (state.vector_dims, state.chunks_unembedded) == (64, 0)


def test_an_index_without_vectors_names_no_embedder(project: Path) -> None:
    with open_engine(project) as engine:
        engine.index(mode="fast")
        assert (engine.status().embedder, engine.status().vector_dims) == ("", 0)


@pytest.mark.parametrize("embedder", ["nobody:x", "static:/nowhere"])
def test_words_are_searched_in_changed_files_where_the_model_that_is_set_cannot_be_had(project: Path, embedder: str) -> None:
    index(project)
    (project / "more.py").write_text("def later():\n    return 1\n", encoding="utf-8")
    answer = ask(project, "later", embedder=embedder)
    assert answer.results[0].chunk.symbol_name == "later"
    assert any("not embedded" in warning for warning in answer.warnings)
    index(project)
    with open_engine(project) as engine:
        assert engine.status().chunks_unembedded == 0, "the model that comes with clew stood in at once, or took it in now"


def without_vectors(root: Path) -> None:
    with open_engine(root) as engine:
        engine.index(mode="fast")


def of_another_model(root: Path) -> None:
    index(root, vector_dims=64)


@pytest.mark.parametrize("update", [without_vectors, of_another_model])
def test_chunks_without_a_vector_are_said_to_be_missing_from_meaning(project: Path, update: Callable[[Path], None]) -> None:
    index(project)
    (project / "more.py").write_text('def celsius():\n    """The temperature outside."""\n', encoding="utf-8")
    update(project)
    for mode in ("semantic", "hybrid"):
        assert any("1 chunk has no vector" in warning for warning in ask(project, "temperature", mode).warnings)
    index(project)
    with open_engine(project) as engine:
        engine.index(mode="hybrid")
    assert not ask(project, "temperature", "semantic").warnings


def test_a_plain_text_is_asked_as_the_settings_say(project: Path) -> None:
    with open_engine(project, {"mode": "fast", "limit": 2, "max_tokens": 300}) as engine:
        engine.index()
        answer = engine.search("value number")
        assert (answer.mode, len(answer.results)) == ("fast", 2)
        assert 0 < answer.tokens <= 300
        assert engine.question("x") == Question("x", mode="fast", limit=2, max_tokens=300)


def test_vectors_live_in_chroma_where_the_project_says_so(project: Path) -> None:
    (project / "clew.toml").write_text('store = "chroma"\n', encoding="utf-8")
    assert index(project).complete
    assert (project / ".clew" / "chunks.chroma" / "chroma.sqlite3").is_file() and not (project / ".clew" / "chunks.lance").exists()
    answer = ask(project, "only_in_3", mode="hybrid")
    assert answer.results and not answer.warnings


def test_a_project_alone_sends_its_index_to_no_server_but_one_on_this_machine(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("https://vectors.example", "http://localhost.example:8000"):
        (project / "clew.toml").write_text(f'store = "chroma:{address}"\n', encoding="utf-8")
        with pytest.raises(UsageError, match="that is for you to say"):
            index(project)
    assert index(project, store="embedded").complete
    monkeypatch.setenv("CLEW_STORE", "chroma:https://vectors.example")
    open_engine(project).close()
    monkeypatch.delenv("CLEW_STORE")
    (project / "clew.toml").write_text('store = "chroma:http://127.0.0.1:9"\n', encoding="utf-8")
    open_engine(project).close()
