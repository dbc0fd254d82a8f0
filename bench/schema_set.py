"""Which questions are measured on which databases? The schema sets, their snapshots, and the split that was made before anything was tuned.

A folder of the sets holds `broad.jsonl`, `synonyms.jsonl`, `business.jsonl` (a line each: id, query, db_id, gold_tables, gold_columns, and
for business an `evidence`), `broad.tables.jsonl` and `business.tables.jsonl` (a table each: db_id, table, nl, columns, pk, fk). Snapshots are
what a DDL file of these tables would give: names, types, keys, comments; sample values only when they are asked for.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from clew.core.schema.contracts import Column, ColumnStatistics, ForeignKey, Snapshot, Table
from clew.search.schema.index import SchemaIndex
from clew.search.schema.scorer import Scores

SETS = ("broad", "synonyms", "business")
TYPES = {
    "number": "numeric",
    "others": "text",
    "time": "timestamp",
    "boolean": "boolean",
    "datetime": "timestamp",
    "blob": "bytea",
    "": "text",
}
DRAWS = 1_000
"""Bootstrap samples of an interval."""
VERSION = "20260101000000_00000000"


def is_dev(database: str) -> bool:
    """True for the half of the databases that weights are chosen on: by a hash of the name, so that nobody chose it."""
    return int(hashlib.sha256(database.encode()).hexdigest(), 16) % 2 == 0


def corpus(name: str) -> str:
    """The databases that a set of questions is about."""
    return "business" if name == "business" else "broad"


def questions(data: Path, name: str) -> list[dict[str, Any]]:
    return list(_lines(data / f"{name}.jsonl"))


def snapshots(data: Path, name: str, *, samples: bool = False) -> dict[str, Snapshot]:
    """Database -> snapshot, of one corpus."""
    by_database = defaultdict(list)
    for row in _lines(data / f"{name}.tables.jsonl"):
        by_database[row["db_id"]].append(_table(row, samples=samples))
    return {
        database: Snapshot(
            datasource=database,
            dialect="postgres",
            default_schema="public",
            tables=tuple(sorted(tables, key=lambda one: one.key)),
            version=VERSION,
        )
        for database, tables in sorted(by_database.items())
    }


def _table(row: Mapping[str, Any], *, samples: bool) -> Table:
    said = row.get("nl") or ""
    return Table(
        schema_name="public",
        name=row["table"],
        columns=tuple(_column(one, samples=samples) for one in row["columns"]),
        primary_key=tuple(row.get("pk") or ()),
        foreign_keys=tuple(
            ForeignKey(columns=(column,), referred_schema="public", referred_table=table, referred_columns=(referred,))
            for column, table, referred in row.get("fk") or ()
        ),
        description=said if said.lower() != row["table"].lower() else "",
    )


def _column(one: Mapping[str, Any], *, samples: bool) -> Column:
    said = one.get("nl") or ""
    kind = one.get("type") or ""
    return Column(
        name=one["name"],
        dtype=TYPES.get(kind, kind or "text"),
        description=one.get("desc") or (said if said.lower() != one["name"].lower() else ""),
        statistics=ColumnStatistics(samples=tuple(one.get("samples") or ())) if samples else None,
    )


def in_database(question: Mapping[str, Any], index: SchemaIndex, scores: Scores) -> dict[str, float]:
    """table full@3 and @5, and column full@20 among the columns of the 20 best tables."""
    order = np.argsort(-scores.tables, kind="stable")[:20]
    names = [index.tables[place].name for place in order]
    shown = frozenset(int(place) for place in order)
    best = [int(at) for at in np.argsort(-scores.columns, kind="stable") if int(index.table_of[at]) in shown][:20]
    columns = [f"{index.tables[index.table_of[at]].name}.{index.columns[at].name}" for at in best]
    return measured(question, names, columns)


def pooled(question: Mapping[str, Any], index: SchemaIndex, scores: Scores) -> dict[str, float]:
    """table full@5 over all databases."""
    order = np.argsort(-scores.tables, kind="stable")[:5]
    found = [(index.entries[index.datasource_of[place]].snapshot.datasource, index.tables[place].name) for place in order]
    return measured_pooled(question, found)


def measured(question: Mapping[str, Any], tables: list[str], columns: list[str]) -> dict[str, float]:
    gold, got = {name.lower() for name in question["gold_tables"]}, [name.lower() for name in tables]
    found = {f"table full@{k}": float(gold <= set(got[:k])) for k in (3, 5)}
    if wanted := {name.lower() for name in question["gold_columns"]}:
        found["column full@20"] = float(wanted <= {name.lower() for name in columns[:20]})
    return found


def measured_pooled(question: Mapping[str, Any], tables: list[tuple[str, str]]) -> dict[str, float]:
    gold = {(question["db_id"], name.lower()) for name in question["gold_tables"]}
    return {"pooled table full@5": float(gold <= {(database, name.lower()) for database, name in tables[:5]})}


def interval(by_database: Mapping[str, list[float]]) -> tuple[float, float]:
    """95%, of the mean over questions, by drawing databases."""
    chance = random.Random(0)
    groups = [by_database[name] for name in sorted(by_database)]
    means = []
    for _ in range(DRAWS):
        drawn = [value for group in chance.choices(groups, k=len(groups)) for value in group]
        means.append(sum(drawn) / len(drawn))
    means.sort()
    return means[int(0.025 * DRAWS)], means[int(0.975 * DRAWS) - 1]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line.strip():
            yield json.loads(line)
