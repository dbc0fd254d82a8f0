"""What is a language model shown of a schema, and what is taken from its answer? Structure as evidence; of the answer only what exists."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from clew.core.schema.contracts import Column, Snapshot, Table
from clew.core.schema.meaning import TableMeaning

MOST_COLUMNS = 120
"""Columns of one table that are shown: a wider one is a list of measurements."""
TABLES_A_QUESTION = 6
COLUMNS_A_QUESTION = 150
"""What one question is about: an answer of two lines a table and one a column stays under 4,000 tokens."""
_COMMENT = 300
"""Characters of a comment that are shown."""
_LONGEST = {"description": 400, "synonym": 60, "domain": 40, "question": 200}
_MOST_SYNONYMS, _MOST_QUESTIONS = 6, 4

INSTRUCTIONS = """You document a database for people who ask it questions in plain words, and who do not know the names of its tables and columns.
For each table of the evidence say: description, what one row is, in one sentence; synonyms, other words that people of the business would use for it;
domain, its area of business in one or two words; questions, up to three that the table answers.
For columns whose name is short for something, or says less than people would ask for, say the same: description and synonyms. Leave out columns that speak
for themselves. Use the names of tables and columns exactly as they stand. Say nothing that names, types, keys and comments do not suggest."""


class ColumnSaid(BaseModel):
    """What a model says of a column."""

    model_config = ConfigDict(extra="ignore")
    column: str
    description: str = ""
    synonyms: list[str] = Field(default_factory=list)


class TableSaid(BaseModel):
    """What a model says of a table."""

    model_config = ConfigDict(extra="ignore")
    table: str
    description: str = ""
    synonyms: list[str] = Field(default_factory=list)
    domain: str = ""
    questions: list[str] = Field(default_factory=list)
    columns: list[ColumnSaid] = Field(default_factory=list)


class Said(BaseModel):
    """One answer."""

    model_config = ConfigDict(extra="ignore")
    tables: list[TableSaid] = Field(default_factory=list)


def evidence(snapshot: Snapshot, table: Table) -> dict[str, Any]:
    """What is known of a table's structure, without a value of its rows."""
    found: dict[str, Any] = {"table": table.full_name, "kind": table.kind}
    if table.description:
        found["comment"] = table.description[:_COMMENT]
    if table.primary_key:
        found["primary_key"] = list(table.primary_key)
    found["columns"] = [_column(column) for column in table.columns[:MOST_COLUMNS]]
    references = [f"{', '.join(key.columns)} -> {key.referred_table}" for key in table.foreign_keys]
    if references:
        found["references"] = references
    return found


def fingerprint(model: str, shown: dict[str, Any]) -> str:
    """What an answer depends on: the model, the instructions, and what it was shown."""
    content = json.dumps([model, INSTRUCTIONS, shown], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


def batches(tables: Iterable[tuple[Table, dict[str, Any]]]) -> Iterable[list[tuple[Table, dict[str, Any]]]]:
    """Tables that are asked about together."""
    batch: list[tuple[Table, dict[str, Any]]] = []
    columns = 0
    for one in tables:
        width = min(len(one[0].columns), MOST_COLUMNS)
        if batch and (len(batch) >= TABLES_A_QUESTION or columns + width > COLUMNS_A_QUESTION):
            yield batch
            batch, columns = [], 0
        batch.append(one)
        columns += width
    if batch:
        yield batch


def taken(said: Said, tables: Sequence[Table]) -> dict[tuple[str, str], TableMeaning]:
    """What an answer says of these tables and their columns, shortened and cleaned; what it says of anything else is dropped."""
    by_name = {table.full_name: table for table in reversed(tables)} | {table.full_name.casefold(): table for table in reversed(tables)}
    found: dict[tuple[str, str], TableMeaning] = {}
    for one in said.tables:
        table = by_name.get(one.table) or by_name.get(one.table.casefold())
        if table is None or table.key in found:
            continue
        columns = {column.name: column for column in table.columns}
        spoken = [column for column in one.columns if column.column in columns]
        found[table.key] = TableMeaning(
            schema_name=table.schema_name,
            table=table.name,
            description=_clean(one.description, "description"),
            synonyms=_words(one.synonyms, table.name),
            domain=_clean(one.domain, "domain"),
            questions=_unique(_clean(text, "question") for text in one.questions)[:_MOST_QUESTIONS],
            column_descriptions={column.column: text for column in spoken if (text := _clean(column.description, "description"))},
            column_synonyms={column.column: words for column in spoken if (words := _words(column.synonyms, column.column))},
        )
    return found


def _column(column: Column) -> dict[str, Any]:
    found: dict[str, Any] = {"name": column.name, "type": column.dtype}
    if column.description:
        found["comment"] = column.description[:_COMMENT]
    if column.allowed:
        found["labels"] = list(column.allowed[:20])
    return found


def _words(texts: Sequence[str], name: str) -> tuple[str, ...]:
    """Synonyms without the name itself."""
    found = _unique(_clean(text, "synonym") for text in texts)
    return tuple(text for text in found if text.casefold() != name.casefold())[:_MOST_SYNONYMS]


def _clean(text: str, kind: str) -> str:
    """One line, nothing that a terminal or a prompt would act on, no longer than its kind may be."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    plain = re.sub(r"[<>`{}]", " ", plain)
    return " ".join(plain.split())[: _LONGEST[kind]].strip()


def _unique(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text))
