"""What does `clew outline` do? It shows the definitions of a file, or of the files of a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew.errors import UsageError
from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.output import emit_json, emit_lines, note
from clew.interfaces.cli.places import in_project, project_start

if TYPE_CHECKING:
    from clew.core.document import Definition

NOTHING_FOUND = 1


@click.command
@click.argument("file")
@click.option("--path", metavar="PATH", help="The project.  [default: the one around the file]")
@json_option
def outline(file: str, path: str | None, as_json: bool) -> int:
    """List the classes, functions and sections of FILE with their lines; of a folder, the outermost ones of each file."""
    if os.path.isdir(file):  # noqa: PTH112 - false, where Path.is_dir raises, for a name that is too long
        return _folder(file, path, as_json=as_json)
    from clew.interfaces.rendering.plain import outline_lines
    from clew.interfaces.rendering.wire import outline_object

    filepath, definitions = _outline(file, path)
    if as_json:
        emit_json(outline_object(filepath, definitions))
    else:
        emit_lines(outline_lines(definitions))
        if not definitions:
            note(f"no definitions in {filepath}")
    return 0 if definitions else NOTHING_FOUND


def _folder(folder: str, path: str | None, *, as_json: bool) -> int:
    """The files of a folder; they are many, so that an index is needed."""
    from clew.assembly import open_engine
    from clew.interfaces.rendering.plain import outlines_lines
    from clew.interfaces.rendering.wire import outlines_object

    with open_engine(Path(path or folder), create=False) as engine:
        inside = in_project(engine.root, os.path.realpath(folder))
        found = engine.outlines("" if inside == "." else inside)
    if as_json:
        emit_json(outlines_object(inside, found))
    else:
        emit_lines(outlines_lines(found))
        if not found:
            note(f"no file of {inside} is in the index")
    return 0 if found else NOTHING_FOUND


def _outline(file: str, path: str | None) -> tuple[str, tuple[Definition, ...]]:
    """The file's path in its project, and its definitions; where there is no index, read as it stands: none is made for one file."""
    from clew.assembly import has_index, open_engine
    from clew.sources.project import project_root

    start = project_start(path, file)
    if start.exists() and not has_index(start):
        root = project_root(start)
        return _read(root, in_project(root, file))
    with open_engine(start) as engine:
        filepath = in_project(engine.root, file)
        return filepath, engine.outline(filepath)


def _read(folder: Path, name: str) -> tuple[str, tuple[Definition, ...]]:
    from clew.sources.outliner import outline as outline_of
    from clew.sources.reading import read
    from clew.sources.rules import Rules

    reading = read(folder, name, Rules())
    if reading.document is None:
        raise UsageError(f"{folder / name}: {reading.skipped}", "give the path of a text file")
    return name, outline_of(reading.document.lines, reading.document.language).definitions
