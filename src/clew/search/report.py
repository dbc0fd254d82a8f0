"""What is in a long question? A bug report, a log or pasted code, taken apart: title, prose, code, output, frames of a trace, errors; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Literal, NamedTuple

_FENCE = re.compile(r" {0,3}(?:> ?)?(?:```|~~~)")
_CODE_LINE = re.compile(r"(?: {4}|\t)|\s*(?:>>> ?|\.\.\. |In ?\[\d*\]: |\$ |diff --git |@@ )")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINK = re.compile(r"\[([^\]\n]{1,300})\]\((?:file|https?):[^)\n]{0,500}\)")
_BOILERPLATE = re.compile(
    r"\s*(?:[-*] \[[ xX]\] .*"  # the check list of a template
    r"|#+ .*|\*\*[^*\n]{1,40}\*\*:?|_No response_"  # its headings
    r"|[\w.-]+[ \t]+v?\d+(?:\.[\w+!]+)+(?:[ \t]+\S+)?"  # what is installed: a name and its version
    r"|[-=_*~#+]{3,}.*)\s*"  # rulers
)
_EXTENSIONS = (
    "pyx?|ipynb|[cm]?[jt]sx?|vue|svelte|java|kts?|scala|groovy|cljs?|go|rs|c|cc|cpp|cxx|h|hh|hpp|mm?|swift|cs|vb|fs|rb|erb|php|exs?|erl|hs|lua|p[lm]"
    "|dart|jl|zig|nim|sh|bash|sol|sql|mli?|r|html?|css|tf|proto|ya?ml|toml|json|cfg|ini"
)
"""What the name of a file that a trace points into ends in."""
_PLACE = re.compile(
    r"File \"(?P<quoted>[^\"\n]{1,300})\", line (?P<quoted_line>\d{1,7})"
    r"|(?<![\w.@+~<>/\\:-])(?P<path>(?:[A-Za-z]:|file:|webpack:)?[\w.@+~<>/\\-]*[\w-]\.(?:" + _EXTENSIONS + r")\b)"
    r"(?::(?:line )?(?P<line>\d{1,7})\b|\((?P<inner>\d{1,7})\)|, line (?P<comma>\d{1,7})\b| on line (?P<on>\d{1,7})\b| in (?=[\w.<>]+\())"
)
_LINE_GROUPS = ("quoted_line", "line", "inner", "comma", "on")
_FUNCTION = re.compile(
    r"(?:, in |: in |:in [`'](?:block in )?| in (?=[\w.<>]+\()|^\s*at (?:async |new )?|^#\d+ +(?:0x\w+ in )?(?:\S+\.php\(\d+\): )?)"
    r"(?P<name>[A-Za-z_$][\w.$<>:\\#]*(?:->\w+)?)"
)
_GO_PLACE = re.compile(r"\s+\S+\.go:\d")
_GO_FUNCTION = re.compile(r"(?:created by )?(?P<name>[\w./~-]{1,300}\b)\(")
_TRACE = "Traceback (most recent call last)"
_ERROR = re.compile(
    r"^(?:[ \t>|]|E(?=[ \t]))*+(?:(?:Uncaught|Unhandled|Caused by:|Exception in thread \S+|PHP|[Ff]atal error:|FATAL:?|ERROR:?|error:|\*\* \()[ \t]*)*+"
    r"(?P<type>(?:[A-Za-z_]\w*(?:\.|::|\\))*[A-Z]\w*(?:Error|Exception|Warning|Failure|Exit|Interrupt|Fault|Panic|Iteration))\b(?:[:)][ \t]*(?P<message>[^\n]*))?",
    re.MULTILINE,
)
_OTHER_ERROR = re.compile(
    r"^[ \t]*(?:(?:\S+: )?(?:panic|fatal error|fatal|error(?:\[E\d+\])?): |(?:ERROR|FATAL|E)[: ]|thread '[^'\n]*' panicked at [^\n]*\n|\S+:\d+:in [^:\n]+: )"
    r"[ \t]*(?P<message>\S[^\n]*)",
    re.MULTILINE,
)
_LAST_IS_DEEPEST = re.compile(r"\.(?:py|pyx|ipynb)\b|<")

PLACES_IN_LINE = 4
"""Places that one line tells of; a line with more of them is data."""

Kind = Literal["prose", "code", "output"]


class Frame(NamedTuple):
    """A line of a trace: a file of some machine, a line in it (0: not told), and the function, as far as it is told."""

    path: str
    line: int
    function: str


class Report(NamedTuple):
    """The parts of a long question. `frames` begin with the one nearest to the fault; `errors` are (type, message), the last one first."""

    title: str
    prose: str
    code: str
    output: str
    frames: tuple[Frame, ...]
    errors: tuple[tuple[str, str], ...]


def take_apart(text: str) -> Report:
    """The parts of a question of several lines. What begins with a trace or an error has its error as title."""
    plain = _LINK.sub(r"\1", _COMMENT.sub("\n", text.replace("\r", ""))).strip()
    title, _, rest = plain.partition("\n")
    errors = _errors(plain)
    if errors and (_TRACE in title or _ERROR.match(title) or _OTHER_ERROR.match(title) or _PLACE.search(title)):
        title, rest = " ".join(filter(None, errors[0])), plain
    parts: dict[Kind, list[str]] = {"prose": [], "code": [], "output": []}
    for kind, line in _lines(rest):
        parts[kind].append(line)
    prose, code, output = ("\n".join(parts[kind]) for kind in ("prose", "code", "output"))
    return Report(title.strip(), prose, code, output, _frames(plain), errors)


def _lines(rest: str) -> Iterator[tuple[Kind, str]]:
    """Each line that says something, with its kind. Output is what frames and errors stand in."""
    fenced = traced = False
    for line in rest.split("\n"):
        if _FENCE.match(line):
            fenced, traced = not fenced, False
        elif not line.strip():
            traced = traced and fenced
        elif _TRACE in line:
            traced = True
        elif not _BOILERPLATE.fullmatch(line):
            kind = _kind(line, fenced=fenced, traced=traced)
            yield kind, _told(line) if kind == "output" else line


def _kind(line: str, *, fenced: bool, traced: bool) -> Kind:
    pasted = fenced or bool(_CODE_LINE.match(line))
    if traced or (_PLACE.search(line) and (pasted or _FUNCTION.search(line))) or (pasted and _ERROR.match(line)):
        return "output"
    return "code" if pasted else "prose"


def _told(line: str) -> str:
    """A line of output; of a frame the file's name and the function: its folders are those of somebody's machine."""
    frames = _frames_in(line)
    return " ".join(f"{frame.path.rpartition('/')[2]} {frame.function}" for frame in frames) if frames else line


def _frames(text: str) -> tuple[Frame, ...]:
    lines = text.split("\n")
    frames = tuple(dict.fromkeys(frame for above, line in pairwise(["", *lines]) for frame in _frames_under(above, line)))
    late = sum(bool(_LAST_IS_DEEPEST.search(frame.path)) for frame in frames)
    return frames[::-1] if late * 2 >= len(frames) else frames


def _frames_under(above: str, line: str) -> tuple[Frame, ...]:
    """The frames of a line; Go writes the function on the line above."""
    frames = _frames_in(line)
    function = _GO_FUNCTION.match(above) if frames and _GO_PLACE.match(line) else None
    return tuple(frame._replace(function=function["name"]) for frame in frames) if function else frames


def _frames_in(line: str) -> tuple[Frame, ...]:
    places = tuple(islice(_PLACE.finditer(line), PLACES_IN_LINE))
    function = _FUNCTION.search(line) if places else None
    return tuple(
        Frame(
            (place["quoted"] or place["path"]).replace("\\", "/"),
            int(next((place[name] for name in _LINE_GROUPS if place[name]), "0")),
            function["name"] if function else "",
        )
        for place in places
    )


def _errors(text: str) -> tuple[tuple[str, str], ...]:
    found = [(match["type"], (match["message"] or "").strip()) for match in _ERROR.finditer(text)]
    found += [("", match["message"].strip()) for match in _OTHER_ERROR.finditer(text)]
    return tuple(dict.fromkeys(reversed(found)))
