"""Where is written down what was done? In a file of JSON lines that its owner alone can read, a new one when it has grown large."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from clew.access.door import Entry
from clew.core.visible import to_json
from clew.errors import UsageError
from clew.serving.correlation import REQUEST


class Journal:
    """One file and those before it: NAME, NAME.1 (the one before), up to NAME.`kept`. Several threads may write."""

    def __init__(self, path: Path, most_bytes: int, kept: int) -> None:
        self._path = path
        self._most = most_bytes
        self._kept = kept
        self._turn = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._opened()
        except OSError as fault:
            raise UsageError(f"{path} cannot be written: {fault.strerror or fault}", "name another file in serve.audit") from fault

    def write(self, line: Mapping[str, Any]) -> None:
        """Write a line, whole or not at all. Raises OSError."""
        raw = f"{to_json(line)}\n".encode()
        with self._turn:
            if self._size and self._size + len(raw) > self._most:
                self._turned()
            os.write(self._file, raw)
            self._size += len(raw)

    def close(self) -> None:
        """Give back the file."""
        with self._turn:
            os.close(self._file)

    def _opened(self) -> int:
        handle = os.open(
            self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0), 0o600
        )
        found = os.fstat(handle)
        if os.name != "nt" and found.st_mode & 0o077:
            os.fchmod(handle, 0o600)
        self._size = found.st_size
        return handle

    def _turned(self) -> None:
        """Begin a new file; the oldest goes."""
        os.close(self._file)
        for number in range(self._kept, 0, -1):
            before = self._path if number == 1 else self._numbered(number - 1)
            if before.exists():
                before.replace(self._numbered(number))
        if not self._kept:
            self._path.unlink(missing_ok=True)
        self._file = self._opened()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


def now() -> str:
    """The time, as logs have it."""
    seconds = time.time()
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{int(seconds * 1000) % 1000:03}Z"


def audited(journal: Journal, entry: Entry) -> None:
    """Write down who did what, with which outcome; the words of a question only where the entry has them."""
    line: dict[str, Any] = {
        "time": now(),
        "request": REQUEST.get(),
        "who": entry.who,
        "what": entry.what,
        "namespaces": list(entry.namespaces),
        "allowed": entry.allowed,
        "results": entry.results,
        "seconds": round(entry.seconds, 4),
    }
    journal.write({**line, "text": entry.text} if entry.text else line)
