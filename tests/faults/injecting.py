"""How is one write of a command made to fail? A shim between the process and the system, told which and how."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
COUNT, KILL, TEAR = 0, -1, -2
"""What happens at the write: nothing; the process dies before it; half of it is written and then the process dies."""
FAILURES = {name: getattr(errno, name) for name in ("ENOSPC", "EIO", "EROFS", "EACCES")}
"""Or it fails with one of these."""

_SHOWN = 700
"""Characters of a command's output in a report."""


def can_inject() -> bool:
    """Whether this machine can build and preload the shim."""
    return sys.platform == "linux" and shutil.which("cc") is not None


class Ended(NamedTuple):
    """How a command ended: exit code (or minus a signal), what it said, and the writes it came to."""

    code: int
    out: str
    err: str
    log: tuple[str, ...]

    def __repr__(self) -> str:
        """Short enough for a report of what went wrong."""
        return f"(code {self.code} after {len(self.log)} writes, the last {self.log[-1:]}: {self.out[:_SHOWN]!r} {self.err[-_SHOWN:]!r})"

    @property
    def lines(self) -> list[Any]:
        """Standard output as a JSON value a line."""
        return [json.loads(line) for line in self.out.split("\n") if line]

    @property
    def is_our_fault(self) -> bool:
        """Whether it ended as no command may."""
        return self.code in (70, 99) or "Traceback" in self.err


class Injector:
    """Runs commands of clew, each in a process of its own, in a project whose index is below `below`."""

    def __init__(self, work: Path, home: Path) -> None:
        shim = work / "shim.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", str(shim), str(HERE / "shim.c"), "-ldl"], check=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("CLEW_", "XDG_", "GIT_"))}
        # -1: however long a look takes, so that a slow machine changes no answer
        environment |= {"LD_PRELOAD": str(shim), "HOME": str(home), "CLEW_FRESHNESS_MS": "-1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "forking.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def run(
        self, folder: Path, *arguments: str, at: int = 0, action: int = COUNT, lasting: bool = False, interrupted: bool = False
    ) -> Ended:
        """Run a command in a folder. Its write number `at` to `.clew` (from 1) fails as `action` says, and each later one if `lasting`."""
        request = {
            "folder": str(folder),
            "below": str(folder / ".clew"),
            "arguments": arguments,
            "at": at,
            "action": action,
            "lasting": int(lasting),
            "interrupted": interrupted,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return Ended(answer["code"], answer["out"], answer["err"], tuple(answer["log"]))

    def close(self) -> None:
        """End the process that forks."""
        self._process.communicate()
