"""Is anything lost without a word of a dump that is broken, cut or carelessly written?"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tests.adapters.databases.reading import read

from clew.core.schema.contracts import Snapshot


def of_text(tmp_path: Path, text: str | bytes, dialect: str = "postgres") -> Snapshot:
    (tmp_path / "schema.sql").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(f"ddl:{tmp_path}/schema.sql?dialect={dialect}")


TABLE = "CREATE TABLE {} (id int);\n"


@pytest.mark.parametrize(
    ("dialect", "begun", "said"),
    [
        ("postgres", "/* what was\n", "the comment is opened and never closed"),
        ("mysql", "ALTER TABLE a ADD y int; SELECT 1 /* open\n", "the comment is opened and never closed"),
        ("postgres", "/* outer /* inner */\n", "the comment is opened and never closed"),
        (
            "postgres",
            "CREATE FUNCTION f() RETURNS int AS $body$\nBEGIN\n  CREATE TEMP TABLE passing (id int);\nEND;\n$bdy$ LANGUAGE plpgsql;\n",
            "$body$ is opened and never closed",
        ),
        ("postgres", "COPY a FROM stdin;\n1\n2\n", "the rows of COPY are not ended by \\."),
        ("mysql", "DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT 1; END//\n", "DELIMITER // is never set back to ;"),
    ],
)
def test_what_is_never_closed_is_named_with_its_line_and_the_tables_behind_it_are_found(
    tmp_path: Path, dialect: str, begun: str, said: str
) -> None:
    snapshot = of_text(tmp_path, TABLE.format("a") + begun + TABLE.format("b") + TABLE.format("c"), dialect)
    assert [one.name for one in snapshot.tables] == ["a", "b", "c"]
    assert [one.reason for one in snapshot.unread] == [f"line 2 of schema.sql: {said}"]


def test_rows_without_an_end_do_not_go_on_to_the_end_of_other_rows(tmp_path: Path) -> None:
    text = TABLE.format("a") + "COPY a FROM stdin;\n1\n" + TABLE.format("b") + "COPY b FROM stdin;\n1\n\\.\n" + TABLE.format("c")
    snapshot = of_text(tmp_path, text)
    assert [one.name for one in snapshot.tables] == ["a", "b", "c"]
    assert [one.reason.partition(":")[0] for one in snapshot.unread] == ["line 2 of schema.sql"]


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("postgres", "COPY a (id) FROM stdin;\n1\n\\.\n" + "COPY a FROM stdin;\n\\.\n"),
        ("postgres", "/* a /* b */ c */ "),
        ("postgres", "CREATE FUNCTION f() RETURNS text AS $x$ SELECT '/* $y$' $x$ LANGUAGE sql;\n"),
        ("mysql", "INSERT INTO a VALUES ('/* it''s', '$$');\n"),
        ("mysql", "DELIMITER //\nCREATE PROCEDURE p() BEGIN SELECT 1; END//\nDELIMITER ;\n"),
        ("sqlite", "/* closed */ -- /* not opened\n"),
    ],
)
def test_what_is_closed_is_no_cause_for_a_warning(tmp_path: Path, dialect: str, text: str) -> None:
    snapshot = of_text(tmp_path, TABLE.format("a") + text + TABLE.format("b") + "SELECT 1", dialect)
    assert [one.name for one in snapshot.tables] == ["a", "b"]
    assert not snapshot.unread
    assert not snapshot.warnings


def test_sqlite_has_a_comment_go_to_the_end_of_the_file_and_that_is_said(tmp_path: Path) -> None:
    snapshot = of_text(tmp_path, TABLE.format("a") + "/* what was\n" + TABLE.format("b"), "sqlite")
    assert [one.name for one in snapshot.tables] == ["a"]
    assert [one.reason for one in snapshot.unread] == ["line 2 of schema.sql: the comment is opened and never closed"]


def test_text_that_is_never_closed_again_and_again_is_given_up_in_proportion(tmp_path: Path) -> None:
    for begun in ("/* x\n", "$a{}$\n", "COPY a FROM stdin;\n", "DELIMITER x\n", "/*/*"):
        text = "".join(begun.format(number) + TABLE.format("a") for number in range(20_000))
        snapshot = of_text(tmp_path, text, "mysql" if "DELIMITER" in begun else "postgres")
        assert snapshot.unread
        assert len(snapshot.unread) <= 101


@pytest.mark.parametrize(
    ("dialect", "columns", "said"),
    [
        ("postgres", "a int,,", "nothing stands after the last comma, and 1 more"),
        ("postgres", "a int,", "nothing stands after the last comma"),
        ("sqlite", "a int,,b int", "nothing stands between two commas"),
    ],
)
def test_what_is_broken_in_a_table_is_a_warning_with_its_line(tmp_path: Path, dialect: str, columns: str, said: str) -> None:
    snapshot = of_text(tmp_path, f"\nCREATE TABLE broken ({columns});", dialect)
    (warning,) = snapshot.warnings
    assert warning.startswith("line 2 of schema.sql: broken was read without what is broken in it: an empty item: ")
    assert warning.endswith(said)


def test_an_action_that_is_broken_is_a_warning_also_where_its_table_comes_later(tmp_path: Path) -> None:
    snapshot = of_text(tmp_path, "ALTER TABLE a ADD COLUMN 7 int;\nALTER TABLE a ADD z int;\n" + TABLE.format("a"))
    assert [warning.partition(":")[0] for warning in snapshot.warnings] == ["line 1 of schema.sql"]
    assert [one.name for one in snapshot.tables[0].columns] == ["id", "z"]


def test_a_comma_may_stand_last_where_the_dialect_has_it_so(tmp_path: Path) -> None:
    assert not of_text(tmp_path, "CREATE TABLE fine (a int,);", "duckdb").warnings


@pytest.mark.parametrize("dialect", ["postgres", "mysql", "sqlite", "tsql"])
@pytest.mark.parametrize(
    "before",
    [
        "SELECT 1\n",
        "INSERT INTO a VALUES (1)\n",
        "INSERT INTO a VALUES ('x; CREATE TABLE forged (id int);')\n",
        "BEGIN TRANSACTION\n",
        "-- CREATE TABLE forged (id int)\nUPDATE a SET id = 1\n",
        "IF NOT EXISTS (SELECT 1 FROM sys.tables) BEGIN\n  ",
        "of a line that was cut\n",
    ],
)
def test_a_table_behind_what_has_no_semicolon_is_found(tmp_path: Path, dialect: str, before: str) -> None:
    snapshot = of_text(tmp_path, TABLE.format("a") + before + TABLE.format("b"), dialect)
    assert [one.name for one in snapshot.tables] == ["a", "b"]


def test_a_right_to_create_tables_is_no_table(tmp_path: Path) -> None:
    snapshot = of_text(tmp_path, TABLE.format("a") + "GRANT CREATE TABLE TO reader;\nSELECT 'CREATE TABLE forged (id int)';\n", "tsql")
    assert [one.name for one in snapshot.tables] == ["a"]
    assert not snapshot.unread


def test_a_quote_that_is_never_closed_is_named(tmp_path: Path) -> None:
    snapshot = of_text(tmp_path, TABLE.format("a") + "INSERT INTO a VALUES ('it's');\n" + TABLE.format("b") + "SELECT 'x';\n")
    assert any("a quote is opened and never closed" in one.reason for one in snapshot.unread)


NOTES = "Notes it''s /* no comment */ -- none; $$ CREATE TABLE forged (id int);"
PIECES = {
    "postgres": f"""CREATE TABLE {{0}} (id int, note text DEFAULT '{NOTES}' /* why; */); -- end's
COMMENT ON TABLE {{0}} IS '{NOTES}';
CREATE FUNCTION f{{0}}() RETURNS int AS $b$ BEGIN SELECT 'it'; END $b$ LANGUAGE plpgsql;
COPY {{0}} (id, note) FROM stdin;
1\tits; /*
\\.
""",
    "mysql": f"""CREATE TABLE {{0}} (id int COMMENT '{NOTES}', note text) ENGINE=InnoDB; # it's
INSERT INTO {{0}} VALUES (1, 'it\\'s; /*');
DELIMITER ;;
CREATE TRIGGER f{{0}} BEFORE INSERT ON {{0}} FOR EACH ROW SET NEW.id = 1;;
DELIMITER ;
""",
}


@pytest.mark.parametrize("dialect", list(PIECES))
def test_a_dump_that_ends_anywhere_or_begins_at_a_later_line_loses_no_table_without_a_word(tmp_path: Path, dialect: str) -> None:
    names = [f"t{number}" for number in range(6)]
    pieces = [PIECES[dialect].format(name) for name in names]
    whole = "".join(pieces)
    starts = [whole.index(f"CREATE TABLE {name} ") for name in names]
    ends = [
        whole.index(";", whole.index("note text", start)) if dialect == "mysql" else whole.index("); -- end", start) for start in starts
    ]
    lines = [0, *(place + 1 for place, character in enumerate(whole) if character == "\n")]
    chance = random.Random(5)
    for _ in range(150):
        first, last = chance.randrange(len(whole)), chance.choice(lines)
        kept = chance.choice([(0, first), (last, len(whole))])
        snapshot = of_text(tmp_path, whole[slice(*kept)], dialect)
        there = {one.name for one in snapshot.tables}
        missing = [
            name for name, start, end in zip(names, starts, ends, strict=True) if name not in there and kept[0] <= start and end < kept[1]
        ]
        assert not missing or snapshot.unread or snapshot.warnings, kept
