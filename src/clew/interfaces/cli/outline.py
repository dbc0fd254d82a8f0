"""What does `clew outline` do? It shows the definitions of one file."""

from __future__ import annotations

import os
from pathlib import Path

import click

from clew.errors import UsageError
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.output import emit_json, emit_lines, note

NOTHING_FOUND = 1


@click.command
@click.argument("file")
@click.option("--path", metavar="PATH", help="The project.  [default: the one around the file]")
@json_option
def outline(file: str, path: str | None, as_json: bool) -> int:
    """List the classes, functions and sections of FILE with their lines."""
    from clew.assembly import open_engine
    from clew.interfaces.rendering.plain import outline_lines
    from clew.interfaces.rendering.wire import outline_object

    with open_engine(Path(path or _project_of(file))) as engine:
        filepath = _in_project(engine.root, file)
        definitions = engine.outline(filepath)
    if as_json:
        emit_json(outline_object(filepath, definitions))
    else:
        emit_lines(outline_lines(definitions))
        if not definitions:
            note(f"no definitions in {filepath}")
    return 0 if definitions else NOTHING_FOUND


def _project_of(file: str) -> Path:
    """Where to look for the project: here, if the file is in the project around here, else at the file."""
    from clew.sources.project import project_root

    inside = Path(os.path.realpath(file)).is_relative_to(project_root(Path()))
    folder = Path(file).parent
    return Path() if inside or not folder.is_dir() else folder


def _in_project(root: Path, file: str) -> str:
    """The path of the file from the project's root."""
    for candidate in (Path(file), root / file):
        real = Path(os.path.realpath(candidate.parent)) / candidate.name
        if os.path.lexists(real) and real.is_relative_to(root):
            return real.relative_to(root).as_posix()
    raise UsageError(f"{file} is not a file of {root}", "give its path from here or from the project's root, or the project with --path")
