"""Does a name that is written come back as the same name?"""

from __future__ import annotations

import sqlite3

import duckdb
import pytest

from clew.search.schema.identifiers import RESERVED, folded, literal, path, quoted

ODD = ("Total Amount", 'a"b', "x.y", "50%", "(2)", "日本語", "createdAt", "1st", "", "a`b", "a]b", "line\nbreak")


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_reserved_and_everyday_words_run_as_tables_and_columns(dialect: str) -> None:
    base = sqlite3.connect(":memory:") if dialect == "sqlite" else duckdb.connect()
    for word in sorted(RESERVED):
        name = quoted(word, dialect)
        base.execute(f"CREATE TABLE {name} ({name} integer, id integer PRIMARY KEY, UNIQUE ({name}))")
        base.execute(f"SELECT {name}.{name} FROM {name} WHERE {name}.{name} = 1")
        base.execute(f"DROP TABLE {name}")


@pytest.mark.parametrize("name", [name for name in ODD if name])
def test_odd_names_come_back(name: str) -> None:
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE {quoted(name, 'sqlite')} ({quoted(name, 'sqlite')} integer)")
    assert base.execute("SELECT name FROM sqlite_master").fetchone() == (name,)


def test_quotes_are_those_of_the_dialect() -> None:
    assert [quoted("a b", one) for one in ("postgres", "mysql", "tsql", "sqlite")] == ['"a b"', "`a b`", "[a b]", '"a b"']
    assert (quoted('a"b', "postgres"), quoted("a`b", "mysql"), quoted("a]b", "tsql")) == ('"a""b"', "`a``b`", "[a]]b]")


def test_capitals_are_quoted_where_they_would_be_folded() -> None:
    assert (quoted("Id", "postgres"), quoted("Id", "sqlite"), quoted("id", "oracle")) == ('"Id"', "Id", '"id"')


def test_names_compare_as_the_dialect_does() -> None:
    assert folded("User", "postgres", is_quoted=False) == folded("user", "postgres", is_quoted=True)
    assert folded("User", "postgres", is_quoted=True) != folded("user", "postgres", is_quoted=True)
    assert folded("User", "mysql", is_quoted=True) == folded("user", "mysql", is_quoted=False)


def test_a_schema_is_named_only_where_a_bare_name_means_another() -> None:
    assert (path("public", "a", "postgres", "public"), path("b", "a", "postgres", "public"), path("", "a", "sqlite")) == ("a", "b.a", "a")


def test_a_text_stays_inside_its_quotes() -> None:
    assert sqlite3.connect(":memory:").execute(f"SELECT {literal(chr(39) + ' OR 1', 'sqlite')}").fetchone() == ("' OR 1",)
    assert literal("\\'", "mysql") == "'\\\\'''"
