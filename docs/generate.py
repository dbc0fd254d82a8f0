"""Which options and settings are there? Writes docs/cli.md and docs/settings.md from the program itself.

python docs/generate.py          write them
python docs/generate.py --check  exit with 1 when they do not agree with the program
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from clew.interfaces.cli.app import app
from clew.settings import keys

DOCS = Path(__file__).resolve().parent
NOTE = "<!-- written by docs/generate.py: do not edit -->\n"


def pages() -> dict[str, str]:
    """The text of each generated page by its name."""
    return {"cli.md": "\n".join(_cli()), "settings.md": "\n".join(_settings())}


def _cli() -> Iterator[str]:
    yield f"# Commands\n\n{NOTE}"
    context = click.Context(app, info_name="clew")
    yield f"{_help(app)}\n"
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        if command is None:
            raise LookupError(name)
        yield f"## clew {name}\n\n{_help(command)}\n"
        arguments = [_argument(parameter) for parameter in command.params if isinstance(parameter, click.Argument)]
        yield f"    {' '.join(['clew', name, *arguments, '[OPTIONS]'])}\n"
        yield "| option | meaning |\n| --- | --- |"
        yield from (_row(parameter) for parameter in command.params if isinstance(parameter, click.Option))
        yield ""


def _help(command: click.Command) -> str:
    return " ".join((command.help or "").split())


def _argument(parameter: click.Argument) -> str:
    name = (parameter.name or "").upper()
    return name if parameter.required else f"[{name}]"


def _row(option: click.Option) -> str:
    shown = f"{', '.join(option.opts)} {option.metavar or ''}".strip()
    default = f"  [default: {option.show_default}]" if isinstance(option.show_default, str) else ""
    return f"| `{shown}` | {(option.help or '').replace('|', chr(92) + '|')}{default} |"


def _settings() -> Iterator[str]:
    yield f"# Settings\n\n{NOTE}"
    yield (
        "Strongest first: command-line options, environment variables, `clew.toml` in the project, `~/.config/clew/config.toml`\n"
        "(`$XDG_CONFIG_HOME/clew/config.toml`), defaults. `clew init` writes a commented `clew.toml`; `clew doctor` shows each value with its\n"
        "origin. An unknown name, a wrong type or a value out of range is refused with the file, the name and what is allowed. In the environment\n"
        "a list is written with commas. `NO_COLOR` and `TERM=dumb` turn colour off.\n"
    )
    yield "| setting | variable | default | meaning |\n| --- | --- | --- | --- |"
    for key in keys():
        default = list(key.default) if isinstance(key.default, tuple) else key.default
        yield f"| `{key.name}` | `{key.variable}` | `{default!r}` | {key.help} |"
    yield ""


def main() -> int:
    """Write the pages, or compare them."""
    differ = [name for name, text in pages().items() if not (DOCS / name).exists() or (DOCS / name).read_text("utf-8") != text]
    if "--check" in sys.argv[1:]:
        for name in differ:
            sys.stderr.write(f"docs/{name} does not agree with the program: run python docs/generate.py\n")
        return 1 if differ else 0
    for name in differ:
        (DOCS / name).write_text(pages()[name], "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
