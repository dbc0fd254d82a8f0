"""Does clearing out an index leave what is asked, and nothing else?"""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.assembly import open_engine
from clew.core.answer import Answer, Question
from clew.engine import Engine
from clew.errors import NoIndex


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for number in range(30):
        (root / f"file_{number}.py").write_text(
            f'def parse_header_{number}(line):\n    """Split a header line at its colon."""\n    return line\n'
        )
    return root


def ask(engine: Engine) -> Answer:
    return engine.search(Question("where is a header line split", mode="semantic", limit=5))


def shown(answer: Answer) -> list[tuple[str, float]]:
    return [(result.chunk.symbol_name, result.score) for result in answer.results]


def tables(root: Path) -> list[str]:
    return sorted(path.name for path in (root / ".clew").glob("*.lance"))


def test_the_vectors_of_a_model_used_before_go_and_answers_stay(project: Path) -> None:
    with open_engine(project, {"vector_dims": 64}) as engine:
        engine.index()
    with open_engine(project) as engine:
        engine.index()
        before = ask(engine)
        assert len(tables(project)) == 2

        thinned = engine.gc()

        assert len(thinned.forgotten) == 1
        assert thinned.bytes_after < thinned.bytes_before
        assert tables(project) == ["chunks.lance"]
        assert shown(ask(engine)) == shown(before)
        assert engine.index().chunks_embedded == 0


def test_a_reader_that_was_open_before_goes_on(project: Path) -> None:
    with open_engine(project) as reader:
        before = ask(reader)
        with open_engine(project) as other:
            other.index()
            other.gc()

        assert shown(ask(reader)) == shown(before)


def test_a_table_that_no_model_has_any_more_is_removed(project: Path) -> None:
    with open_engine(project) as engine:
        engine.index()
        (project / ".clew" / "chunks__0badcafe.lance").mkdir()

        engine.gc()

        assert tables(project) == ["chunks.lance"]


def test_without_an_index_there_is_nothing_to_clear_out(project: Path) -> None:
    with open_engine(project) as engine, pytest.raises(NoIndex):
        engine.gc()


def test_an_index_that_a_search_made_does_not_grow(project: Path) -> None:
    with open_engine(project) as engine:
        before = shown(ask(engine))
        thinned = engine.gc()

        assert thinned.bytes_after <= thinned.bytes_before
        assert shown(ask(engine)) == before
