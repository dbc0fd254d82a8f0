#!/usr/bin/env python3
"""How well does a question find the tables and columns it needs? In one process, over the whole way from words to an answer.

    schema.py DATA [--half dev held] [--every N] [--links] [--speed] [--budget] [--page FILE]

DATA is the folder of the schema sets (schema_set.py). In database: each question asks its own database (tables full@3 and @5, columns full@20 of
at most 20 tables, as `clew db search --limit 20` gives them); pooled: all databases of the set. Weights were chosen on the databases of dev alone
(fit_schema.py). Intervals are 95%, by drawing databases. --links hides the declared keys and counts how many of the inferred ones are declared;
--speed times questions, also over 5,000 tables with 60,000 columns; --budget counts questions whose DDL holds all that they need.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from schema_set import SETS, VERSION, corpus, interval, is_dev, measured, measured_pooled, questions, snapshots

from clew.core.schema.answer import SchemaAnswer, SchemaQuestion
from clew.core.schema.contracts import Snapshot
from clew.search.schema.index import Entry
from clew.search.schema.links import inferred
from clew.search.schema.retrieval import SchemaSearch

HALVES = {"dev": True, "held": False}
LIMIT = 20
VARIANTS = (
    ("broad", "", False),
    ("synonyms", "", False),
    ("business", "", False),
    ("business", "hints", False),
    ("business", "values", True),
)
LARGE_TABLES, LARGE_COLUMNS = 5_000, 12


def flat(answer: SchemaAnswer) -> tuple[list[str], list[str]]:
    """Tables in order, and columns of all of them by score."""
    columns = [(column.score, table.table.name, column.column.name) for table in answer.tables for column in table.columns]
    columns.sort(key=lambda one: -one[0])
    return [table.table.name for table in answer.tables], [f"{table}.{column}" for _, table, column in columns]


def quality(data: Path, every: int) -> Iterator[tuple[str, str, str, dict[str, list[float]]]]:
    """(set, half, measure, values by database)."""
    for name, variant, samples in VARIANTS:
        known = snapshots(data, corpus(name), samples=samples)
        search = SchemaSearch([Entry(one) for one in known.values()])
        found: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for question in questions(data, name)[::every]:
            database = question["db_id"]
            text = f"{question['query']}\n{question.get('evidence', '')}" if variant == "hints" else question["query"]
            inside = search.answer(SchemaQuestion(text, datasources=(database,), limit=LIMIT))
            values = measured(question, *flat(inside))
            everywhere = search.answer(SchemaQuestion(text, limit=LIMIT))
            values |= measured_pooled(question, [(table.datasource, table.table.name) for table in everywhere.tables])
            for measure, value in values.items():
                for half in ("dev" if is_dev(database) else "held", "all"):
                    found[half, measure][database].append(value)
        for (half, measure), by_database in found.items():
            yield f"{name}, {variant}" if variant else name, half, measure, by_database


def table(data: Path, every: int) -> Iterator[str]:
    """The results as lines of Markdown."""
    rows: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for name, half, measure, by_database in quality(data, every):
        values = [value for values in by_database.values() for value in values]
        low, high = interval(by_database)
        rows[name, measure][half] = f"{statistics.fmean(values):.3f}" + (f" [{low:.3f}, {high:.3f}]" if half == "all" else "")
    yield "| set | measure | dev | held out | all |"
    yield "| --- | --- | --- | --- | --- |"
    for (name, measure), halves in rows.items():
        yield f"| {name} | {measure} | {halves.get('dev', '')} | {halves.get('held', '')} | {halves.get('all', '')} |"


def link_quality(data: Path) -> Iterator[str]:
    """Inferred links against declared keys that were hidden."""
    yield "| corpus | half | inferred | of them declared | precision | where its table declares keys | of the declared ones |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for name in ("broad", "business"):
        counts: dict[str, list[int]] = defaultdict(lambda: [0] * 5)
        for database, snapshot in snapshots(data, name).items():
            declared = set(_pairs(snapshot))
            telling = {one.name.lower() for one in snapshot.tables if one.foreign_keys}
            got = set(_inferred(snapshot))
            known = {one for one in got if one[0] in telling}
            more = (len(got), len(got & declared), len(known), len(known & declared), len(declared) // 2)
            if declared:
                half = "dev" if is_dev(database) else "held out"
                counts[half] = [one + other for one, other in zip(counts[half], more, strict=True)]
        for half, (got_all, right, got_known, right_known, all_declared) in sorted(counts.items()):
            shares = (right / max(1, got_all), right_known / max(1, got_known), right / max(1, all_declared))
            yield f"| {name} | {half} | {got_all} | {right} | " + " | ".join(f"{share:.3f}" for share in shares) + " |"


def _pairs(snapshot: Snapshot) -> Iterator[tuple[str, str, str, str]]:
    """Declared pairs of columns, both ways."""
    for one in snapshot.tables:
        for key in one.foreign_keys:
            for near, far in zip(key.columns, key.referred_columns, strict=True):
                names = (one.name.lower(), near.lower(), key.referred_table.lower(), far.lower())
                yield names
                yield (*names[2:], *names[:2])


def _inferred(snapshot: Snapshot) -> Iterator[tuple[str, str, str, str]]:
    hidden = snapshot.model_copy(update={"tables": tuple(one.model_copy(update={"foreign_keys": ()}) for one in snapshot.tables)})
    for link in inferred(hidden):
        key = link.key
        for near, far in zip(key.columns, key.referred_columns, strict=True):
            yield hidden.tables[link.left].name.lower(), near.lower(), key.referred_table.lower(), far.lower()


def budgets(data: Path, every: int) -> Iterator[str]:
    """Questions whose DDL holds all tables and columns that they need, by budget."""
    yield "| set | tokens | all tables | all columns |"
    yield "| --- | --- | --- | --- |"
    for name in SETS:
        search = SchemaSearch([Entry(one) for one in snapshots(data, corpus(name)).values()])
        for budget in (250, 500, 1_000, 2_000):
            tables, columns = [], []
            for question in questions(data, name)[::every]:
                answer = search.answer(SchemaQuestion(question["query"], datasources=(question["db_id"],), max_tokens=budget))
                lower = answer.ddl.lower()
                tables.append(all(one.lower() in lower for one in question["gold_tables"]))
                columns.append(all(one.lower().split(".", 1)[1] in lower for one in question["gold_columns"]))
            yield f"| {name} | {budget} | {statistics.fmean(tables):.3f} | {statistics.fmean(columns):.3f} |"


def speed(data: Path) -> Iterator[str]:
    """CPU milliseconds of a question, warm."""
    rows = questions(data, "broad")[:300]
    known = snapshots(data, "broad")
    yield "| over | tables | columns | first, CPU s | a question, CPU ms (median) | 95% |"
    yield "| --- | --- | --- | --- | --- | --- |"
    single = {one["db_id"]: SchemaSearch([Entry(known[one["db_id"]])]) for one in rows}
    yield _timed("its own database", [(single[one["db_id"]], one["query"]) for one in rows], list(known.values())[:1])
    pool = SchemaSearch([Entry(one) for one in known.values()])
    yield _timed("all databases", [(pool, one["query"]) for one in rows], list(known.values()))
    large = large_snapshot(list(known.values()))
    yield _timed(
        "one large database",
        [(SchemaSearch([Entry(large)]), "")] * 0
        + [(search, one["query"]) for search in [SchemaSearch([Entry(large)])] for one in rows[:100]],
        [large],
    )


def _timed(name: str, asked: list[tuple[SchemaSearch, str]], over: Iterable[Snapshot]) -> str:
    start = time.process_time()
    for search in dict.fromkeys(search for search, _ in asked):
        search.answer(SchemaQuestion("warm"))
    first = time.process_time() - start
    times = []
    for search, text in asked:
        start = time.process_time()
        search.answer(SchemaQuestion(text))
        times.append(1000 * (time.process_time() - start))
    tables = [one for snapshot in over for one in snapshot.tables]
    columns = sum(len(one.columns) for one in tables)
    times.sort()
    return f"| {name} | {len(tables)} | {columns} | {first:.2f} | {times[len(times) // 2]:.1f} | {times[int(0.95 * len(times))]:.1f} |"


def large_snapshot(known: list[Snapshot]) -> Snapshot:
    """5,000 tables with 60,000 columns, out of those of the set under other names."""
    chance = random.Random(1)
    pool = [one for snapshot in known for one in snapshot.tables]
    tables = {}
    for number in range(LARGE_TABLES):
        base = pool[number % len(pool)]
        columns = {column.name: column for column in base.columns}
        while len(columns) < LARGE_COLUMNS:
            column = chance.choice(chance.choice(pool).columns)
            columns.setdefault(column.name, column)
        name = f"{base.name}_{number // len(pool)}_{number}"
        tables[name] = base.model_copy(update={"name": name, "columns": tuple(columns.values())[: LARGE_COLUMNS + 4], "foreign_keys": ()})
    return Snapshot(
        datasource="large",
        dialect="postgres",
        default_schema="public",
        tables=tuple(tables[name] for name in sorted(tables)),
        version=VERSION,
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", type=Path)
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--links", action="store_true")
    options.add_argument("--speed", action="store_true")
    options.add_argument("--budget", action="store_true")
    given = options.parse_args()
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    print(f"measured at {commit}\n")
    wanted: list[Any] = []
    if given.links:
        wanted.append(link_quality(given.data))
    if given.speed:
        wanted.append(speed(given.data))
    if given.budget:
        wanted.append(budgets(given.data, given.every))
    for lines in wanted or [table(given.data, given.every)]:
        print("\n".join(lines) + "\n", flush=True)


if __name__ == "__main__":
    main()
