"""Does clew behave as a process among others: pipes, locales, signals, start-up?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
NAMES = {
    "C": {"LC_ALL": "C"},
    "ascii": {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
    "latin": {"PYTHONIOENCODING": "latin-1"},
}


@pytest.mark.parametrize("locale", NAMES)
def test_every_locale_gets_an_answer(project: Path, process: Run, locale: str) -> None:
    (project / "größe.py").write_text('def größe_messen():\n    return "漢字 🙂"\n')
    done = process("search", "größe_messen", environment=NAMES[locale])
    assert done.code == 0
    assert "Traceback" not in done.err
    answer = process("search", "--json", "größe_messen", environment=NAMES[locale]).json
    assert answer["results"][0]["filepath"] == "größe.py"
    assert "漢字 🙂" in answer["results"][0]["code_snippet"]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_reader_that_goes_away_is_no_fault(project: Path, options: list[str]) -> None:
    for number in range(40):
        (project / f"probe{number}.py").write_text(f"def probe_{number}():\n" + f"    probe = {number}\n" * 60)
    search = [sys.executable, "-m", "clew", "search", "--limit", "200", *options, "probe"]
    subprocess.run([*search[:4], "probe"], capture_output=True, check=True)
    writer = subprocess.Popen(search, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pipesize=4096)
    assert writer.stdout is not None
    assert writer.stderr is not None
    writer.stdout.read(1)
    writer.stdout.close()
    said = writer.stderr.read()
    writer.stderr.close()
    assert writer.wait() == 0
    assert said == b""


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_standard_files_do_no_harm(project: Path, closed: str) -> None:
    done = subprocess.run(["sh", "-c", f'"$0" -m clew search total_price {closed}', sys.executable], capture_output=True, check=False)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr


def interruptible() -> None:
    """A shell's background job ignores Ctrl-C, and so do its children: these tests may run in one."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_is_exit_code_130_and_valid_json(project: Path) -> None:
    asked = subprocess.Popen(
        [sys.executable, "-m", "clew", "search", "--batch", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=interruptible,
    )
    assert asked.stdin is not None
    assert asked.stdout is not None
    asked.stdin.write(b'{"query": "total_price"}\n')
    asked.stdin.flush()
    answer = json.loads(asked.stdout.readline())
    asked.send_signal(signal.SIGINT)
    out, err = asked.communicate()
    assert answer["results"]
    assert asked.returncode == 130
    assert json.loads(out)["error"]["code"] == "interrupted"
    assert b"Traceback" not in err


def test_a_batch_is_answered_line_by_line(project: Path) -> None:
    with subprocess.Popen([sys.executable, "-m", "clew", "search", "--batch", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as asked:
        assert asked.stdin is not None
        assert asked.stdout is not None
        for name in ("total_price", "sendConfirmation"):
            asked.stdin.write(json.dumps({"id": name, "query": name}).encode() + b"\n")
            asked.stdin.flush()
            assert json.loads(asked.stdout.readline())["id"] == name
        asked.stdin.close()
        assert asked.wait() == 0


def test_on_a_terminal_there_is_colour_and_in_a_pipe_there_is_none(project: Path) -> None:
    environment = {**os.environ, "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "clew", "search", "total_price"]
    piped = subprocess.run(command, capture_output=True, env=environment, check=True)
    assert b"\x1b" not in piped.stdout + piped.stderr
    assert b"\x1b[" in terminal_output(command, environment)
    assert b"\x1b" not in terminal_output([*command, "--json"], environment)
    assert b"\x1b[3" not in terminal_output(command, {**environment, "NO_COLOR": "1"})


def terminal_output(command: list[str], environment: dict[str, str]) -> bytes:
    """What a command writes to a terminal as its standard output."""
    master, terminal = os.openpty()
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=terminal, stderr=subprocess.PIPE, env=environment, check=True)
        os.close(terminal)
        return drained(master)
    finally:
        os.close(master)


def drained(master: int) -> bytes:
    parts = []
    while True:
        try:
            part = os.read(master, 65_536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts)


def test_a_progress_bar_is_drawn_on_a_terminal_only(project: Path) -> None:
    command = [sys.executable, "-m", "clew", "index", "--rebuild"]
    assert subprocess.run(command, capture_output=True, check=True).stderr == b""
    master, terminal = os.openpty()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=terminal, check=True)
    os.close(terminal)
    drawn = drained(master)
    os.close(master)
    assert b"#####" in drawn
    assert drawn.endswith(b"\r\x1b[K")


def test_an_interrupted_index_is_finished_by_the_next_run(project: Path) -> None:
    for number in range(600):
        (project / f"part{number}.py").write_text("".join(f"def part_{number}_{n}():\n    return {n}\n\n\n" for n in range(20)))
    command = [sys.executable, "-m", "clew", "index", "--json"]
    master, terminal = os.openpty()
    running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=terminal, preexec_fn=interruptible)
    os.close(terminal)
    assert os.read(master, 1)  # the progress bar: it has begun
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate()
    drawn = drained(master)
    os.close(master)
    assert running.returncode == 130
    assert json.loads(out)["error"]["code"] == "interrupted"
    assert b"Traceback" not in drawn
    report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    assert report["complete"] is True
    assert report["files"]["indexed"] + report["files"]["unchanged"] == 602
