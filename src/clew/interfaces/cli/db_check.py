"""What does `clew db check` do? It says whether a statement's tables, columns and joins exist."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from clew.errors import UsageError
from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines, note

if TYPE_CHECKING:
    from clew.databases import Databases

WRONG = 1
_LONGEST = 1_000_000
"""A statement that somebody or something wrote; more is data."""


@click.command("check")
@click.argument("sql")
@click.option("--db", metavar="NAME", help="The database that the statement is meant for.  [default: the only one that is registered]")
@project_option
@click.option("--schema-version", metavar="VERSION", default="", help="Check against a version that is kept.  [default: the latest]")
@json_option
def db_check(sql: str, db: str | None, path: str, schema_version: str, as_json: bool) -> int:
    """Say whether the tables, columns and joins of a statement exist, with the nearest right name for each that does not. Nothing is run.

    - as SQL reads it from stdin. Exit code 0: all of them do (the last line says right, or doubtful where a join follows no key), 1: something is wrong with it.
    """
    from clew.interfaces.cli.db_opening import databases
    from clew.interfaces.rendering.schema_plain import checked_lines
    from clew.interfaces.rendering.schema_wire import checked_object

    statement = sys.stdin.read(_LONGEST + 1) if sql == "-" and sys.stdin is not None else sql
    if not statement.strip() or len(statement) > _LONGEST:
        raise UsageError("there is no statement" if not statement.strip() else "the statement is too long", "give one SQL statement")
    with databases(path) as opened:
        found = opened.check(statement, db or _only_one(opened), schema_version)
    for warning in found.warnings:
        note(f"warning: {warning}")
    if as_json:
        emit_json(checked_object(found))
    else:
        emit_lines(checked_lines(found))
    return 0 if found.is_right else WRONG


def _only_one(opened: Databases) -> str:
    names = opened.names()
    if len(names) > 1:
        raise UsageError("there are several databases", f"say which: --db {' | '.join(names)}")
    return names[0] if names else ""  # of none, its door says what to do
