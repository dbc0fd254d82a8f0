"""Which commands are there?"""

from __future__ import annotations

from typing import Annotated

import typer

from clew.interfaces.cli.doctor import doctor
from clew.interfaces.cli.index import index
from clew.interfaces.cli.init import init
from clew.interfaces.cli.outline import outline
from clew.interfaces.cli.output import emit
from clew.interfaces.cli.search import search
from clew.interfaces.cli.status import status

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,  # with it, --help imports rich
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        emit(f"clew {version('clew')}")
        raise typer.Exit


@app.callback()
def clew(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")] = False,
) -> None:
    """Find the few places that matter in a code base: ask in words or with a name.

    Exit codes: 0 done, 1 nothing found, 2 wrong use, 3 no index, 4 index unusable, 5 another process is writing it,
    70 a fault of clew, 130 interrupted.
    """


for command in (init, index, search, status, outline, doctor):
    app.command()(command)
