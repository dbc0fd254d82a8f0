"""What does `clew index` do? It brings the index up to date and says what it did."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew.errors import IndexUnusable, UsageError
from clew.interfaces.cli.options import embedder_option, json_option, project_argument
from clew.interfaces.cli.output import emit_json, emit_lines, note
from clew.settings import INDEX_MODES

if TYPE_CHECKING:
    from clew.core.answer import IndexReport


@click.command
@project_argument
@click.option("--mode", metavar="MODE", help="fast: words and names only; hybrid: vectors too.  [default: as before, hybrid at first]")
@click.option("--rebuild", is_flag=True, help="Forget the index and make it anew.")
@embedder_option
@json_option
def index(path: str, mode: str | None, rebuild: bool, embedder: str | None, as_json: bool) -> int:
    """Bring the index of a project up to date. Only what changed is read again."""
    if mode is not None and mode not in INDEX_MODES:
        raise UsageError(f"--mode {mode} is not available in this version", f"choose one of {', '.join(INDEX_MODES)}")
    try:
        report = _run(Path(path), mode, embedder, rebuild=rebuild, quiet=as_json)
    except IndexUnusable as fault:
        if not rebuild or "--rebuild" not in fault.hint:  # a full disk is no reason to throw a good index away
            raise
        report = _run(_discarded(Path(path), embedder), mode, embedder, rebuild=False, quiet=as_json)
    if as_json:
        from clew.interfaces.rendering.wire import report_object

        emit_json(report_object(report))
    else:
        from clew.interfaces.rendering.plain import report_lines

        emit_lines(report_lines(report))
    return 0


def _run(path: Path, mode: str | None, embedder: str | None, *, rebuild: bool, quiet: bool) -> IndexReport:
    from clew.assembly import open_engine
    from clew.interfaces.cli.progress import progress_bar

    with open_engine(path, {"embedder": embedder}) as engine, progress_bar() as progress:
        warnings = engine.settings.warnings
        report = engine.index(mode=mode, rebuild=rebuild, progress=progress)
    for warning in (*warnings, *(() if quiet else report.warnings)):
        note(f"warning: {warning}")
    return report


def _discarded(path: Path, embedder: str | None) -> Path:
    """The project's root, its index thrown away: what is damaged cannot be emptied."""
    from clew.assembly import discard_index

    return discard_index(path, {"embedder": embedder})
