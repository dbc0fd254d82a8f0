"""How do answers look on a terminal? The same lines as in a pipe, with highlighted code. Imported only where colour is shown."""

from __future__ import annotations

import io
import shutil
from itertools import chain
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.syntax import Syntax
from rich.text import Text

from clew.core.visible import visible
from clew.interfaces.rendering.plain import explanation
from clew.search.listing import GAP, beside, place, runs, symbol, with_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clew.core.answer import Answer, Result

_THEME = "ansi_dark"
"""Uses the terminal's own sixteen colours, so it is readable on light and dark ones."""
_LEXERS = {"tsx": "tsx", "csharp": "csharp", "objc": "objective-c", "containerfile": "docker", "dockerfile": "docker", "hcl": "terraform"}


_GAP = Text(f"    {GAP}", style="dim")


def answer_text(answer: Answer, *, explain: bool = False) -> str:
    """The results with terminal colours, ready to be written."""
    results = (part for result in with_lines(answer.results, answer.gist) for part in _parts(result, explain=explain))
    return _rendered(chain(results, (Text(line, style="dim") for line in beside(answer.neighbours))))


def _parts(result: Result, *, explain: bool) -> Iterable[RenderableType]:
    reasons = explanation(result) if explain else visible("; ".join(result.reasons))
    yield Text.assemble((place(result), "bold cyan"), "  ", (symbol(result), "bold"), ("  " + reasons if reasons else "", "dim"))
    lexer = _LEXERS.get(result.chunk.language, result.chunk.language)
    for first, lines in runs(result) if result.shown else ():
        code = "\n".join(lines)
        code_lines = Syntax(code, lexer, theme=_THEME, line_numbers=True, start_line=first, background_color="default", word_wrap=True)
        yield code_lines if lines else _GAP
    if result.shown:
        yield Text("")


def _rendered(parts: Iterable[RenderableType]) -> str:
    page = io.StringIO()
    console = Console(file=page, force_terminal=True, width=shutil.get_terminal_size().columns, markup=False, highlight=False)
    console.print(Group(*parts))
    return page.getvalue().rstrip("\n")
