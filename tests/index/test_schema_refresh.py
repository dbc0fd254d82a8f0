"""Is a schema's index always that of one version, whole, however a refresh ends; and is no text embedded twice?"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.core.query import Filters, Scope
from clew.core.schema.contracts import Column, ForeignKey, Snapshot, Table
from clew.core.schema.meaning import Meanings, Metric, TableMeaning
from clew.core.schema.naming import namespace_of
from clew.errors import Unreachable, UsageError
from clew.index.schema_refresh import forget, refresh
from clew.search.legs.schema_vectors import StoredSchemaVectors
from clew.stores.embedded import EmbeddedStore
from clew.testing import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from clew.core.catalog import Vectors

FIRST, SECOND, THIRD = "20260101000000_aaaaaaaa", "20260102000000_bbbbbbbb", "20260103000000_cccccccc"
NOTHING = Meanings()


def a_table(number: int, *more: str) -> Table:
    columns = tuple(Column(name=name, dtype="text") for name in ("id", f"label_{number}", "other_id", *more))
    key = ForeignKey(columns=("other_id",), referred_schema="", referred_table="t0", referred_columns=("id",))
    return Table(name=f"t{number}", columns=columns, primary_key=("id",), foreign_keys=(key,))


def a_snapshot(version: str, *tables: Table, datasource: str = "shop") -> Snapshot:
    return Snapshot(datasource=datasource, dialect="sqlite", tables=tables, version=version)


TABLES = tuple(a_table(number) for number in range(6))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    with EmbeddedStore.open(tmp_path / "databases") as opened:
        yield opened


class Counting(HashingEmbedder):
    """Keeps the texts that it was given; with `most`, fails once it was given more."""

    def __init__(self, most: int = 10**9) -> None:
        super().__init__(16)
        self.texts: list[str] = []
        self._most = most

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        if len(self.texts) + len(texts) > self._most:
            raise RuntimeError("out of quota")
        self.texts += texts
        return super().embed_documents(texts)


def ids(store: EmbeddedStore, version: str, datasource: str = "shop") -> set[str]:
    embedder = HashingEmbedder(16)
    namespace = namespace_of(datasource, version)
    leg = store.nearest(Scope((namespace,)), embedder.space, embedder.embed_query("shop t1 label"), Filters(), 1_000)
    return {hit.id for hit in leg.hits}


def in_force(store: EmbeddedStore, datasource: str = "shop") -> str:
    return store.facts(namespace_of(datasource)).get("in_force", "")


def test_a_first_refresh_embeds_every_text_once_and_puts_the_version_in_force(store: EmbeddedStore) -> None:
    embedder = Counting()
    done = refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, embedder)
    assert (done.chunks, done.added, done.embedded) == (1 + 6 * 5, 31, 31)
    assert len(set(embedder.texts)) == len(embedder.texts) == 31
    assert in_force(store) == FIRST and len(ids(store, FIRST)) == 31


def test_the_same_again_embeds_and_changes_nothing(store: EmbeddedStore) -> None:
    refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, Counting())
    generation = store.counts(namespace_of("shop", FIRST)).generation
    embedder = Counting()
    done = refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, embedder)
    assert (done.chunks, done.added, done.kept, done.embedded) == (31, 0, 31, 0)
    assert embedder.texts == [] and store.counts(namespace_of("shop", FIRST)).generation == generation


def test_one_altered_table_embeds_its_own_changed_texts_only(store: EmbeddedStore) -> None:
    refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, Counting())
    embedder = Counting()
    altered = (*TABLES[:3], a_table(3, "added"), *TABLES[4:])
    done = refresh(a_snapshot(SECOND, *altered), NOTHING, store, embedder)
    assert sorted(text.split("\n")[1] for text in embedder.texts) == ["column added text", "table t3"]
    assert done.embedded == 2 and in_force(store) == SECOND
    assert len(ids(store, SECOND)) == 32 and all(name.endswith(SECOND) for name in ids(store, SECOND))


def test_versions_that_are_not_to_be_kept_are_forgotten(store: EmbeddedStore) -> None:
    refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, Counting())
    refresh(a_snapshot(SECOND, *TABLES[:5]), NOTHING, store, Counting(), keep=(FIRST,))
    assert len(ids(store, FIRST)) == 31 and len(ids(store, SECOND)) == 26
    done = refresh(a_snapshot(THIRD, *TABLES[:4]), NOTHING, store, Counting(), keep=(SECOND,))
    assert done.forgotten == (FIRST,) and ids(store, FIRST) == set()
    assert len(ids(store, SECOND)) == 26 and len(ids(store, THIRD)) == 21


def test_former_versions_that_are_too_many_together_are_forgotten_the_oldest_first(
    store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.index.schema_refresh.KEPT_CHUNKS", 40)
    refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, Counting())
    refresh(a_snapshot(SECOND, *TABLES[:5]), NOTHING, store, Counting(), keep=(FIRST, SECOND))
    assert len(ids(store, FIRST)) == 31
    done = refresh(a_snapshot(THIRD, *TABLES[:4]), NOTHING, store, Counting(), keep=(FIRST, SECOND, THIRD))
    assert done.forgotten == (FIRST,) and len(ids(store, SECOND)) == 26


def test_a_refresh_that_fails_leaves_the_version_before_in_force_and_the_next_one_goes_on(
    store: EmbeddedStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("clew.index.schema_refresh.BATCH_CHUNKS", 5)
    refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, Counting())
    new = [a_table(number, "added") for number in range(6)]
    with pytest.raises(Unreachable, match="out of quota"):
        refresh(a_snapshot(SECOND, *new), NOTHING, store, Counting(most=6))
    assert in_force(store) == FIRST and len(ids(store, FIRST)) == 31
    assert store.facts(namespace_of("shop", SECOND)).get("complete") != "yes"
    embedder = Counting()
    refresh(a_snapshot(SECOND, *new), NOTHING, store, embedder)
    assert in_force(store) == SECOND and len(ids(store, SECOND)) == 37
    assert 0 < len(embedder.texts) < 12


def test_a_meaning_that_was_added_changes_the_version_in_place_all_at_once(store: EmbeddedStore) -> None:
    refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, Counting())
    meant = Meanings(tables=(TableMeaning(table="t2", description="Invoices."),), metrics=(Metric(name="revenue", definition="Paid."),))
    embedder = Counting()
    done = refresh(a_snapshot(FIRST, *TABLES), meant, store, embedder)
    assert sorted(text.split("\n")[1] for text in embedder.texts) == ["metric revenue", "table t2"]
    assert (done.embedded, done.added, done.deleted) == (2, 2, 1)
    with pytest.raises(Unreachable):
        refresh(a_snapshot(FIRST, *TABLES[:2]), Meanings(metrics=(Metric(name="other"),)), store, Counting(most=0))
    assert len(ids(store, FIRST)) == 32
    refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, Counting())
    assert len(ids(store, FIRST)) == 31


def test_another_model_is_given_every_text_again(store: EmbeddedStore) -> None:
    refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, Counting())
    other = HashingEmbedder(24, name="other")
    done = refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, other)
    assert done.embedded == 31 and store.counts(namespace_of("shop", FIRST), other.space).unembedded == 0


def test_datasources_do_not_touch_each_other(store: EmbeddedStore) -> None:
    refresh(a_snapshot(FIRST, *TABLES), NOTHING, store, Counting())
    refresh(a_snapshot(FIRST, *TABLES[:2], datasource="shop2"), NOTHING, store, Counting())
    forget(store, "shop")
    assert ids(store, FIRST) == set() and in_force(store) == ""
    assert len(ids(store, FIRST, "shop2")) == 11 and in_force(store, "shop2") == FIRST


def test_a_snapshot_that_was_not_registered_is_refused(store: EmbeddedStore) -> None:
    with pytest.raises(UsageError, match="no version"):
        refresh(a_snapshot("", *TABLES), NOTHING, store, Counting())


ODD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6) | st.sampled_from(
    ["a.b", 'q"', "x->y", "a,b", "nul\0", "ls\u2028", "\x1b["]
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(ODD, ODD), min_size=1, max_size=3, unique=True))
def test_names_of_any_kind_come_back_from_the_vectors_as_they_are(
    tmp_path_factory: pytest.TempPathFactory, names: list[tuple[str, str]]
) -> None:
    tables = tuple(Table(schema_name=schema, name=name, columns=(Column(name=name), Column(name="c"))) for schema, name in names)
    with EmbeddedStore.open(tmp_path_factory.mktemp("odd")) as opened:
        refresh(a_snapshot(FIRST, *tables), NOTHING, opened, Counting())
        leg = StoredSchemaVectors(opened, lambda: HashingEmbedder(16))
        found = leg.nearest("column c table", [("shop", FIRST)], ["table", "column"], 99)
    assert {(one.schema_name, one.table) for one in found if one.kind == "table"} == set(names)
    assert {(one.schema_name, one.table, one.column) for one in found if one.kind == "column"} == {
        (schema, name, column) for schema, name in names for column in (name, "c")
    }


def test_a_comment_of_any_length_is_cut_and_embedded(store: EmbeddedStore) -> None:
    table = Table(name="t", description="long " * 4_000_000, columns=(Column(name="c", description="x" * 10**7),))
    embedder = Counting()
    refresh(a_snapshot(FIRST, table), NOTHING, store, embedder)
    assert max(map(len, embedder.texts)) < 10_000


KILLED = """
import os, signal, sys
from pathlib import Path
import clew.index.schema_refresh as refreshing
from clew.stores.embedded import EmbeddedStore
from tests.index.test_schema_refresh import NOTHING, SECOND, Counting, a_snapshot, a_table
refreshing.BATCH_CHUNKS, refreshing.SETTLED_FROM = 5, 1
left = int(sys.argv[2])
def reached(step):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
store = EmbeddedStore.open(Path(sys.argv[1]), reached=reached)
refreshing.refresh(a_snapshot(SECOND, *(a_table(n, "added") for n in range(6))), NOTHING, store, Counting())
print("done")
"""


@pytest.mark.parametrize("step", [1, 2, 5, 9, 13, 14, 15, 16, 17, 18])
def test_a_process_that_is_killed_at_any_step_leaves_one_whole_version_in_force(tmp_path: Path, step: int) -> None:
    folder = tmp_path / "databases"
    with EmbeddedStore.open(folder) as opened:
        refresh(a_snapshot(FIRST, *TABLES), NOTHING, opened, Counting())
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder), str(step)], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (-9, ""), done.stderr
    with EmbeddedStore.open(folder) as opened:
        version = in_force(opened)
        assert len(ids(opened, version)) == {FIRST: 31, SECOND: 37}[version]
        embedder = Counting()
        refresh(a_snapshot(SECOND, *(a_table(n, "added") for n in range(6))), NOTHING, opened, embedder)
        assert in_force(opened) == SECOND and len(ids(opened, SECOND)) == 37 and ids(opened, FIRST) == set()
        assert opened.counts(namespace_of("shop", SECOND), embedder.space).unembedded == 0
