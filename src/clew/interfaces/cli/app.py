"""Which commands are there?"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from clew.interfaces.cli.output import emit

COMMANDS = (
    "init",
    "index",
    "search",
    "ask",
    "status",
    "outline",
    "symbol",
    "callers",
    "callees",
    "importers",
    "impact",
    "related",
    "map",
    "db",
    "mount",
    "namespace",
    "watch",
    "gc",
    "store",
    "mcp",
    "serve",
    "token",
    "install",
    "eval",
    "models",
    "doctor",
)


class Commands(click.Group):
    """Each command lives in the module of its name (behind `prefix`), which is imported when it is asked for: a search need not load the doctor."""

    def __init__(self, *arguments: Any, names: tuple[str, ...] = COMMANDS, prefix: str = "", **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._names = names
        self._prefix = prefix

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._names:
            from difflib import get_close_matches  # some milliseconds that only a slip is worth

            close = get_close_matches(cmd_name, self._names, n=1)
            ctx.fail(f"No such command {cmd_name!r}." + (f" Did you mean {close[0]!r}?" if close else ""))
        name = f"{self._prefix}{cmd_name}"
        command: click.Command = getattr(import_module(f"clew.interfaces.cli.{name}"), name)
        return command


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # slow to import, and rarely asked for

        emit(f"clew {version('clew')}")
        context.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Print the version and exit.")
def app() -> None:
    """Find the few places that matter in a code base: ask in words or with a name.

    Exit codes: 0 done, 1 nothing found, 2 wrong use, 3 no index, 4 index unusable, 5 another process is writing it,
    70 a fault of clew, 130 interrupted.
    """
