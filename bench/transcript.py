"""What does an agent pay for its answers? Twenty questions about a real project, answered with clew's tools, and with grep and reading around matches.

    python bench/transcript.py [PACKAGE] [--show]

The project are the sources of an installed package (click, which clew stands on anyway), copied and indexed. Both agents are the same script: it asks, reads,
and stops as soon as it has seen the lines that answer. What it reads, and what it writes to call a tool, is counted by `clew.core.tokens`.

- With clew it calls `search` with the question as it is, as over MCP; where that does not show the lines, with what comes to mind next; then it reads the places that
  were named, with 20 lines around each.
- With grep it searches for the names in the question, or else for its three rarest words that occur at all (which is more than an agent knows), in the
  file first that holds most of them, and reads 40 lines around each match: of three matches, then of those of what comes to mind next, then of the others.
  Lines that stand in two such windows are read once, and the list of matches costs nothing.

A question whose lines the installed version does not hold is left out, and told.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import NamedTuple

import anyio

from clew.core.tokens import count_tokens
from clew.errors import ClewError
from clew.evaluation.grep import Grep
from clew.interfaces.mcp.calls import Call
from clew.interfaces.mcp.projects import Place, Projects
from clew.search.mentions import identifiers
from clew.sources.reading import split_lines

AROUND = 20
"""Lines read before and behind a match: forty in all."""
MOST_STEPS = 12
"""Calls after which the agent with clew gives up; the one with grep reads all that it finds."""
FIRST_MATCHES = 3
"""Matches around which it reads before it searches for something else."""


class Asked(NamedTuple):
    """A question, what an agent asks next when the answer is not there (a name that comes to mind), and pieces of the lines that answer it, all of which
    have to be seen."""

    text: str
    again: str
    lines: tuple[str, ...]


QUESTIONS = (
    Asked(
        "where does the width of a help page depend on the size of the terminal",
        "get_terminal_size",
        ("width = max(min(shutil.get_terminal_size().columns",),
    ),
    Asked("in which folder does an application keep its configuration", "config folder XDG_CONFIG_HOME", ("def get_app_dir(",)),
    Asked(
        "what happens when somebody presses ctrl-c while a command runs",
        "KeyboardInterrupt",
        ("except (EOFError, KeyboardInterrupt)",),
    ),
    Asked(
        "where is the value of an option read from an environment variable", "os.environ.get envvar", ("rv = os.environ.get(self.envvar)",)
    ),
    Asked("how is a password hidden while it is typed", "getpass", ("def hidden_prompt_func(",)),
    Asked(
        "who calls _build_prompt",
        "_build_prompt",
        ("    prompt = _build_prompt(", "confirmation_prompt = _build_prompt(confirmation_prompt"),
    ),
    Asked("where is NoSuchOption raised", "raise NoSuchOption", ("raise NoSuchOption(opt, possibilities=", "raise NoSuchOption(opt, ctx=")),
    Asked("what breaks if I change the signature of make_str", "make_str", ("cmd_name = make_str(args[0])",)),
    Asked(
        "which classes extend ShellComplete",
        "ShellComplete",
        ("class BashComplete(ShellComplete)", "class ZshComplete(ShellComplete)", "class FishComplete(ShellComplete)"),
    ),
    Asked("who imports _textwrap", "_textwrap", ("from ._textwrap import TextWrapper",)),
    Asked(
        "how are completion items formatted for the fish shell",
        "FishComplete format_completion",
        ("class FishComplete", "def format_completion(self, item: CompletionItem"),
    ),
    Asked("where does a progress bar estimate the time that is left", "eta seconds", ("def eta(self)",)),
    Asked('who prints "Aborted!"', "Aborted!", ('echo(_("Aborted!"), file=sys.stderr)',)),
    Asked("split a command line into words for completion", "shlex split", ("def split_arg_string(",)),
    Asked("how are short options that carry their value in the same word parsed", "match short opt", ("def _match_short_opt(",)),
    Asked("what does Context.invoke call", "Context.invoke", ("def _make_sub_context(",)),
    Asked("where are colours removed when the output is no terminal", "strip ansi", ("def should_strip_ansi(", "def strip_ansi(")),
    Asked("isolate standard input and output while a command is tested", "isolation", ("def isolation(",)),
    Asked(
        "Traceback (most recent call last):\n  File \"/app/click/types.py\", line 1182, in convert\n    self.fail(\nclick.exceptions.BadParameter: File 'a.txt' does not exist.",
        "does not exist",
        ("{filename!r} does not exist.",),
    ),
    Asked("where is IntRange defined", "IntRange", ("class IntRange(",)),
)


class Told(NamedTuple):
    """What one agent paid for one question: tokens, calls, and whether it saw the lines."""

    tokens: int
    calls: int
    found: bool


def project(package: str, folder: Path) -> dict[str, list[str]]:
    """Copy the sources of an installed package into a folder; its files with their lines."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{package} is not installed")
    source = Path(spec.origin).parent
    files = {}
    for path in sorted(source.rglob("*.py")):
        target = folder / package / path.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        files[target.relative_to(folder).as_posix()] = split_lines(path.read_text(encoding="utf-8"))
    return files


def answerable(files: Mapping[str, Sequence[str]]) -> list[Asked]:
    """The questions whose lines these sources hold."""
    lines = [line for some in files.values() for line in some]
    return [asked for asked in QUESTIONS if all(any(piece in line for line in lines) for piece in asked.lines)]


def through(steps: Iterator[tuple[str, str]], asked: Asked) -> Told:
    """Read what each call answers until the lines were seen."""
    tokens, seen, calls = 0, "", 0
    for calls, (call, answer) in enumerate(steps, 1):
        tokens += count_tokens(call) + count_tokens(answer)
        seen += f"\n{answer}"
        if all(piece in seen for piece in asked.lines):
            return Told(tokens, calls, found=True)
    return Told(tokens, calls, found=False)


def with_clew(place: Place, asked: Asked) -> Iterator[tuple[str, str]]:
    """Search; search for what comes to mind next; read around the places that the answers name."""
    answers = []
    for query in (asked.text, asked.again):
        call, text = _called(place, "search", {"query": query})
        answers.append(text)
        yield call, text
    places = dict.fromkeys(one for text in reversed(answers) for one in _places(text))
    for path, first, last in list(places)[: MOST_STEPS - 2]:
        yield _called(place, "navigate", {"what": "read", "target": f"{path}:{max(first - AROUND, 1)}-{last + AROUND}"})


def with_grep(grep: Grep, asked: Asked) -> Iterator[tuple[str, str]]:
    """Search for the names in the question, or its rarest words, and read around the first matches; then for what comes to mind next; then read on."""
    first, second = (" ".join(dict.fromkeys(identifiers(text))) or text for text in (asked.text, asked.again))
    groups = [*grep.answer(first)]
    later = [*grep.answer(second)] if second != first else []
    for number, (path, lines) in enumerate((*groups[:FIRST_MATCHES], *later, *groups[FIRST_MATCHES:])):
        called = {0: {"grep": first}, FIRST_MATCHES: {"grep": second}}.get(number, {})
        yield json.dumps({**called, "read": path}), "\n".join(lines)


def _called(place: Place, tool: str, arguments: dict[str, object]) -> tuple[str, str]:
    """A call as it is written, and the text that it answers."""

    async def unheard(done: float, total: float | None, message: str) -> None:
        """Nobody watches."""

    try:
        text = anyio.run(Call((place,), unheard).answer, tool, arguments)
    except ClewError as fault:
        text = f"{fault.message}\n{fault.hint}"
    return json.dumps({"name": tool, "arguments": arguments}), text


def _places(answer: str) -> Iterator[tuple[str, int, int]]:
    """The places that an answer names, each once."""
    for path, first, last in re.findall(r"^ *(\S+?):(\d+)-(\d+)\b", answer, re.MULTILINE):
        yield path, int(first), int(last)


class Row(NamedTuple):
    """What a question cost with clew, with grep, and with grep by somebody who knows at once the name that else comes to mind later."""

    asked: Asked
    clew: Told
    grep: Told
    knowing: Told


def transcript(package: str, folder: Path) -> list[Row]:
    """Each question with what it cost."""
    files = project(package, folder)
    projects = Projects([str(folder)])
    try:
        (place,) = projects.places(None)
        place.engine.index()
        grep = Grep(files, AROUND)
        return [
            Row(
                asked,
                through(with_clew(place, asked), asked),
                through(with_grep(grep, asked), asked),
                through(with_grep(grep, asked._replace(text=asked.again)), asked),
            )
            for asked in answerable(files)
        ]
    finally:
        projects.close()


def main() -> None:
    """Print what each question cost, and all of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="?", default="click")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = transcript(given.package, Path(folder).resolve())
    for row in rows:
        told = "  ".join(f"{one.tokens:>6} in {one.calls:>2}{' ' if one.found else '!'}" for one in row[1:])
        print(f"{told}  {row.asked.text.splitlines()[-1][:90]}")
    clew, grep, knowing = (sum(told.tokens for told in column) for column in list(zip(*rows, strict=True))[1:])
    print(f"{clew} clew, {grep} grep ({clew / grep:.2f}), {knowing} grep by who knows the name ({clew / knowing:.2f}); ! not found")
    print(
        f"{len(rows)} of {len(QUESTIONS)} questions; of each the ratio, median: {median(row.clew.tokens / row.grep.tokens for row in rows):.2f}"
    )


if __name__ == "__main__":
    main()
