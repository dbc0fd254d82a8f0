"""What does `clew store copy` do? It makes a store hold what another one holds."""

from __future__ import annotations

from pathlib import Path

import click

from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines
from clew.interfaces.cli.progress import progress_bar


@click.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option(
    "--namespace",
    "namespaces",
    metavar="NAME",
    multiple=True,
    help="What to copy: else the project's own out of a database, all out of a folder.",
)
@project_option
@json_option
def store_copy(source: str, target: str, namespaces: tuple[str, ...], path: str, as_json: bool) -> int:
    """Copy an index FROM one store TO another: embedded (the project's folder), an index's folder, or mongodb://HOST/DATABASE.

    Nothing is embedded again. What arrived is read back and compared. Ended half-way, it goes on where it was; what is there already is left.
    """
    from clew.assembly_stores import copy_store
    from clew.index.updater import Progress

    with progress_bar() as bar:

        def report(name: str, done: int, total: int) -> None:
            if bar is not None:
                bar(Progress(f"copying {name}", done, total))

        copied = copy_store(Path(path), source, target, namespaces, report)
    if as_json:
        emit_json({"namespaces": [{name: getattr(one, name) for name in _SHOWN} for one in copied]})
    else:
        emit_lines([_line(one) for one in copied])
    return 0


_SHOWN = ("namespace", "files", "there", "deleted", "chunks", "vectors")


def _line(one: object) -> str:
    namespace, files, there, deleted, chunks, vectors = (getattr(one, name) for name in _SHOWN)
    return f"{namespace}: {files} files copied, {there} there already, {deleted} deleted; {chunks} chunks, {vectors} vectors"
