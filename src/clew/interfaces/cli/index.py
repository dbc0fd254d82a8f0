"""What does `clew index` do? It brings the index up to date and says what it did."""

from __future__ import annotations

from pathlib import Path

import click

from clew.errors import UsageError
from clew.interfaces.cli.options import embedder_option, json_option, project_argument
from clew.interfaces.cli.output import emit_json, emit_lines, note

INDEX_MODES = ("fast", "hybrid")


@click.command
@project_argument
@click.option("--mode", metavar="MODE", help="fast: words and names only; hybrid: vectors too.  [default: as before, hybrid at first]")
@click.option("--rebuild", is_flag=True, help="Forget the index and make it anew.")
@embedder_option
@json_option
def index(path: str, mode: str | None, rebuild: bool, embedder: str | None, as_json: bool) -> int:
    """Bring the index of a project up to date. Only what changed is read again."""
    from clew.assembly import open_engine
    from clew.interfaces.cli.progress import progress_bar
    from clew.interfaces.rendering.plain import report_lines
    from clew.interfaces.rendering.wire import report_object

    if mode is not None and mode not in INDEX_MODES:
        raise UsageError(f"--mode {mode} is not available in this version", f"choose one of {', '.join(INDEX_MODES)}")
    with open_engine(Path(path), {"embedder": embedder}) as engine, progress_bar() as progress:
        warnings = engine.settings.warnings
        report = engine.index(mode=mode, rebuild=rebuild, progress=progress)
    for warning in (*warnings, *(() if as_json else report.warnings)):
        note(f"warning: {warning}")
    if as_json:
        emit_json(report_object(report))
    else:
        emit_lines(report_lines(report))
    return 0
