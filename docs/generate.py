"""Which options, settings, tools and clients are there? Writes docs/cli.md, docs/settings.md and docs/mcp.md from the program itself.

python docs/generate.py          write them
python docs/generate.py --check  exit with 1 when they do not agree with the program
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from clew.interfaces.cli.app import app
from clew.interfaces.install.clients import Client, clients
from clew.interfaces.mcp.guidance import INSTRUCTIONS, TASKS
from clew.interfaces.mcp.tools import TOOLS
from clew.settings import keys

_MCP_INTRODUCTION = """\
`clew mcp` serves coding agents by the [Model Context Protocol](https://modelcontextprotocol.io), with the official SDK. `clew install` puts it into the
settings of your clients; or add by hand, in the form of your client (this is the one of most):

    {"mcpServers": {"clew": {"command": "clew", "args": ["mcp"]}}}

**Which projects.** `clew mcp PATH…` serves these. With none, the roots that the client names count, else the folder it was started in. One question over
several is answered by the best results of all, under the root of each; the argument `root` chooses one. Nothing outside of them is read, nor a
file that git ignores or that may hold secrets. A client's root inside a larger project shows that folder alone.

**The index** is made by the first question, in the background: an answer comes after three seconds at the latest as soon as something is indexed, and
says `partial` until all is there. Then it is kept current, by notices where the system gives them. `index` is for the impatient: it waits eight seconds and
tells progress; a longer run goes on. Whoever cancels the call that began a run ends it between two batches; what was finished stays. A
home folder, and more than 50,000 files, are not indexed unasked.

**Answers** are text, sent once: the root, then places relative to it with the lines that matter and their numbers. They stay within `max_tokens`, all
counted. What went wrong is an answer too: what, and what to do.

**HTTP.** `clew mcp --http 127.0.0.1:8765` serves any number of clients at `/mcp`, to this machine alone: requests with another Host, or from a page of
another Origin, are refused, and clients' roots do not count. Another address than a loopback one has no password either, and is warned about.

**It ends** when its client does: stdin closes, or the process that started it is gone. Nothing but messages is written to stdout.
"""
_MCP_CLIENTS = """\
## Clients

`clew install CLIENT…` shows the change of each file, asks, and writes it in one step; without names it serves those that have settings here. `--dry-run` only
shows, `--project` writes the file that a team shares, `--uninstall` takes entry and note out again, and with them a list, file or folder that is empty then.
Comments, order and form of everything else stay. A file that cannot be read, or not be edited surely, is left alone and named; exit code 2.
In many clients' instructions goes a note of two lines, between marks, that says when to use clew.
"""
_MCP_TRIED = """\
What was tried for real: the server, with the official clients for Python and TypeScript over stdio and HTTP and with the MCP inspector's command line;
the editing of each file, in the tests. **None of the clients of this table was run.** The files and the forms of the entries are those of their documentation as it
stood in December 2026, apart from what it does not say: for Claude Desktop it names no folder on Linux; for Cline the name of the file, and not the folder in which its VS Code
extension keeps it (its command line has one of its own, `~/.cline/data/settings`); where each client reads instructions, into which the note goes, was not looked up again.
For opencode it is the form of version 1: version 2 documents `mcp.servers.clew`. Continue's command line, unlike its editors' extensions, reads only its own
`config.yaml`: there the entry is put in by hand. If a file has moved, `clew install --dry-run` still shows what to put where.
"""
DOCS = Path(__file__).resolve().parent
NOTE = "<!-- written by docs/generate.py: do not edit -->\n"


def pages() -> dict[str, str]:
    """The text of each generated page by its name."""
    return {"cli.md": "\n".join(_cli()), "settings.md": "\n".join(_settings()), "mcp.md": "\n".join(_mcp())}


def _cli() -> Iterator[str]:
    yield f"# Commands\n\n{NOTE}"
    context = click.Context(app, info_name="clew")
    yield f"{_help(app)}\n"
    for name, command in commands(app, context):
        yield f"## clew {name}\n\n{_help(command)}\n"
        arguments = [_argument(parameter) for parameter in command.params if isinstance(parameter, click.Argument)]
        yield f"    {' '.join(['clew', name, *arguments, '[OPTIONS]' if not isinstance(command, click.Group) else 'COMMAND'])}\n"
        options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
        yield from ["| option | meaning |\n| --- | --- |"] if options else []
        yield from map(_row, options)
        yield ""


def commands(group: click.Group, context: click.Context, above: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command by its full name, those of a group behind it."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            raise LookupError(name)
        yield f"{above}{name}", command
        if isinstance(command, click.Group):
            yield from commands(command, context, f"{above}{name} ")


def _help(command: click.Command) -> str:
    return " ".join((command.help or "").split())


def _argument(parameter: click.Argument) -> str:
    name = parameter.metavar or (parameter.name or "").upper()
    return name if parameter.required or name.startswith("[") else f"[{name}]"


def _row(option: click.Option) -> str:
    shown = f"{', '.join(option.opts)} {option.metavar or ''}".strip()
    default = f"  [default: {option.show_default}]" if isinstance(option.show_default, str) else ""
    required = "Required. " if option.required else ""
    return f"| `{shown}` | {required}{(option.help or '').replace('|', chr(92) + '|')}{default} |"


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


def _mcp() -> Iterator[str]:
    yield f"# For coding agents: the MCP server\n\n{NOTE}"
    yield _MCP_INTRODUCTION
    yield "## Tools\n\nThe whole list costs an agent under 1,000 tokens.\n"
    for tool in TOOLS:
        yield f"### {tool.name}\n\n{tool.description}\n\n| argument | type | default | meaning |\n| --- | --- | --- | --- |"
        yield from (_argument_row(name, schema, needed=name in tool.required) for name, schema in tool.arguments.items())
        yield ""
    yield "## Resources and prompts\n\n`clew://status` is what the tool status says, `clew://map` (`clew://map/FOLDER`) and `clew://outline/PATH` what navigate map and outline say.\n"
    yield from (f"- `{task.name}` ({task.argument}): {task.description}." for task in TASKS)
    yield f"\n## What every client is told\n\n{INSTRUCTIONS}\n"
    yield _MCP_CLIENTS
    yield "| client | `clew install` | file of the user, on Linux | file of a project | form |\n| --- | --- | --- | --- | --- |"
    yield from map(_client_row, clients().values())
    yield f"\n{_MCP_TRIED}"


def _argument_row(name: str, schema: Mapping[str, object], *, needed: bool) -> str:
    values = schema.get("enum")
    kind = ", ".join(map(str, values)) if isinstance(values, list) else str(schema["type"])
    default = "needed" if needed else str(schema.get("default", ""))
    return f"| `{name}` | {kind} | {default} | {schema.get('description', '')} |"


def _client_row(one: Client) -> str:
    user = (one.user.get("linux") or one.user["any"]).format(home="~", config="~/.config", support="~/.config")
    project = f"`{one.project}`" if one.project else "none"
    return f"| {one.title} | `{one.name}` | `{user}` | {project} | [{one.format}, {'.'.join(one.keys)}]({one.source}) |"


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
