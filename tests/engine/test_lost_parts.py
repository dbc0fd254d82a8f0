"""What happens when a derived part of the index is gone or damaged? Searches answer from the rest and say so; the next run repairs it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import lancedb
import pytest

from clew.assembly import open_engine
from clew.core.answer import Answer, Question

QUESTION = Question("cancel an order by its number", mode="hybrid", limit=50)


def ask(root: Path) -> Answer:
    with open_engine(root) as engine:
        return engine.search(QUESTION)


def seen(answer: Answer) -> list[tuple[str, int, float]]:
    return [(r.chunk.filepath, r.chunk.line_start, r.score) for r in answer.results]


def table_rows(root: Path) -> int:
    return int(lancedb.connect(root / ".clew").open_table("chunks").count_rows())


def engine_chunks(root: Path) -> int:
    with open_engine(root) as engine:
        return engine.status().chunks


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)


def cut(path: Path) -> None:
    for file in (f for f in path.rglob("*") if f.is_file()):
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def overwrite(path: Path) -> None:
    for file in (f for f in path.rglob("*") if f.is_file()):
        file.write_bytes(b"\xff" * file.stat().st_size)


@pytest.mark.parametrize("damage", [remove, cut, overwrite])
@pytest.mark.parametrize("part", ["snapshot", "chunks.lance"])
def test_a_lost_part_is_said_and_the_next_run_repairs_it_without_embedding(
    project: Path, part: str, damage: Callable[[Path], None]
) -> None:
    with open_engine(project) as engine:
        engine.index()
    whole = seen(ask(project))
    damage(project / ".clew" / part)

    meanwhile = ask(project)
    assert meanwhile.results
    # A search reads no LanceDB below 100,000 chunks: bytes changed there harm no answer, and the next run notices them.
    assert any("clew index" in warning for warning in meanwhile.warnings) or (damage is overwrite and seen(meanwhile) == whole)

    with open_engine(project) as engine:
        report = engine.index()
    assert report.chunks_embedded == 0
    assert table_rows(project) == engine_chunks(project)
    after = ask(project)
    assert seen(after) == whole
    assert not after.warnings


def test_when_every_vector_is_lost_keywords_answer_and_the_next_run_embeds_again(project: Path) -> None:
    with open_engine(project) as engine:
        chunks = engine.index().chunks_added
    whole = seen(ask(project))
    remove(project / ".clew" / "snapshot")
    remove(project / ".clew" / "chunks.lance")

    meanwhile = ask(project)
    assert meanwhile.results
    assert meanwhile.warnings

    with open_engine(project) as engine:
        assert engine.index().chunks_embedded == chunks
    assert seen(ask(project)) == whole
