"""Where can the system itself be made to say no? On Linux, in a namespace of users and mounts; elsewhere there is nothing to collect here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

IN_A_NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount", "bash", "-c")
_TRIED = "mount -t tmpfs none /mnt && echo 1 > /proc/sys/user/max_inotify_watches"


def _can_limit() -> bool:
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return False
    return subprocess.run([*IN_A_NAMESPACE, _TRIED], capture_output=True, check=False, timeout=30).returncode == 0


collect_ignore_glob = [] if _can_limit() else ["test_*.py"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Thirty folders with a file each."""
    for number in range(30):
        folder = tmp_path / "project" / f"part{number:02}"
        folder.mkdir(parents=True)
        (folder / "one.py").write_text(f"def early_{number}():\n    return {number}\n")
    return tmp_path / "project"


@pytest.fixture
def limited() -> Callable[[str, Path], subprocess.Popen[str]]:
    """Begins a line of bash where limits can be set and folders mounted; `clew` in it is the command."""

    def begin(line: str, folder: Path) -> subprocess.Popen[str]:
        command = [
            "timeout",
            "--foreground",
            "-s",
            "KILL",
            "300",
            *IN_A_NAMESPACE,
            f'clew() {{ "{sys.executable}" -m clew "$@"; }}; {line}',
        ]
        # in the foreground, or it hands a SIGINT on twice: to its child, and to the group that both are in
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CLEW_")}
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True)

    return begin
