"""Is an SQLite file read whole, whatever stands in it?"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.adapters.databases.reading import column, keys, names, read, table

from clew.core.schema.contracts import Check, Snapshot, UniqueKey
from clew.errors import Unreachable, UsageError


def of(tmp_path: Path, sql: str, **wishes: object) -> Snapshot:
    path = tmp_path / "app data%20.db"
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()
    return read(f"sqlite:///{path}", **wishes)


def test_names_keys_and_types_are_as_they_were_written(tmp_path: Path) -> None:
    snapshot = of(
        tmp_path,
        """CREATE TABLE "order" (id INTEGER PRIMARY KEY, "user" INTEGER REFERENCES user(ID), "createdAt" TEXT, "Total Amount" NUMERIC, "x.y" INT, "quo""te" INT);
        CREATE TABLE "User" (id INTEGER PRIMARY KEY, "firstName" TEXT UNIQUE);
        CREATE TABLE odd (a, b GEOMETRY, c VARCHAR(10) CHECK (c IN ('x','y')), d DECIMAL(10,2) DEFAULT 3, e "WEIRD TYPE", f INT GENERATED ALWAYS AS (d * 2) VIRTUAL);
        CREATE TABLE strict_t (n ANY, i INTEGER) STRICT;
        CREATE UNIQUE INDEX two ON odd (a, b); CREATE UNIQUE INDEX part ON odd (c) WHERE c > 1; CREATE UNIQUE INDEX expression ON odd (lower(c));""",
    )
    assert names(snapshot) == ["User", "odd", "order", "strict_t"]
    assert keys(table(snapshot, "order")) == [(("user",), "", "User", ("id",))]
    assert [one.dtype for one in table(snapshot, "odd").columns] == ["", "GEOMETRY", "VARCHAR(10)", "DECIMAL(10,2)", '"WEIRD TYPE"', "INT"]
    assert (column(snapshot, "odd", "f").generated, column(snapshot, "odd", "d").default) == ("d * 2", "3")
    assert table(snapshot, "odd").checks == (Check(text="c IN ('x','y')"),)
    assert table(snapshot, "odd").unique_keys == (UniqueKey(columns=("a", "b"), name="two"),)
    assert table(snapshot, "User").unique_keys == (UniqueKey(columns=("firstName",)),)


def test_composite_keys_that_name_no_columns_mean_the_primary_key(tmp_path: Path) -> None:
    snapshot = of(
        tmp_path,
        """CREATE TABLE ctgt (x INT, y INT, PRIMARY KEY (y, x));
        CREATE TABLE swapped (p INT, q INT, FOREIGN KEY (q, p) REFERENCES ctgt (x, y));
        CREATE TABLE implicit_pk (a INT, b INT, CONSTRAINT named FOREIGN KEY (a, b) REFERENCES ctgt);
        CREATE TABLE dangling (id INTEGER PRIMARY KEY, x INT REFERENCES no_such_table(id));""",
    )
    assert keys(table(snapshot, "swapped")) == [(("q", "p"), "", "ctgt", ("x", "y"))]
    assert keys(table(snapshot, "implicit_pk")) == [(("a", "b"), "", "ctgt", ("y", "x"))]
    assert table(snapshot, "implicit_pk").foreign_keys[0].name == "named"
    assert table(snapshot, "dangling").foreign_keys[0].is_external
    assert "no_such_table" in table(snapshot, "dangling").degraded[0]


def test_comments_in_the_statements_describe_tables_and_columns(tmp_path: Path) -> None:
    snapshot = of(
        tmp_path,
        """CREATE TABLE t_ordhdr ( -- Customer order header
          oh_id INTEGER PRIMARY KEY AUTOINCREMENT, -- the order
          stat_cd TEXT, /* N=new, X=cancelled */
          -- in kilograms
          ntwt REAL);""",
    )
    assert table(snapshot, "t_ordhdr").description == "Customer order header"
    assert [one.description for one in table(snapshot, "t_ordhdr").columns] == ["the order", "N=new, X=cancelled", "in kilograms"]
    assert column(snapshot, "t_ordhdr", "oh_id").is_identity


def test_full_text_tables_are_there_without_their_shadows_and_a_broken_view_is_named(tmp_path: Path) -> None:
    snapshot = of(
        tmp_path,
        """CREATE VIRTUAL TABLE docs USING fts5(title, body); CREATE TABLE docs_owner (id INT);
        CREATE TABLE gone (id INT); CREATE VIEW broken AS SELECT * FROM gone; CREATE VIEW fine(n) AS SELECT id FROM docs_owner;
        DROP TABLE gone; CREATE TEMP TABLE temporary (id INT);""",
    )
    assert names(snapshot) == ["docs", "docs_owner", "fine"]
    assert [(one.name, one.dtype) for one in table(snapshot, "fine").columns] == [("n", "INT")]
    assert table(snapshot, "fine").definition == "SELECT id FROM docs_owner"
    assert [(one.name, one.reason) for one in snapshot.unread] == [("broken", "no such table: main.gone")]


def test_statistics_come_from_a_bounded_sample_and_leave_personal_values_out(tmp_path: Path) -> None:
    sql = """CREATE TABLE schools (id INTEGER PRIMARY KEY, county TEXT, contact TEXT, email TEXT, note TEXT, mixed);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO schools SELECT i, CASE WHEN i % 3 THEN 'Alameda' ELSE 'Kern' END, 'p' || i || '@x.org', 'a@b.c', NULL, CASE i % 2 WHEN 1 THEN i ELSE 'x' END FROM n;"""
    snapshot = of(tmp_path, sql, statistics=True, sample_rows=300, samples=3)
    assert table(snapshot, "schools").row_count == 500
    county = column(snapshot, "schools", "county").statistics
    assert county is not None
    assert (county.sampled_rows, county.samples, county.distinct, county.minimum, county.maximum) == (
        300,
        ("Alameda", "Kern"),
        2,
        "Alameda",
        "Kern",
    )
    for name in ("contact", "email"):
        personal = column(snapshot, "schools", name)
        assert personal.pii == "email"
        assert personal.statistics is not None
        assert (personal.statistics.samples, personal.statistics.minimum, personal.statistics.distinct is not None) == ((), None, True)
    note = column(snapshot, "schools", "note").statistics
    assert note is not None
    assert (note.null_share, note.samples) == (1.0, ())
    shown = read(f"sqlite:///{tmp_path / 'app data%20.db'}", statistics=True, pii_values=True)
    assert column(shown, "schools", "email").statistics.samples == ("a@b.c",)  # type: ignore[union-attr]


def test_without_the_wish_no_row_is_read_and_personal_columns_are_still_told(tmp_path: Path) -> None:
    snapshot = of(tmp_path, "CREATE TABLE customer (id INT, name TEXT, email_count INT); INSERT INTO customer VALUES (1, 'Ada', 2);")
    assert [(one.pii, one.statistics) for one in table(snapshot, "customer").columns] == [("", None), ("person name", None), ("", None)]
    assert table(snapshot, "customer").row_count is None


def test_bytes_that_are_no_text_do_not_end_it(tmp_path: Path) -> None:
    snapshot = of(
        tmp_path,
        "CREATE TABLE t (a TEXT, b BLOB); INSERT INTO t VALUES (CAST(x'ff00fe' AS TEXT), x'00ff'), (NULL, x'01');",
        statistics=True,
    )
    assert column(snapshot, "t", "b").statistics is not None


def test_a_file_is_never_made_written_or_taken_for_a_database_when_it_is_none(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="no file"):
        read(f"sqlite:///{tmp_path}/absent.db")
    assert not (tmp_path / "absent.db").exists()
    (tmp_path / "text.db").write_text("this is no database, it is a long line of text that has more than a hundred bytes in it" * 9)
    with pytest.raises(Unreachable, match="not a database"):
        read(f"sqlite:///{tmp_path}/text.db")
    for url in ("sqlite://", "sqlite:///:memory:", "sqlite:///"):
        with pytest.raises(UsageError):
            read(url)


def test_a_file_that_another_process_writes_in_wal_is_read(tmp_path: Path) -> None:
    writer = sqlite3.connect(tmp_path / "wal.db", isolation_level=None)
    writer.execute("PRAGMA journal_mode = wal")
    writer.execute("CREATE TABLE committed (id INT)")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("CREATE TABLE pending (id INT)")
    assert names(read(f"sqlite:///{tmp_path}/wal.db")) == ["committed"]
    writer.close()


def test_a_reading_that_has_no_time_left_says_so(tmp_path: Path) -> None:
    with pytest.raises(Unreachable, match="time for reading"):
        of(tmp_path, "CREATE TABLE a (id INT);", total_s=0.0)
