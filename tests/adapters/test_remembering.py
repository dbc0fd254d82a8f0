"""Is a costly model asked once for each text, whichever project asks, and does a broken cache cost no more than that?"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from clew.adapters.embedders.remembering import RememberingEmbedder
from clew.assembly import remembered
from clew.core.answer import Question
from clew.core.embedding import EmbeddedBatch
from clew.engine import Engine
from clew.errors import Unreachable
from clew.index.updater import Project
from clew.settings import load_settings
from clew.sources.rules import Rules
from clew.stores.embedded import EmbeddedStore
from clew.testing import HashingEmbedder

TEXTS = ["parse a header", "retry an upload", "parse a header", "cancel an order"]


class Costly(HashingEmbedder):
    """An embedder that someone pays for."""

    costly = True


def engine(root: Path, embedder: Costly) -> Engine:
    project = Project(root, "project", "private", Rules())
    return Engine(project, load_settings(root), EmbeddedStore.open(root / ".clew"), lambda: remembered(embedder))


def test_two_work_trees_embed_once_and_a_branch_switch_nothing_that_was_known(tmp_path: Path) -> None:
    root, beside = tmp_path / "project", tmp_path / "beside"
    root.mkdir()
    for number in range(12):
        (root / f"file_{number}.py").write_text(f"def function_{number}():\n    return {number}\n")
    git = ("git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@example.invalid")
    for arguments in (("init", "-qb", "main"), ("add", "."), ("commit", "-qm", "one"), ("worktree", "add", "-q", str(beside))):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    embedder = Costly()
    with engine(root, embedder) as first:
        report = first.index()
        once = embedder.embedded
        assert once == report.chunks_added > 0

    with engine(beside, embedder) as second:
        assert second.index().chunks_added == report.chunks_added
        assert embedder.embedded == once
        assert second.search(Question("function 3", mode="semantic")).results

        (beside / "file_3.py").write_text("def changed_function():\n    return 3\n")
        second.index()
        assert embedder.embedded == once + 1


def test_vectors_come_back_as_they_were_made_in_the_order_of_the_texts(tmp_path: Path) -> None:
    plain, costly = HashingEmbedder(), Costly()
    for _ in range(2):
        made = RememberingEmbedder(costly, tmp_path / "kept.db").embed_documents(TEXTS)
        assert np.array_equal(made, plain.embed_documents(TEXTS))
    assert costly.embedded == 3
    assert RememberingEmbedder(costly, tmp_path / "kept.db").embed_documents([]).shape == (0, costly.space.dims)


def test_vectors_of_two_models_are_kept_apart(tmp_path: Path) -> None:
    one, other = Costly(name="one"), Costly(name="other")
    for embedder in (one, other):
        RememberingEmbedder(embedder, tmp_path / "kept.db").embed_documents(TEXTS)
    assert one.embedded == other.embedded == 3


def test_what_was_not_asked_for_the_longest_goes_first(tmp_path: Path) -> None:
    costly = Costly(dims=16)
    kept = RememberingEmbedder(costly, tmp_path / "kept.db", most_bytes=10 * 64)
    for number in range(9):
        kept.embed_documents([f"text {number}"])
    kept.embed_documents(["text 0"])
    kept.embed_documents(["new 1", "new 2"])
    before = costly.embedded

    kept.embed_documents(["text 0", "new 1", "new 2", "text 8"])
    assert costly.embedded == before

    kept.embed_documents(["text 1"])
    assert costly.embedded == before + 1


KEEPING = """
import sys
from pathlib import Path
from clew.adapters.embedders.remembering import RememberingEmbedder
from clew.testing import HashingEmbedder

kept = RememberingEmbedder(HashingEmbedder(dims=16), Path(sys.argv[1]), most_bytes=100 * 64)
for number in range(60):
    kept.embed_documents([f"{sys.argv[2]} {number}", f"both {number}"])
"""


def test_processes_that_keep_at_once_stay_under_the_bound_together(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    running = [subprocess.Popen([sys.executable, "-c", KEEPING, str(path), name]) for name in ("one", "other")]
    assert [one.wait(timeout=120) for one in running] == [0, 0]
    with closing(sqlite3.connect(path)) as connection:
        size, noted = connection.execute("SELECT (SELECT sum(length(vector)) FROM kept), bytes FROM total").fetchone()
    assert size == noted
    assert 50 * 64 < size <= 100 * 64


def test_a_batch_is_kept_before_the_next_is_asked_for(tmp_path: Path) -> None:
    class Breaking(Costly):
        def embed_each(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
            yield EmbeddedBatch((0, 2), self.embed_documents([texts[0], texts[2]]))
            raise Unreachable("the provider is down")

    with pytest.raises(Unreachable):
        RememberingEmbedder(Breaking(), tmp_path / "kept.db").embed_documents(TEXTS)
    costly = Costly()
    RememberingEmbedder(costly, tmp_path / "kept.db").embed_documents(TEXTS)
    assert costly.embedded == 1


@pytest.mark.parametrize("broken", [b"no database at all" * 100, None])
def test_a_cache_that_cannot_be_used_costs_an_embedding_and_nothing_else(tmp_path: Path, broken: bytes | None) -> None:
    path = tmp_path / "kept.db"
    if broken is None:
        path.mkdir()
    else:
        path.write_bytes(broken)
    costly = Costly()
    kept = RememberingEmbedder(costly, path)

    assert kept.embed_documents(TEXTS).shape == (4, costly.space.dims)


def test_a_model_that_costs_nothing_is_not_kept() -> None:
    embedder = HashingEmbedder()
    assert remembered(embedder) is embedder
