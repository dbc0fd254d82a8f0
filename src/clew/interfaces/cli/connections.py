"""How do commands about a name answer? Opened, asked, shown, with what to do where nothing is found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from clew.core.visible import visible
from clew.interfaces.cli.output import emit_json, emit_lines, flush, note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from clew.core.graph import Connections
    from clew.engine import Engine

NOTHING_FOUND = 1


def answer(path: str, name: str, ask: Callable[[Engine], Connections], what: str, *, as_json: bool) -> int:
    """Ask the engine of a project about a name and show what it says; `what` is symbol, callers or callees."""
    from clew.assembly import open_engine

    with open_engine(Path(path)) as engine:
        for warning in engine.settings.warnings:
            note(f"warning: {warning}")
        found = ask(engine)
    is_found = bool(found.symbols if what == "symbol" else found.edges)
    if as_json:
        from clew.interfaces.rendering.connections import connections_object

        emit_json(connections_object(found, what))
    else:
        from clew.interfaces.rendering.connections import edge_lines, symbol_lines

        emit_lines(symbol_lines(found) if what == "symbol" else edge_lines(found, what))
        remarks(found.warnings, _hints(found, name, what))
    return 0 if is_found else NOTHING_FOUND


def remarks(warnings: Iterable[str], hints: Iterable[str]) -> None:
    """Warnings and hints to stderr, after the answer."""
    flush()
    for warning in warnings:
        note(f"warning: {warning}")
    for hint in hints:
        note(hint)


def not_named(name: str, near: Iterable[str]) -> str:
    """That a name is not there, and which are much like it."""
    shown = ", ".join(map(visible, near))
    return f"no definition is named {name}" + (f"; did you mean {shown}?" if shown else "")


def _hints(found: Connections, name: str, what: str) -> list[str]:
    if not found.symbols:
        return [not_named(name, found.near)]
    hints = []
    if what != "symbol" and not found.edges:
        hints.append(f"nothing calls {name} by its name" if what == "callers" else f"{name} calls nothing of this project")
    if what != "symbol":
        from clew.interfaces.rendering.connections import choices

        hints.extend(choices(name, found.symbols))
    return hints
