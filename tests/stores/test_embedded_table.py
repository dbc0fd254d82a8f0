"""Does LanceDB hold what the catalog says, in the agreed columns, and does the approximate index answer?"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pytest

from clew.core.query import Filters, PathFilter, Scope
from clew.stores.embedded import EmbeddedStore, Limits
from clew.stores.embedded.table import Table, batch
from clew.testing import HashingEmbedder, a_change, a_chunk, a_file

from .conftest import EMBEDDER, project, table_rows

if TYPE_CHECKING:
    from pathlib import Path

SEEN = Scope(("home",))
Filled = Callable[..., EmbeddedStore]


def test_the_table_has_the_agreed_columns_in_order(filled: Filled, folder: Path) -> None:
    import lancedb

    filled()
    schema = lancedb.connect(folder).open_table("chunks").schema
    assert schema.names == [
        "id", "vector", "text", "filepath", "symbol_name", "symbol_type", "language", "line_start", "line_end", "signature", "parent", "docstring",
        "namespace", "visibility", "checksum", "imports", "calls", "indexed_at", "model",
    ]  # fmt: skip
    assert schema.field("vector").type == pa.list_(pa.float32(), 16)
    assert schema.field("line_start").type == pa.int32() == schema.field("line_end").type
    assert schema.field("imports").type == pa.list_(pa.string())


def test_a_row_holds_the_chunk_and_its_vector(filled: Filled, folder: Path) -> None:
    filled(3)
    update = project(3)[1]
    chunk = update.chunks[0]
    row = table_rows(folder)[("home", chunk.id)]
    assert (row["text"], row["filepath"], row["symbol_name"], row["checksum"]) == (
        chunk.text,
        chunk.filepath,
        chunk.symbol_name,
        chunk.checksum,
    )
    assert (row["model"], row["visibility"], row["docstring"]) == (EMBEDDER.space.fingerprint, "private", chunk.docstring)
    assert row["vector"] == pytest.approx(update.vectors[0])


def test_small_changes_wait_and_large_ones_are_fed_by_key(folder: Path) -> None:
    store = EmbeddedStore.open(folder, limits=Limits(rows=6))
    store.apply(a_change("home", *project(20), embedder=EMBEDDER))
    store.settle()
    assert len(table_rows(folder)) == 40
    moved = [replace(c, id=f"{n:016x}", line_start=c.line_start + 3, line_end=c.line_end + 3) for n, c in enumerate(project(1)[0].chunks)]
    store.apply(a_change("home", replace(project(1)[0], chunks=tuple(moved), vectors=()), embedder=EMBEDDER, deleted=("src/p1/m1.py",)))
    store.settle()
    assert len(table_rows(folder)) == 40 and store.counts("home", EMBEDDER.space).unsynced == 2
    store.apply(a_change("home", *project(3, offset=50), embedder=EMBEDDER))
    assert store.counts("home", EMBEDDER.space).unsynced == 8
    store.settle()
    rows = table_rows(folder)
    assert len(rows) == 44 and store.counts("home", EMBEDDER.space).unsynced == 0
    assert rows[("home", moved[0].id)]["line_start"] == 4
    assert ("home", project(1)[0].chunks[0].id) not in rows
    assert not any(row["filepath"] == "src/p1/m1.py" for row in rows.values())


def test_a_further_space_has_a_table_of_its_own(filled: Filled, folder: Path) -> None:
    other = HashingEmbedder(24, name="other")
    store = filled(4, rows=1)
    texts = {c.checksum: c.text for c in store.unembedded("home", other.space, 99)}
    store.add_vectors("home", other.space, dict(zip(texts, other.embed_documents(list(texts.values())), strict=True)))
    store.settle()
    assert table_rows(folder, f"chunks__{other.space.fingerprint[:8]}").keys() == table_rows(folder).keys()


def test_a_one_file_edit_does_not_import_lancedb(filled: Filled, folder: Path, run_python: Callable[[str], str]) -> None:
    filled().close()
    out = run_python(
        f"""
        import sys
        from pathlib import Path
        from clew.core.query import Filters, Scope
        from clew.stores.embedded import EmbeddedStore
        store = EmbeddedStore.open(Path({str(folder)!r}))
        store.keywords(Scope(("home",)), ["user"], Filters(), 5)
        print("numpy" in sys.modules)
        from clew.testing import HashingEmbedder, a_change, a_chunk, a_file
        embedder = HashingEmbedder(16)
        store.apply(a_change("home", a_file("n.py", a_chunk("n.py", "f", "new"), embedder=embedder), embedder=embedder))
        store.settle()
        leg = store.nearest(Scope(("home",)), embedder.space, embedder.embed_query("n.py function f new"), Filters(), 1)
        print(leg.hits[0].filepath, "lancedb" in sys.modules, "pyarrow" in sys.modules)
        """
    )
    assert out.split() == ["False", "n.py", "False", "False"]


def test_two_processes_that_merge_at_once_do_not_insert_a_row_twice(filled: Filled, folder: Path) -> None:
    from clew.stores.embedded import feeding
    from clew.stores.embedded.catalog import Catalog

    filled(5).close()
    connection = Catalog(folder, read_only=True).connection
    fill = feeding.fills(connection)[0]
    rows = [batch(*some) for some in feeding._batches(connection, fill, None, 0)]
    renamed = [some.set_column(0, some.schema.field("id"), pa.array([f"new{n}" for n in range(len(some))])) for some in rows]
    tables = [Table(folder, "chunks", 16)._database.open_table("chunks") for _ in range(2)]
    for table in tables:
        table.merge_insert(["namespace", "id"]).when_matched_update_all().when_not_matched_insert_all().execute(renamed[0])
    assert len(table_rows(folder)) == 20


def test_above_the_limit_an_approximate_index_proposes_and_scores_stay_exact(folder: Path) -> None:
    store = EmbeddedStore.open(folder, limits=Limits(rows=1_000, exact=1_000))
    store.apply(a_change("home", *project(1_500), embedder=EMBEDDER))
    store.settle()
    import lancedb

    assert [index.index_type for index in lancedb.connect(folder).open_table("chunks").list_indices() if index.columns == ["vector"]] == [
        "IvfRq"
    ]
    store.apply(a_change("home", *project(2, offset=5_000), embedder=EMBEDDER, deleted=("src/p0/m7.py", "src/p1/m8.py")))
    first = project(1)[0]
    moved = tuple(replace(c, id=f"{n:016x}", line_start=30 + n, line_end=40) for n, c in enumerate(first.chunks))
    store.apply(a_change("home", replace(first, chunks=moved, vectors=()), embedder=EMBEDDER))
    exact = EmbeddedStore.open(folder, read_only=True)
    hits, expected = 0, 0
    for question in ("user socket", "parse token index", "cache", "retry alpha", first.chunks[0].text, first.chunks[1].text):
        vector = EMBEDDER.embed_query(question)
        ours, theirs = (one.nearest(SEEN, EMBEDDER.space, vector, Filters(), 10) for one in (store, exact))
        scores = {hit.key: hit.score for hit in theirs.hits}
        assert all(scores.get(hit.key, hit.score) == hit.score for hit in ours.hits)
        floor = theirs.hits[-1].score
        hits += sum(hit.score >= floor - 1e-9 for hit in ours.hits)
        expected += len(theirs.hits)
        assert not {hit.filepath for hit in ours.hits} & {"src/p0/m7.py", "src/p1/m8.py"}
        assert ours.baseline == pytest.approx(theirs.baseline, abs=0.05)
    assert hits >= 0.9 * expected
    assert store.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query(first.chunks[0].text), Filters(), 1).hits[0].line_start == 30
    assert store.nearest(Scope(("other",)), EMBEDDER.space, EMBEDDER.embed_query("user"), Filters(), 5).hits == ()
    only = Filters(paths=(PathFilter("src/p3"),))
    filtered = [one.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query("user"), only, 10).hits for one in (store, exact)]
    assert filtered[0] == filtered[1] and all(hit.filepath.startswith("src/p3/") for hit in filtered[0])


def test_text_that_arrow_cannot_hold_is_written_escaped(folder: Path) -> None:
    store = EmbeddedStore.open(folder)
    chunk = a_chunk("b\udcff.py", "f", "x = '\udcfe'", imports=("m\udcfd",))
    store.apply(a_change("home", a_file("b\udcff.py", chunk, embedder=EMBEDDER), embedder=EMBEDDER))
    store.settle()
    row = table_rows(folder)[("home", chunk.id)]
    assert (row["filepath"], row["imports"]) == ("b\\xff.py", ["m\\xfd"]) and "\\xfe" in row["text"]


def test_the_catalog_gives_vectors_up_once_the_snapshot_has_them(filled: Filled, folder: Path) -> None:
    filled(30).close()
    with sqlite3.connect(folder / "catalog.db") as connection:
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == (0,)
    assert np.isfinite(project(1)[0].vectors[0]).all()


def test_what_is_read_in_one_moment_is_of_one_generation(tmp_path: Path) -> None:
    with EmbeddedStore.open(tmp_path / "index") as reader, EmbeddedStore.open(tmp_path / "index") as writer:
        writer.apply(a_change("home", a_file("a.py", a_chunk("a.py", "first", "def first(): pass"))))
        with reader.moment():
            before = set(reader.files("home"))
            writer.apply(a_change("home", a_file("b.py", a_chunk("b.py", "second", "def second(): pass"))))
            assert set(reader.files("home")) == before == {"a.py"}
            assert reader.named(Scope(("home",)), ["second"], Filters(), 5) == ()
        assert set(reader.files("home")) == {"a.py", "b.py"}
