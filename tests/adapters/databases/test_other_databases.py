"""Is a database without an adapter of its own read by SQLAlchemy, and is a URL that means nothing said to?"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from tests.adapters.databases.reading import column, keys, names, read, table
from tests.database_servers import Server

from clew.adapters.databases import reflect
from clew.adapters.databases.generic import reflect_generic
from clew.core.schema.protocols import Wishes
from clew.errors import MissingExtra, UsageError

SQL = """CREATE SCHEMA music; CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE public.author (id int PRIMARY KEY, name text UNIQUE, mood mood DEFAULT 'sad', CONSTRAINT named CHECK (id > 0));
CREATE TABLE music.song (id int PRIMARY KEY, author_id int REFERENCES public.author(id), twice int GENERATED ALWAYS AS (id * 2) STORED);
COMMENT ON TABLE music.song IS 'songs'; COMMENT ON COLUMN music.song.id IS 'number'; CREATE VIEW v AS SELECT id FROM author;"""


def test_sqlalchemys_reflection_tells_the_same_structure(postgres: Server) -> None:
    url = postgres.database(SQL).replace("postgresql:", "postgresql+psycopg:")
    own, other = read(url), reflect_generic("it", url, Wishes())
    assert names(other) == names(own) == ["music.song", "public.author", "public.v"]
    for name in names(own):
        assert [one.name for one in table(other, name).columns] == [one.name for one in table(own, name).columns]
        assert (keys(table(other, name)), table(other, name).primary_key) == (keys(table(own, name)), table(own, name).primary_key)
        assert (table(other, name).description, table(other, name).kind) == (table(own, name).description, table(own, name).kind)
    assert column(other, "public.author", "mood").allowed == ("sad", "happy")
    assert column(other, "music.song", "twice").generated
    assert (other.dialect, other.default_schema, table(other, "public.author").checks[0].name) == ("postgres", "public", "named")


def test_a_database_without_schemas_has_none_there_either(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.executescript(
        "CREATE TABLE a (id INTEGER PRIMARY KEY, b INT REFERENCES b(id)); CREATE TABLE b (id INTEGER PRIMARY KEY); CREATE TABLE c (d INT REFERENCES gone(id));"
    )
    connection.close()
    snapshot = reflect_generic("it", f"sqlite:///{tmp_path}/a.db", Wishes())
    assert {one.schema_name for one in snapshot.tables} <= {"", "main"}
    assert [(key.referred_table, key.is_external) for one in snapshot.tables for key in one.foreign_keys] == [("b", False), ("gone", True)]


@pytest.mark.parametrize(
    "url", ["", "nothing", "x:y", "klingon://host/db", "postgresql://user:p@ss:word@host:port/db", "sqlite:relative.db"]
)
def test_a_url_that_means_nothing_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UsageError) as told:
        reflect("it", url, Wishes())
    assert not url or url not in told.value.message


def test_a_driver_that_is_not_installed_is_named() -> None:
    with pytest.raises(MissingExtra, match="not installed"):
        reflect("it", "oracle://user:fake-pw@host/db", Wishes())
