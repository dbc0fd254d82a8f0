"""What does `clew db add` do? It registers a database under a name."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from clew.errors import UsageError
from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit, emit_json, note

if TYPE_CHECKING:
    from clew.core.schema.protocols import Wishes

_LONGEST_URL = 65_536


@click.command("add")
@click.argument("name")
@click.argument("url")
@project_option
@click.option(
    "--schema", metavar="NAME", multiple=True, help="Only this schema of the database. May be repeated.  [default: all but the system's]"
)
@click.option(
    "--statistics/--no-statistics", default=None, help="Also read row counts and what a bounded sample of rows says of each column."
)
@click.option("--samples", metavar="N", type=click.IntRange(0, 1000), help="Sample values of each column, with --statistics.  [default: 5]")
@click.option("--pii-values/--no-pii-values", default=None, help="Keep values of columns that look personal, too.")
@click.option(
    "--values/--no-values",
    default=None,
    help="Keep the distinct values of columns of text, so that questions find them; never of those that look personal.",
)
@click.option("--timeout", metavar="SECONDS", type=click.FloatRange(0.1, 3600), help="How long one statement may take.  [default: 10]")
@click.option("--replace", is_flag=True, help="Let the name mean this URL, if it means another one.")
@json_option
def db_add(name: str, url: str, path: str, replace: bool, as_json: bool, **wishes: Any) -> int:
    """Register a database: any SQLAlchemy URL, or ddl:FILE?dialect=postgres. The same once more changes nothing.

    Write ${VARIABLE} for a password, or anything else, that is to come from the environment whenever it is needed; - as URL reads it from stdin. A password
    that stands in the URL goes to a file of yours that nobody else can read, never into the project.
    """
    from clew.interfaces.cli.db_opening import databases
    from clew.interfaces.rendering.schema_wire import added_object

    is_piped = url == "-"
    with databases(path) as opened:
        added = opened.add(name, _from_stdin() if is_piped else url, _wishes(wishes), replaced=replace)
    if added.has_secrets:
        note(f"the password of {name} is kept in {opened.vault}, which only you can read; ${{VARIABLE}} in the URL would keep none")
        if not is_piped:
            note("your shell may have kept it in its history, and ps have shown it: clew db add NAME - reads the URL from stdin")
    if as_json:
        emit_json(added_object(added))
    else:
        emit(f"{name} {added.outcome}: {added.registration.url}")
    return 0


def _from_stdin() -> str:
    line = sys.stdin.readline(_LONGEST_URL).strip() if sys.stdin is not None else ""
    if not line:
        raise UsageError("there is no URL on stdin", 'for example: echo "$URL" | clew db add shop -')
    return line


def _wishes(given: dict[str, Any]) -> Wishes | None:
    """How it is to be read; None where nothing is said about that."""
    from clew.core.schema.protocols import Wishes

    wanted = {
        "schemas": given["schema"] or None,
        "statistics": given["statistics"],
        "samples": given["samples"],
        "pii_values": given["pii_values"],
        "values": given["values"],
        "timeout_s": given["timeout"],
    }
    said = {key: value for key, value in wanted.items() if value is not None}
    return Wishes(**said) if said else None
