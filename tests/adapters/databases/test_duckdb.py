"""Is a DuckDB file read whole, whatever stands in it?"""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from tests.adapters.databases.reading import column, keys, names, read, table

from clew.core.schema.contracts import Snapshot, UniqueKey
from clew.errors import Unreachable


def of(tmp_path: Path, sql: str, **wishes: object) -> Snapshot:
    with duckdb.connect(str(tmp_path / "it.duckdb")) as connection:
        connection.execute(sql)
    return read(f"duckdb:///{tmp_path}/it.duckdb", **wishes)


def test_schemas_types_keys_and_comments_are_read(tmp_path: Path) -> None:
    snapshot = of(
        tmp_path,
        """CREATE SCHEMA s; CREATE TYPE mood AS ENUM ('a', 'b''c'); CREATE SEQUENCE q;
        CREATE TABLE s.p (i INTEGER PRIMARY KEY, m mood, l INTEGER[], st STRUCT(a INTEGER, b VARCHAR), g INTEGER GENERATED ALWAYS AS (i + 1), d INTEGER DEFAULT 5, u INTEGER UNIQUE, CHECK (d > 0));
        CREATE TABLE s.k (n INTEGER DEFAULT nextval('q'), "Total Amount" INTEGER REFERENCES s.p (i)); COMMENT ON TABLE s.k IS 'hi'; COMMENT ON COLUMN s.k.n IS 'number';
        CREATE VIEW s.v AS SELECT * FROM s.k; CREATE UNIQUE INDEX iu ON s.k ("Total Amount"); CREATE TABLE plain (x DECIMAL(10, 2));""",
    )
    assert names(snapshot) == ["main.plain", "s.k", "s.p", "s.v"]
    assert (snapshot.dialect, snapshot.default_schema) == ("duckdb", "main")
    assert [one.dtype for one in table(snapshot, "s.p").columns] == [
        "INTEGER",
        "ENUM('a', 'b''c')",
        "INTEGER[]",
        "STRUCT(a INTEGER, b VARCHAR)",
        "INTEGER",
        "INTEGER",
        "INTEGER",
    ]
    assert column(snapshot, "s.p", "m").allowed == ("a", "b'c")
    assert (column(snapshot, "s.p", "g").generated, column(snapshot, "s.p", "g").default, column(snapshot, "s.p", "d").default) == (
        "(i + 1)",
        "",
        "5",
    )
    assert (table(snapshot, "s.p").primary_key, table(snapshot, "s.p").checks[0].text) == (("i",), "d > 0")
    assert keys(table(snapshot, "s.k")) == [(("Total Amount",), "s", "p", ("i",))]
    assert table(snapshot, "s.k").unique_keys == (UniqueKey(columns=("Total Amount",), name="iu"),)
    assert (table(snapshot, "s.k").description, column(snapshot, "s.k", "n").description, column(snapshot, "s.k", "n").is_identity) == (
        "hi",
        "number",
        True,
    )
    assert (table(snapshot, "s.v").kind, table(snapshot, "s.v").definition) == ("view", "SELECT * FROM s.k")


def test_a_view_whose_table_is_gone_is_named_and_ends_nothing(tmp_path: Path) -> None:
    snapshot = of(
        tmp_path,
        "CREATE TABLE gone (id INT); CREATE VIEW broken AS SELECT id FROM gone; CREATE TABLE kept (id INT); DROP TABLE gone;",
        statistics=True,
    )
    assert "main.kept" in names(snapshot)
    assert "broken" in [one.name for one in snapshot.unread] or table(snapshot, "main.broken").degraded


def test_rows_give_statistics(tmp_path: Path) -> None:
    sql = "CREATE TABLE t (n INTEGER, d DATE, s VARCHAR, l INTEGER[]); INSERT INTO t SELECT i % 4, DATE '2024-01-01' + CAST(i AS INTEGER), 'v' || (i % 3), [i] FROM range(100) r(i);"
    snapshot = of(tmp_path, sql, statistics=True)
    found = {one.name: one.statistics for one in table(snapshot, "main.t").columns}
    assert found["n"] is not None
    assert found["d"] is not None
    assert found["s"] is not None
    assert (found["n"].distinct, found["n"].minimum, found["d"].maximum, found["s"].samples[0]) == (4, "0", "2024-04-09", "v0")
    assert table(snapshot, "main.t").row_count == 100


def test_a_file_that_a_writer_holds_or_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="no file"):
        read(f"duckdb:///{tmp_path}/absent.duckdb")
    with duckdb.connect(str(tmp_path / "held.duckdb")), pytest.raises(Unreachable, match="cannot be read"):
        read(f"duckdb:///{tmp_path}/held.duckdb")
