"""How do lines reach stdout and stderr, whatever the locale, and when nobody reads any more?"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO

from clew.core.visible import to_json, visible
from clew.errors import ClewError


class ReaderGone(Exception):
    """Whoever read our output has closed it, as `head` does."""


def emit(line: str) -> None:
    """A line to stdout, in the encoding of the terminal; what that cannot say is escaped."""
    _write(line, getattr(sys.stdout, "encoding", None) or "utf-8")


def emit_lines(lines: Iterable[str]) -> None:
    """Several lines to stdout."""
    for line in lines:
        emit(line)


def emit_json(value: object) -> None:
    """A line of JSON to stdout: UTF-8 in every locale, and sent at once."""
    _write(to_json(value), "utf-8")
    flush()


def note(message: str) -> None:
    """A line to stderr. Never fails: there is nobody to tell."""
    _stderr(visible(message) + "\n")


def internal(fault: Exception) -> ClewError:
    """A fault of ours as an error to show; where it happened goes to stderr."""
    import traceback  # some milliseconds that only a fault is worth

    from clew.core.schema.addresses import masked

    for line in traceback.format_exception(fault):
        for part in line.rstrip("\n").split("\n"):
            note(masked(part))
    return ClewError(masked(f"a fault of clew: {type(fault).__name__}: {fault}"), "please report it with the trace on stderr")


def draw(text: str) -> None:
    """Text as it stands to a terminal's stderr: for progress bars."""
    _stderr(text)


def on_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks at the stream."""
    return stream is not None and not stream.closed and stream.isatty()


def flush() -> None:
    """Send what is still buffered. Raises ReaderGone."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (BrokenPipeError, ValueError) as fault:
        raise ReaderGone from fault


def silence() -> None:
    """Let the interpreter's own last flush go nowhere instead of complaining about the closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())


def _write(line: str, encoding: str) -> None:
    if sys.stdout is None:  # started with a closed stdout
        return
    try:
        if not hasattr(sys.stdout, "buffer"):
            sys.stdout.write(line + "\n")
            return
        sys.stdout.flush()
        sys.stdout.buffer.write(line.encode(encoding, "backslashreplace") + b"\n")
    except BrokenPipeError as fault:
        raise ReaderGone from fault


def _stderr(text: str) -> None:
    if sys.stderr is None:
        return
    try:
        encoding = sys.stderr.encoding or "utf-8"
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding))
        sys.stderr.flush()
    except (OSError, ValueError):  # closed, full, gone
        return
