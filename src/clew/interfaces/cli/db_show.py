"""What does `clew db show` do? It shows what is known of a database or a table."""

from __future__ import annotations

import click

from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines, note


@click.command("show")
@click.argument("name", metavar="NAME[.TABLE]")
@project_option
@click.option("--schema-version", metavar="VERSION", default="", help="Show a version that is kept.  [default: the latest]")
@json_option
def db_show(name: str, path: str, schema_version: str, as_json: bool) -> int:
    """Show the tables of a database, or all that is known of one table: NAME.TABLE or NAME.SCHEMA.TABLE."""
    from clew.interfaces.cli.db_opening import databases
    from clew.interfaces.rendering.schema_plain import shown_lines
    from clew.interfaces.rendering.schema_wire import shown_object

    with databases(path) as opened:
        shown = opened.show(name, schema_version)
    for warning in shown.warnings:
        note(f"warning: {warning}")
    if as_json:
        emit_json(shown_object(shown))
    else:
        emit_lines(shown_lines(shown, whole="." in name))
    return 0
