"""What does `clew watch` do? It keeps the index of a project current until it is interrupted, and says what it takes in."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click

from clew.interfaces.cli.options import embedder_option, json_option, project_argument
from clew.interfaces.cli.output import emit, emit_json, flush, note

if TYPE_CHECKING:
    from clew.index.following import Followed


@click.command
@project_argument
@embedder_option
@json_option
def watch(path: str, embedder: str | None, as_json: bool) -> int:
    """Keep the index of a project current while you work, until Ctrl-C. Searches find changes without it too; with it they need not look."""
    from clew.assembly import open_engine
    from clew.interfaces.rendering.plain import followed_line
    from clew.interfaces.rendering.wire import followed_object

    with open_engine(Path(path), {"embedder": embedder}) as engine:
        for warning in engine.settings.warnings:
            note(f"warning: {warning}")

        def report(found: Followed) -> None:
            if as_json:
                emit_json(followed_object(found))
                return
            for warning in found.warnings:
                note(f"warning: {warning}")
            emit(followed_line(found))
            flush()

        if not as_json:
            note(f"watching {engine.root}; Ctrl-C ends it")
        try:
            engine.follow(Event(), report)
        except KeyboardInterrupt:
            return 0
    return 0
