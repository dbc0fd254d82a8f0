"""Does any text at all, taken for DDL, give a snapshot?"""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.adapters.databases.ddl import reflect_ddl
from clew.adapters.databases.ddl.lexicon import MAIN_DIALECTS
from clew.core.schema.protocols import Wishes

PIECES = st.sampled_from(
    [
        *(
            "CREATE TABLE ",
            "t",
            " (",
            ")",
            ",",
            ";",
            "\n",
            "id int",
            " PRIMARY KEY",
            " NOT NULL",
            " DEFAULT ",
            "'",
            '"',
            "`",
            "[",
            "]",
            "$$",
            "$a$",
            "--",
            "/*",
            "*/",
            "#",
        ),
        *(
            "ALTER TABLE ",
            " ADD ",
            " COLUMN ",
            "CONSTRAINT c ",
            "FOREIGN KEY ",
            " REFERENCES ",
            "CHECK ",
            "UNIQUE ",
            "COMMENT ON ",
            "TABLE ",
            "IS ",
            "CREATE VIEW v AS SELECT ",
            "*",
            " FROM t",
        ),
        *(
            "COPY t FROM stdin",
            "\\.",
            "INSERT INTO t VALUES ",
            "GO\n",
            "/\n",
            "DELIMITER ;;\n",
            "/*!50001 ",
            "PARTITION OF t ",
            " LIKE t",
            "ENUM",
            "<",
            ">",
            ".",
            "=",
            " AS ",
            "MODIFY ",
            "RENAME TO ",
            "DROP TABLE t",
        ),
        *(
            "EXEC sp_addextendedproperty ",
            "@name=",
            "N'x'",
            "USE d",
            "SET search_path = ",
            "CREATE TYPE m AS ENUM ",
            "\ud7ff",
            "é",
            "\x00",
            "\r\n",
            "SELECT 1",
            "WITH x AS (",
            "GENERATED ALWAYS AS ",
        ),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=40).map("".join), st.sampled_from(MAIN_DIALECTS))
def test_any_text_gives_a_snapshot(text: str, dialect: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "any.sql"
        file.write_bytes(text.encode("utf-8", "replace"))
        snapshot = reflect_ddl("any", f"ddl:{file}?dialect={dialect}", Wishes())
    assert all(table.name for table in snapshot.tables)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1, max_size=20), st.booleans()),
        min_size=1,
        max_size=8,
        unique_by=lambda one: one[0],
    )
)
def test_quoted_names_come_back_exactly(columns: list[tuple[str, bool]]) -> None:
    rows = ", ".join('"' + name.replace('"', '""') + '" int' + (" NOT NULL" if is_needed else "") for name, is_needed in columns)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "any.sql"
        file.write_bytes(f'CREATE TABLE "a ""b"" c" ({rows});'.encode())
        snapshot = reflect_ddl("any", f"ddl:{file}?dialect=postgres", Wishes())
    assert [one.name for one in snapshot.tables] == ['a "b" c']
    assert [(one.name, not one.nullable) for one in snapshot.tables[0].columns] == columns
    assert not snapshot.unread
