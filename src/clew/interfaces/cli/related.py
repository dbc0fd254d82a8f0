"""What does `clew related` do? It shows what belongs to a line of a file."""

from __future__ import annotations

import click

from clew.errors import UsageError
from clew.interfaces.cli.connections import NOTHING_FOUND, remarks
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.output import emit_json, emit_lines
from clew.interfaces.cli.places import opened


@click.command
@click.argument("place", metavar="FILE:LINE")
@click.option("--path", metavar="PATH", help="The project.  [default: the one around the file]")
@json_option
def related(place: str, path: str | None, as_json: bool) -> int:
    """Show what belongs to a line: its definition, what that calls, who calls it, which tests do. Exit code 1: the line is in no definition."""
    from clew.interfaces.rendering.connections import related_lines, related_object

    file, line = _place(place)
    with opened(path, file) as (engine, filepath):
        found = engine.related(filepath, line)
    if as_json:
        emit_json(related_object(found))
    else:
        emit_lines(related_lines(found))
        remarks(found.warnings, [] if found.symbol else [f"line {line} of {filepath} is in no definition; clew outline lists them"])
    return 0 if found.symbol else NOTHING_FOUND


def _place(text: str) -> tuple[str, int]:
    file, _, line = text.rpartition(":")
    if not file or not (line.isascii() and line.isdigit()) or len(line) > 9 or int(line) < 1:
        raise UsageError(f"{text} names no line of a file", "give a path and a line: src/users.py:12")
    return file, int(line)
