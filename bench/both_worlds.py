#!/usr/bin/env python3
"""When is a table shown beside code, and is that right? Questions about code and questions about data, asked of projects that have both.

    both_worlds.py WORKTREES QUERIES DATA [--databases 3]

WORKTREES holds the repositories of the code set, QUERIES their questions (code_set.py), DATA the schema sets (schema_set.py). Each repository gets a few databases,
dev to dev, drawn by name; then it is asked its own questions, where every table that is shown is wrong, and those of the databases, where the needed tables are right.
The thresholds of `clew.search.tables` are set to nothing once, and tried on what was then found. Printed is, for each, how many questions about code were answered with a table,
how many about data with one that is needed, or with all, and how many of the tables shown are needed. A made project: code and data know nothing of each other, so
`NAMED` is met by chance alone.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from code_set import HALVES
from code_set import questions as code_questions
from schema_set import corpus, is_dev, questions, snapshots

from clew.assembly import open_databases, open_engine
from clew.core.answer import Question
from clew.core.schema.contracts import Snapshot
from clew.core.words import terms
from clew.search import tables as rules
from clew.search.schema.ddl import Part, render

CONFIDENT = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
NAMED = (0.05, 0.1, 0.2, 0.3, 0.5)
APART = (0.3, 0.5, 0.7, 0.9)
LIMIT = 10


class Shown(NamedTuple):
    """A table that could be shown: its score, whether the question has its name, whether it is needed."""

    score: float
    is_named: bool
    is_needed: bool


class Asked(NamedTuple):
    """A question and all tables that could be shown; `needed` is how many it needs, `has_code` when code was found, too."""

    half: str
    needed: int
    has_code: bool
    tables: tuple[Shown, ...]


def asked(worktrees: Path, queries: Path, data: Path, databases: int) -> Iterator[Asked]:
    """Every question of every repository that is there, without thresholds."""
    rules.CONFIDENT = rules.NAMED = rules.APART = 0.0
    of_code = code_questions(queries)
    for half, names in HALVES.items():
        there = [name for name in names if (worktrees / name).is_dir()]
        known = {name: one for name, one in sorted(snapshots(data, corpus("broad")).items()) if is_dev(name) is (half == "dev")}
        chosen = list(known)[:: max(1, len(known) // max(1, databases * len(there)))]
        for place, name in enumerate(there):
            mine = chosen[place * databases : (place + 1) * databases]
            with tempfile.TemporaryDirectory() as folder:
                overrides = {"index_dir": folder}
                with open_databases(worktrees / name, overrides) as opened:
                    for database in mine:
                        path = Path(folder) / f"{database}.sql"
                        path.write_text(ddl(known[database]), encoding="utf-8")
                        opened.add(database, f"ddl:{path}?dialect=postgres")
                    list(opened.index())
                with open_engine(worktrees / name, overrides) as engine:
                    engine.index()
                    for one in of_code.get(name, ()):
                        yield _asked(engine.search(Question(one["query"], limit=LIMIT)).results, half, one["query"], set())
                    for one in questions(data, "broad"):
                        if one["db_id"] in mine:
                            wanted = {(one["db_id"], table.lower()) for table in one["gold_tables"]}
                            yield _asked(engine.search(Question(one["query"], limit=LIMIT)).results, half, one["query"], wanted)


def ddl(snapshot: Snapshot) -> str:
    return render(snapshot, [Part(place, [column.name for column in table.columns]) for place, table in enumerate(snapshot.tables)])


def _asked(results, half: str, text: str, wanted: set[tuple[str, str]]) -> Asked:  # type: ignore[no-untyped-def]
    words = set(terms(text))
    found = []
    for result in results:
        if result.chunk.symbol_type == "table":
            place = (result.chunk.filepath.removeprefix("db:").split(".")[0].strip('"'), result.chunk.symbol_name.lower())
            found.append(Shown(result.score, words.issuperset(terms(result.chunk.symbol_name)), place in wanted))
    return Asked(half, len(wanted), any(result.chunk.symbol_type != "table" for result in results), tuple(found))


def kept(one: Asked, confident: float, named: float, apart: float) -> list[Shown]:
    """The tables that these thresholds show."""
    usual = confident if one.has_code else apart * max((table.score for table in one.tables), default=0.0)
    return [table for table in one.tables if table.score >= (min(usual, named) if table.is_named else usual)]


def rows(found: list[Asked], half: str) -> Iterator[str]:
    yield f"| {half}: confident | named | apart | code with a table | data with a needed one | with all (at most 3) | of those shown needed |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    mine = [one for one in found if one.half == half]
    now = (0.3, 0.05, 0.5)
    tried = {now: None} | dict.fromkeys(
        itertools.chain(((c, 0.05, 0.5) for c in CONFIDENT), ((0.3, n, 0.5) for n in NAMED), ((0.3, 0.05, a) for a in APART))
    )
    for confident, named, apart in tried:
        shown = [(one, kept(one, confident, named, apart)) for one in mine]
        code = [bool(tables) for one, tables in shown if not one.needed]
        data = [(sum(table.is_needed for table in tables), one.needed) for one, tables in shown if one.needed]
        whole = [right == needed for right, needed in data if needed <= rules.MOST_TABLES]
        every = [table.is_needed for one, tables in shown if one.needed for table in tables]
        yield (
            f"| {confident} | {named} | {apart} | {sum(code)} of {len(code)} | {sum(right > 0 for right, _ in data) / max(1, len(data)):.3f} of {len(data)} | "
            f"{sum(whole) / max(1, len(whole)):.3f} of {len(whole)} | {sum(every) / max(1, len(every)):.3f} |"
        )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("worktrees", type=Path)
    options.add_argument("queries", type=Path)
    options.add_argument("data", type=Path)
    options.add_argument("--databases", type=int, default=3)
    given = options.parse_args()
    found = list(asked(given.worktrees, given.queries, given.data, given.databases))
    for half in HALVES:
        print("\n".join(rows(found, half)) + "\n", flush=True)


if __name__ == "__main__":
    main()
