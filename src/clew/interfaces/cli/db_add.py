"""What does `clew db add` do? It registers a database under a name."""

from __future__ import annotations

import sys
from typing import Any

import click

from clew.errors import UsageError
from clew.interfaces.cli.db_wishes import wish_options, wished
from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit, emit_json, note

_LONGEST_URL = 65_536


@click.command("add")
@click.argument("name")
@click.argument("url")
@project_option
@wish_options
@click.option(
    "--replace", is_flag=True, help="Let the name mean this URL, if it means another one; set damaged files of registrations aside."
)
@json_option
def db_add(name: str, url: str, path: str, replace: bool, as_json: bool, **wishes: Any) -> int:
    """Register a database: any SQLAlchemy URL, or ddl:FILE?dialect=postgres. The same once more changes the options that are given, and nothing else.

    Write ${VARIABLE} for a password, or anything else, that is to come from the environment whenever it is needed; - as URL reads it from stdin. A password
    that stands in the URL goes to a file of yours that nobody else can read, never into the project.
    """
    from clew.interfaces.cli.db_opening import databases
    from clew.interfaces.rendering.schema_wire import added_object

    is_piped = url == "-"
    with databases(path) as opened:
        added = opened.add(name, _from_stdin() if is_piped else url, replaced=replace, **wished(wishes))
    for aside in added.set_aside:
        note(f"what was damaged is kept as {aside}; databases that it named are added again the same way")
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
