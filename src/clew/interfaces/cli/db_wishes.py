"""How does somebody say how a database is to be read? The options that `clew db add` and `clew db index` share; what is not said stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

if TYPE_CHECKING:
    from clew.core.schema.protocols import Changed

ALL_SCHEMAS = "*"
_Command = TypeVar("_Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option(
        "--schema",
        metavar="NAME",
        multiple=True,
        help="Only this schema of the database. May be repeated; * is all again.  [default: all but the system's]",
    ),
    click.option(
        "--statistics/--no-statistics", default=None, help="Also read row counts and what a bounded sample of rows says of each column."
    ),
    click.option(
        "--samples", metavar="N", type=click.IntRange(0, 1000), help="Sample values of each column, with --statistics.  [default: 5]"
    ),
    click.option("--pii-values/--no-pii-values", default=None, help="Also sample columns that look personal, with --statistics."),
    click.option(
        "--values/--no-values",
        default=None,
        help="Keep the distinct values of columns of text, so that questions find them; never of those that look personal.",
    ),
    click.option("--timeout", metavar="SECONDS", type=click.FloatRange(0.1, 3600), help="How long one statement may take.  [default: 10]"),
)
_NAMES = {"schema": "schemas", "timeout": "timeout_s"}


def wish_options(command: _Command) -> _Command:
    """The command with these options, in their order."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def wished(given: dict[str, Any]) -> Changed:
    """What is to be otherwise, of these options; those that were not given are not among it."""
    schemas = tuple(given["schema"])
    said = {**given, "schema": () if ALL_SCHEMAS in schemas else schemas or None}
    return cast("Changed", {_NAMES.get(name, name): value for name, value in said.items() if value is not None})
