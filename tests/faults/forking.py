"""How does a command run in a process of its own without a second of imports? In forks of one that has them, with the shim of `shim.c` preloaded.

Started by `injecting.py` as a program: reads a request a line on stdin, answers each with a line on stdout.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import signal
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

INTERRUPT_AFTER_S = 60
"""A command that writes no line in that time hangs."""


def main() -> None:
    clew = _warm()
    shim = ctypes.CDLL(None)
    shim.arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int, ctypes.c_int]
    shim.disarm.restype = ctypes.c_long
    for line in sys.stdin:
        print(json.dumps(_forked(json.loads(line), shim, clew)), flush=True)


def _warm() -> Any:
    """Import what commands need, by using it; but no thread may be begun before a fork, so LanceDB is not used."""
    import lancedb  # noqa: F401

    from clew.interfaces.cli import gc, outline, watch  # noqa: F401
    from clew.interfaces.cli.main import main as clew
    from clew.stores.embedded import feeding  # noqa: F401

    warnings.simplefilter("ignore")  # lancedb's about forks
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        Path(folder, "one.py").write_text("def one():\n    return 1\n", encoding="utf-8")
        for command in (("search", "--json", "--path", folder, "one"), ("search", "--path", folder, "--mode", "hybrid", "what is one")):
            clew(command)
        clew(("status", "--json", folder))
    return clew


def _forked(request: dict[str, Any], shim: Any, clew: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        out, err, log = (Path(folder, name) for name in ("out", "err", "log"))
        child = os.fork()
        if not child:
            _run(request, shim, clew, (out, err, log))
        if request["interrupted"]:
            _interrupt(child, out)
        _, status = os.waitpid(child, 0)
        read = [path.read_bytes().decode("utf-8", "replace") if path.exists() else "" for path in (out, err, log)]
        return {"code": os.waitstatus_to_exitcode(status), "out": read[0], "err": read[1], "log": read[2].split("\n")[:-1]}


def _interrupt(child: int, out: Path) -> None:
    """Ctrl-C for a command that has written its first line, or has ended."""
    last = time.monotonic() + INTERRUPT_AFTER_S
    while time.monotonic() < last and not (out.exists() and out.stat().st_size):
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            return
        time.sleep(0.005)
    if '"error"' not in out.read_text("utf-8"):  # else it is ending by itself
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGINT)


def _run(request: dict[str, Any], shim: Any, clew: Any, places: tuple[Path, Path, Path]) -> None:
    """The child: never returns."""
    code = 99
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(request["folder"])
        out, err, log = (os.open(place, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o644) for place in places)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for descriptor, number in ((nothing, 0), (out, 1), (err, 2)):
            os.dup2(descriptor, number)
        sys.stdin = open(0)  # noqa: SIM115
        shim.arm(os.fsencode(request["below"]), request["at"], request["action"], request["lasting"], log)
        code = clew(request["arguments"])
        shim.disarm()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
