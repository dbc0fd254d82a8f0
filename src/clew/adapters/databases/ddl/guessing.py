"""Which dialect is a DDL file written in, when nobody says? What only one of them writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

# The first of these that is found decides; what only one tool writes stands before what several could.
_SIGNS: tuple[tuple[str, re.Pattern[bytes]], ...] = tuple(
    (dialect, re.compile(signs.encode(), re.IGNORECASE | re.MULTILINE))
    for dialect, signs in (
        (
            "mysql",
            r"\bENGINE\s*=|/\*!\d{5}|\bAUTO_INCREMENT\b|^-- (?:MySQL|MariaDB) dump|\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?`(?![^`]*\.)",
        ),
        ("tsql", r"^\s*GO\s*$|\[dbo\]|\bNVARCHAR\s*\(\s*MAX\b|\bIDENTITY\s*\(\s*\d+\s*,|\bUNIQUEIDENTIFIER\b"),
        ("snowflake", r"\bTIMESTAMP_(?:NTZ|LTZ|TZ)\b|\bVARIANT\b|\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:TRANSIENT|HYBRID)\s+TABLE\b"),
        ("oracle", r"\bVARCHAR2\b|\bNUMBER\s*\(\s*\d+|^-- DDL for Table|\bFROM\s+DUAL\b"),
        ("sqlite", r"\bAUTOINCREMENT\b|^PRAGMA\b|\bWITHOUT\s+ROWID\b|\bUSING\s+fts\d|\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?\["),
        ("bigquery", r"\bSTRING\b[^;]*\bINT64\b|\bINT64\b|\bOPTIONS\s*\(\s*description"),
        ("duckdb", r"\bHUGEINT\b|\bU(?:INTEGER|BIGINT|TINYINT)\b|\bSTRUCT\s*\("),
    )
)
_LOOKED_AT = 200_000


def guessed_dialect(files: Sequence[Path]) -> str:
    """The dialect of the first file that gives itself away, else postgres."""
    for file in files:
        try:
            with file.open("rb") as stream:
                start = stream.read(_LOOKED_AT).replace(b"\0", b"")
        except OSError:
            continue
        for dialect, sign in _SIGNS:
            if sign.search(start):
                return dialect
    return "postgres"
