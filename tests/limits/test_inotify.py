"""What becomes of watching where the system gives no more notices? It is said, and changes are found all the same."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Limited = Callable[[str, Path], "subprocess.Popen[str]"]
WATCHES, INSTANCES = "max_inotify_watches", "max_inotify_instances"


def until(process: subprocess.Popen[str], is_it: Callable[[Any], bool]) -> Any:
    """The next line of the process of which that is true; its end is a failure."""
    assert process.stdout is not None
    for line in process.stdout:
        if is_it(found := json.loads(line)):
            return found
    raise AssertionError(f"it ended: {process.communicate()[1]}")


@pytest.mark.parametrize(("limit", "most", "named"), [(WATCHES, 10, "max_user_watches"), (INSTANCES, 0, "max_user_instances")])
def test_watch_says_which_limit_is_reached_and_finds_changes_by_looking(
    project: Path, limited: Limited, limit: str, most: int, named: str
) -> None:
    watching = limited(f'echo {most} > /proc/sys/user/{limit}; exec "{sys.executable}" -m clew watch --json .', project)
    try:
        said = until(watching, lambda found: any(named in warning for warning in found["warnings"]))
        (project / "part29" / "two.py").write_text("def later():\n    return 2\n")
        taken_in = until(watching, lambda found: "part29/two.py" in found["indexed"])
        watching.send_signal(signal.SIGINT)
        assert watching.wait(60) == 0
    finally:
        watching.kill()
        watching.communicate()
    assert "looking every few seconds instead" in " ".join(said["warnings"])
    assert taken_in["files"]["total"] == 31


ASKED = """
from clew import open_engine
from pathlib import Path
with open_engine(Path.cwd(), dict(freshness_ms=-1)) as engine:
    engine.index()
    for number in range(25, 30):
        engine.search("early")
        Path(f"part{number}", "one.py").write_text(f"def later_{number}():\\n    return 1\\n")
        print([result.chunk.symbol_name for result in engine.search(f"later_{number}").results[:1]])
"""


@pytest.mark.parametrize(("limit", "most"), [(WATCHES, 10), (INSTANCES, 0)])
def test_a_process_that_answers_many_questions_sees_each_edit(project: Path, limited: Limited, limit: str, most: int) -> None:
    asking = limited(f"echo {most} > /proc/sys/user/{limit}; exec \"{sys.executable}\" -c '{ASKED}'", project)
    out, err = asking.communicate(timeout=120)
    assert asking.returncode == 0, err
    assert out.split("\n")[:-1] == [f"['later_{number}']" for number in range(25, 30)]
