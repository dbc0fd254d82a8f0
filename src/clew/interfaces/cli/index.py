"""What does `clew index` do? It brings the index up to date and says what it did."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew.errors import IndexUnusable, UsageError
from clew.interfaces.cli.options import embedder_option, json_option, project_argument
from clew.interfaces.cli.output import emit_json, emit_lines, note
from clew.settings import INDEX_MODES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clew.core.answer import IndexReport


@click.command
@project_argument
@click.option(
    "--mode", metavar="MODE", help="fast: words and names only; hybrid: vectors too; standard: and summaries.  [default: as before]"
)
@click.option("--rebuild", is_flag=True, help="Forget the index and make it anew.")
@click.option("--dry-run", is_flag=True, help="Say what embedding would take (with --mode standard: the summaries), and do nothing.")
@click.option("--max-cost", metavar="TOKENS", type=int, help="With --mode standard: the most tokens, read and written.  [default: 1000000]")
@click.option("--max-dollars", metavar="DOLLARS", help="Stop embedding before it costs more.  [default: the setting max_cost]")
@embedder_option
@json_option
def index(
    path: str,
    mode: str | None,
    rebuild: bool,
    dry_run: bool,
    max_cost: int | None,
    max_dollars: str | None,
    embedder: str | None,
    as_json: bool,
) -> int:
    """Bring the index of a project up to date. Only what changed is read again."""
    if mode is not None and mode not in INDEX_MODES:
        raise UsageError(f"there is no index mode {mode!r}", f"choose one of {', '.join(INDEX_MODES)}")
    if max_cost is not None and mode != "standard":
        raise UsageError("--max-cost is about summaries", "add --mode standard, or use --max-dollars")
    if max_cost is not None and max_cost < 1:
        raise UsageError(f"--max-cost cannot be {max_cost}", "it must be a number of tokens")
    if dry_run and mode != "standard":
        from clew.interfaces.cli.embedding_cost import show_cost as show_embedding_cost

        return show_embedding_cost(Path(path), embedder, as_json=as_json)
    if dry_run:
        from clew.interfaces.cli.summaries import show_cost

        return show_cost(Path(path), embedder, as_json=as_json)
    given = {"embedder": embedder, "max_cost": max_dollars}
    try:
        report = _run(Path(path), mode, given, rebuild=rebuild, quiet=as_json)
    except IndexUnusable as fault:
        if not rebuild or "--rebuild" not in fault.hint:  # a full disk is no reason to throw a good index away
            raise
        report = _run(_discarded(Path(path), embedder), mode, given, rebuild=False, quiet=as_json)
    if mode == "standard":
        from clew.interfaces.cli.summaries import describe

        report = replace(report, summaries=describe(Path(path), embedder, max_cost, quiet=as_json))
    if as_json:
        from clew.interfaces.rendering.wire import report_object

        emit_json(report_object(report))
    else:
        from clew.interfaces.rendering.plain import report_lines

        emit_lines(report_lines(report))
    return 0


def _run(path: Path, mode: str | None, given: Mapping[str, object], *, rebuild: bool, quiet: bool) -> IndexReport:
    from clew.assembly import open_engine
    from clew.interfaces.cli.progress import progress_bar

    with open_engine(path, given) as engine, progress_bar() as progress:
        warnings = engine.settings.warnings
        report = engine.index(mode="hybrid" if mode == "standard" else mode, rebuild=rebuild, progress=progress)
    for warning in (*warnings, *(() if quiet else report.warnings)):
        note(f"warning: {warning}")
    return report


def _discarded(path: Path, embedder: str | None) -> Path:
    """The project's root, its index thrown away: what is damaged cannot be emptied."""
    from clew.assembly import discard_index

    return discard_index(path, {"embedder": embedder})
