"""What does `clew init` do? It writes a clew.toml in which every setting is explained and none is set."""

from __future__ import annotations

from pathlib import Path

import click

from clew.core.visible import visible
from clew.errors import UsageError
from clew.interfaces.cli.options import json_option, project_argument
from clew.interfaces.cli.output import emit, emit_json
from clew.settings import PROJECT_FILE, keys


@click.command
@project_argument
@json_option
def init(path: str, as_json: bool) -> int:
    """Write a commented clew.toml. Not needed: clew works without. Never overwrites one."""
    from clew.sources.project import project_root

    target = project_root(Path(path)) / PROJECT_FILE
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError as fault:
        raise UsageError(f"{target} is there already and is left as it is", "edit it, or remove it first") from fault
    except OSError as fault:
        raise UsageError(f"cannot write {target}: {fault.strerror or fault}") from fault
    if as_json:
        emit_json({"written": str(target)})
    else:
        emit(f"wrote {visible(str(target))}")
    return 0


def template() -> str:
    """The file's text: each setting with its meaning and its default, commented out."""
    parts = ["# Settings of clew for this project. Environment variables (CLEW_…) and options are stronger.\n"]
    parts += [f"# {key.help}\n# {key.name} = {_toml(key.default)}\n" for key in keys()]
    return "\n".join(parts)


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)
