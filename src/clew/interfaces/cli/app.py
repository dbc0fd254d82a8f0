"""Which commands are there?"""

from __future__ import annotations

from importlib import import_module

import click

from clew.interfaces.cli.output import emit

COMMANDS = (
    "init",
    "index",
    "search",
    "status",
    "outline",
    "symbol",
    "callers",
    "callees",
    "importers",
    "impact",
    "related",
    "map",
    "watch",
    "gc",
    "mcp",
    "install",
    "eval",
    "doctor",
)


class _Commands(click.Group):
    """Each command lives in the module of its name, which is imported when it is asked for: a search need not load the doctor."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            from difflib import get_close_matches  # some milliseconds that only a slip is worth

            close = get_close_matches(cmd_name, COMMANDS, n=1)
            ctx.fail(f"No such command {cmd_name!r}." + (f" Did you mean {close[0]!r}?" if close else ""))
        command: click.Command = getattr(import_module(f"clew.interfaces.cli.{cmd_name}"), cmd_name)
        return command


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version  # slow to import, and rarely asked for

        emit(f"clew {version('clew')}")
        context.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Print the version and exit.")
def app() -> None:
    """Find the few places that matter in a code base: ask in words or with a name.

    Exit codes: 0 done, 1 nothing found, 2 wrong use, 3 no index, 4 index unusable, 5 another process is writing it,
    70 a fault of clew, 130 interrupted.
    """
