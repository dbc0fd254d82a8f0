"""What becomes of an index on a disk that is full? Each command is right, or refuses and says what to do; when there is room again, all is right."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Limited = Callable[[str, Path], "subprocess.Popen[str]"]
ON_A_SMALL_DISK = """
mount -t tmpfs -o size={size} none .clew || exit 99
clew index --json . >../first; echo $? >>../codes
head -c {size} /dev/zero >.clew/ballast 2>/dev/null
echo 'def later(): return 1' >part00/one.py
for command in 'index --json .' 'search --json later' 'search --json early_7' 'gc --json .' 'status --json .'; do
  clew $command >../answer; code=$?; echo $code >>../codes
  grep -q Traceback ../answer && exit 98
  cat ../answer >>../answers
done
rm .clew/ballast
mount -o remount,size=64m .clew
clew index --json . >../repaired || clew index --rebuild --json . >../repaired; echo $? >>../codes
clew search --json --mode fast later >>../last; echo $? >>../codes
"""


@pytest.mark.parametrize("size", ["64k", "2m"])
def test_a_full_disk_ends_no_command_with_a_wrong_answer(project: Path, limited: Limited, size: str) -> None:
    (project / ".clew").mkdir()
    shell = limited(ON_A_SMALL_DISK.format(size=size), project)
    _, said = shell.communicate()
    assert shell.returncode == 0, said
    assert "Traceback" not in said
    first, *codes, repaired, last = map(int, (project.parent / "codes").read_text().split())
    answers = [json.loads(line) for line in (project.parent / "answers").read_text().split("\n") if line]
    assert first in (0, 3, 4) and (repaired, last) == (0, 0)
    for code, answer in zip(codes, answers, strict=True):
        assert code in (0, 1, 3, 4), (code, answer)
        if "error" in answer:
            assert answer["error"]["hint"], answer
        elif "results" in answer and not answer["stale"]:
            assert answer["query"] in answer["results"][0]["code_snippet"], answer
    found = json.loads((project.parent / "last").read_text())
    assert [result["filepath"] for result in found["results"]][:1] == ["part00/one.py"]
