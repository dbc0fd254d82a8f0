"""Is a result said to stand on the disk only where it does?"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clew.core.answer import Ranked, Result
from clew.core.catalog import FileRecord
from clew.core.chunk import Chunk, checksum
from clew.search.showing import CHANGED, GONE, show
from clew.sources.stamps import changed_ns

BEFORE, AFTER = b"def one(): return 1\n", b"def two(): return 2\n"


def shown(root: Path, record: FileRecord | None) -> Result:
    chunk = Chunk("id", "a.py", "one", "function", "python", 1, 1, "", BEFORE.decode().strip())
    return show(root, Ranked(chunk, 1.0, ("named",)), record)


def record(root: Path, *, racy: bool) -> FileRecord:
    seen = (root / "a.py").lstat()
    return FileRecord("a.py", seen.st_size, 0 if racy else changed_ns(seen), checksum(BEFORE))


@pytest.mark.parametrize("racy", [False, True], ids=["read long after it was written", "read as soon as it was written"])
def test_an_edit_of_the_same_size_is_seen_whenever_the_file_was_read(tmp_path: Path, racy: bool) -> None:
    (tmp_path / "a.py").write_bytes(BEFORE)
    known = record(tmp_path, racy=racy)
    assert not shown(tmp_path, known).from_index
    (tmp_path / "a.py").unlink()
    (tmp_path / "a.py").write_bytes(AFTER)
    os.utime(tmp_path / "a.py", ns=(4 * 10**18, 4 * 10**18))
    found = shown(tmp_path, known)
    assert found.from_index and CHANGED in found.reasons
    (tmp_path / "a.py").unlink()
    assert GONE in shown(tmp_path, known).reasons


@pytest.mark.parametrize("instead", ["link", "folder", "pipe"])
def test_what_stands_there_instead_of_the_file_is_not_read(tmp_path: Path, instead: str) -> None:
    (tmp_path / "a.py").write_bytes(BEFORE)
    known = FileRecord("a.py", len(BEFORE), 0, checksum(BEFORE))
    (tmp_path / "a.py").rename(tmp_path / "elsewhere.py")
    if instead == "link":
        (tmp_path / "a.py").symlink_to(tmp_path / "elsewhere.py")
        known = FileRecord("a.py", (tmp_path / "a.py").lstat().st_size, 0, checksum(BEFORE))
    elif instead == "folder":
        (tmp_path / "a.py").mkdir()
        known = FileRecord("a.py", (tmp_path / "a.py").lstat().st_size, 0, checksum(BEFORE))
    else:
        os.mkfifo(tmp_path / "a.py")
        known = FileRecord("a.py", 0, 0, checksum(BEFORE))
    assert CHANGED in shown(tmp_path, known).reasons
