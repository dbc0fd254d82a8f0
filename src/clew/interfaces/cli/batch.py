"""How are many questions answered in one process? A JSON object a line in, an answer a line out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from clew.errors import ClewError, UsageError
from clew.interfaces.cli.output import emit_json, internal
from clew.interfaces.rendering.wire import error_object

_BOM = b"\xef\xbb\xbf"


_ALWAYS = ("json", "explain")
"""Options that a line may repeat: a batch is answered in JSON, with reasons, in any case."""


def answer_all(answered: Callable[[str, dict[str, Any]], dict[str, Any]], source: str, defaults: Mapping[str, Any]) -> int:
    """Answer every line of the file (`-`: stdin) as it comes; the options given are the defaults of each line.

    `answered` gives the answer's object for a project's path and options. It carries the `id` of its line, or the line's number. A line
    that cannot be answered gets an object with `error`, and the exit code is then the one of the first such line.
    """
    failed = 0
    for number, line in _lines(source):
        answer, code = _answer(answered, number, line, defaults)
        failed = failed or code
        emit_json(answer)
    return failed


def _answer(
    answered: Callable[[str, dict[str, Any]], dict[str, Any]], number: int, line: bytes, defaults: Mapping[str, Any]
) -> tuple[dict[str, Any], int]:
    name: Any = number
    try:
        asked = _parsed(line)
        name = asked.pop("id", number)
        options = {**defaults, **{option: value for option, value in asked.items() if option not in _ALWAYS}}
        return {"id": name, **answered(_path(options.pop("path", ".")), options)}, 0
    except ClewError as fault:
        return {"id": name, **error_object(fault)}, fault.exit_code
    except Exception as fault:  # noqa: BLE001 - the door of one line: a fault of ours must not cost the others their answers
        broken = internal(fault)
        return {"id": name, **error_object(broken)}, broken.exit_code


def _parsed(line: bytes) -> dict[str, Any]:
    """The line's options, named as on the command line, with - or _."""
    try:
        asked = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as fault:
        raise UsageError(f"the line is not JSON: {fault}", 'a line is like {"id": 1, "query": "where are users created"}') from fault
    if not isinstance(asked, dict):
        raise UsageError("the line is not a JSON object", 'a line is like {"id": 1, "query": "where are users created"}')
    return {name.replace("-", "_"): value for name, value in asked.items()}


def _path(value: Any) -> str:
    if not isinstance(value, str) or "\0" in value:
        raise UsageError("path must be the path of a folder")
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _lines(source: str) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, numbered from 1."""
    if source == "-":
        yield from _numbered(sys.stdin.buffer) if sys.stdin is not None else ()
        return
    try:
        with Path(source).open("rb") as file:
            yield from _numbered(file)
    except OSError as fault:
        raise UsageError(f"cannot read {source}: {fault.strerror or fault}", "give a file of JSON lines, or - for stdin") from fault


def _numbered(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(file, 1):
        text = line.removeprefix(_BOM).strip() if number == 1 else line.strip()
        if text:
            yield number, text
