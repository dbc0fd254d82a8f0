"""What does `clew install` do? It tells coding agents of `clew mcp`, shows each change first, and can take it back."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clew.core.visible import visible
from clew.errors import UsageError
from clew.interfaces.cli.output import emit, emit_lines, flush, note, on_terminal

if TYPE_CHECKING:
    from clew.interfaces.install.changing import Change
    from clew.interfaces.install.clients import Client

WRONG_USE = 2


@click.command
@click.argument("client", nargs=-1)
@click.option("--user", "scope", flag_value="user", default=True, help="In your own settings, for every project.  [default]")
@click.option(
    "--project", "scope", flag_value="project", help="In the settings of the project around the current folder, to be shared with it."
)
@click.option("--dry-run", is_flag=True, help="Show what would change and write nothing.")
@click.option("--uninstall", is_flag=True, help="Take the entry and the note out again.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def install(client: tuple[str, ...], scope: str, dry_run: bool, uninstall: bool, yes: bool) -> int:
    """Tell coding agents of `clew mcp`: an entry in the settings of each CLIENT, and a short note in its instructions.

    With no CLIENT, those that have settings here. Each change is shown, and asked about on a terminal. Clients: claude-code, claude-desktop,
    cursor, vscode, codex, gemini, windsurf, zed, cline, continue, opencode, goose.
    """
    from clew.sources.project import project_root

    project = project_root(Path()) if scope == "project" else None
    chosen = _chosen(client, project)
    changes, code = _changes(chosen, project, uninstall=uninstall)
    for change in changes:
        emit_lines(visible(line) for line in change.diff())
    flush()
    if not changes:
        note(f"nothing to change for {', '.join(one.title for one in chosen)}" if not code else "nothing is changed")
    elif not dry_run and _agreed(yes=yes):
        for change in changes:
            change.write()
            emit(f"{'wrote' if change.after is not None else 'removed'} {visible(str(change.path))}")
    return code


def _chosen(names: tuple[str, ...], project: Path | None) -> list[Client]:
    from clew.interfaces.install.clients import client, clients

    found = [client(name) for name in names] or [one for one in clients().values() if one.is_here(project)]
    if not found:
        raise UsageError("no client has settings here", f"name one: {', '.join(clients())}")
    return found


def _changes(chosen: list[Client], project: Path | None, *, uninstall: bool) -> tuple[list[Change], int]:
    """What is to be changed; a client whose files cannot be edited is named, and is exit code 2, while the others are served."""
    from clew.interfaces.install.changing import added, removed

    changes: dict[Path, Change] = {}
    code = 0
    for one in chosen:
        try:
            found = removed(one, project) if uninstall else added(one, _command(shared=project is not None), project)
        except UsageError as fault:
            note(f"clew: {one.title}: {fault.message}" + (f" ({fault.hint})" if fault.hint else ""))
            code = WRONG_USE
        else:
            changes.update({change.path: change for change in found if change})
    return list(changes.values()), code


def _command(*, shared: bool) -> list[str]:
    """How a client starts the server: by name where others read it too, else by this program's own place."""
    if shared:
        return ["clew", "mcp"]
    beside = Path(sys.executable).with_name("clew")
    place = str(beside) if beside.exists() else shutil.which("clew")
    return [place, "mcp"] if place else [sys.executable, "-P", "-m", "clew", "mcp"]


def _agreed(*, yes: bool) -> bool:
    if yes:
        return True
    if not on_terminal(sys.stdin):
        raise UsageError("nothing is written without being asked", "--yes writes it, --dry-run only shows it")
    return click.confirm("write this?", default=True, err=True)
