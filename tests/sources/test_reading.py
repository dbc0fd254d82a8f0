"""Is a file read as it is, and is one that cannot be read told with its reason?"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.chunk import checksum
from clew.sources.reading import Reading, read, split_lines
from clew.sources.walking import Rules

Write = Callable[..., Path]


def reading(root: Path, path: str, **rules: object) -> Reading:
    return read(root, path, Rules(**rules))  # type: ignore[arg-type]


def lines(root: Path, path: str) -> tuple[str, ...]:
    document = reading(root, path).document
    assert document is not None
    return document.lines


def test_a_file_is_read_with_its_language_and_checksum(root: Path, write: Write) -> None:
    write("src/a.py", "import os\n\n\ndef f():\n    return 1\n")
    found = reading(root, "src/a.py")
    assert found.document is not None
    assert found.document.filepath == "src/a.py"
    assert found.document.language == "python"
    assert found.document.lines == ("import os", "", "", "def f():", "    return 1")
    assert found.checksum == checksum(b"import os\n\n\ndef f():\n    return 1\n")
    assert (found.skipped, found.note) == ("", "")


def test_lines_are_counted_on_newlines_alone(root: Path, write: Write) -> None:
    write("odd.py", "A = 'x\u2028y'\x0c\nB = 'p\u0085q'\x0b\n\rC = '\x1c\x1d'\r\r\nlast")
    assert lines(root, "odd.py") == ("A = 'x\u2028y'\x0c", "B = 'p\u0085q'\x0b", "\rC = '\x1c\x1d'\r", "last")


def test_a_mark_and_carriage_returns_never_reach_the_text(root: Path, write: Write) -> None:
    write("a.cs", b"\xef\xbb\xbfusing System;\r\n// \xe8\xae\xa1\r\n")
    found = reading(root, "a.cs")
    assert found.document is not None
    assert found.document.lines == ("using System;", "// 计")
    assert found.note == ""


def test_an_empty_file_has_no_lines(root: Path, write: Write) -> None:
    write("empty.py", "")
    assert lines(root, "empty.py") == ()


def test_an_old_encoding_is_noted(root: Path, write: Write) -> None:
    write("a.py", "# Größe prüfen\n".encode("latin-1"))
    found = reading(root, "a.py")
    assert found.document is not None
    assert found.document.lines == ("# Größe prüfen",)
    assert found.note == "decoded as windows-1252"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\x7fELF\0\0\1", "binary"),
        (b"x = 1\n" * 2000 + b"\xff\x01\x02\x03" * 200, "binary"),
        (b"x" * 1001, "1001 bytes, over the limit of 1000 (max_file_bytes)"),
    ],
)
def test_what_is_no_text_or_too_large_is_told(root: Path, write: Write, content: bytes, reason: str) -> None:
    write("file", content)
    limit = 1000 if "limit" in reason else 10**6
    found = reading(root, "file", max_file_bytes=limit)
    assert (found.document, found.skipped) == (None, reason)


def test_paths_that_lead_to_no_file_are_told(root: Path, write: Write) -> None:
    write("folder/a.py")
    os.mkfifo(root / "pipe")
    assert reading(root, "gone.py").skipped == "no such file or directory"
    assert reading(root, "folder").skipped == "is a directory"
    assert reading(root, "folder/a.py/b").skipped == "not a directory"
    assert reading(root, "pipe").skipped == "not a regular file"
    assert reading(root, "nul\0.py").skipped == "not a possible path"
    assert reading(root, "half\ud800.py").skipped == "not a possible path"


def test_nothing_outside_the_root_is_read(root: Path, write: Write, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("secret = 1\n")
    (tmp_path / "project2").mkdir()
    (tmp_path / "project2/a.py").write_text("secret = 1\n")
    (root / "linked").symlink_to(tmp_path)
    (root / "link.py").symlink_to(tmp_path / "secret.py")
    assert reading(root, "../secret.py").skipped == "outside the project"
    assert reading(root, str(tmp_path / "secret.py")).skipped == "outside the project"
    assert reading(root, "../project2/a.py").skipped == "outside the project"
    assert reading(root, "linked/secret.py").skipped == "outside the project"
    assert reading(root, "link.py").skipped == "symbolic link"


def test_a_file_without_permission_is_told(open_root: Path, unprivileged: Callable[[Path], AbstractContextManager[None]]) -> None:
    (open_root / "closed.py").write_text("x = 1\n")
    (open_root / "closed.py").chmod(0)
    with unprivileged(open_root):
        assert reading(open_root, "closed.py") == Reading(skipped="permission denied")


# -- minified --


def test_one_huge_line_of_code_is_minified(root: Path, write: Write) -> None:
    write("app.js", "!function(){" + "".join(f"function f{i}(a,b){{return a*{i}+b}}" for i in range(3000)) + "}();")
    found = reading(root, "app.js")
    assert found.document is None
    assert found.skipped == "minified: 1 of 1 line longer than 1000 characters"
    assert found.checksum


def test_a_licence_above_does_not_hide_minified_code(root: Path, write: Write) -> None:
    write("lib.css", "/*! a library\n * under a licence\n */\n" + ".a{b:c}" * 2000 + "\n" + ".d{e:f}" * 2000 + "\n")
    assert reading(root, "lib.css").skipped == "minified: 2 of 5 lines longer than 1000 characters"


def test_minified_code_in_short_lines_is_known_by_its_name(root: Path, write: Write) -> None:
    line = "function f(a,b){return a+b}" * 18 + "\n"
    write("a.min.js", line * 40)
    write("a.js", line * 40)
    write("b.min.js", "var a = 1;\n" * 1000)
    assert reading(root, "a.min.js").skipped.startswith("minified")
    assert reading(root, "a.js").document is not None
    assert reading(root, "b.min.js").document is not None


@pytest.mark.parametrize("length", [1_500, 20_000, 400_000])
def test_a_long_literal_in_a_written_file_is_kept(root: Path, write: Write, length: int) -> None:
    body = "".join(f"def f{i}(a):\n    return a\n\n\n" for i in range(6))
    write("badge.py", f'LOGO = "{"QUJD" * (length // 4)}"\n\n\n{body}')
    found = reading(root, "badge.py")
    assert found.document is not None
    assert "def f5(a):" in found.document.lines


def test_records_and_paragraphs_are_not_minified_however_long(root: Path, write: Write) -> None:
    write("dump.sql", "CREATE TABLE a (b INT);\nINSERT INTO a VALUES " + ",".join(f"({i})" for i in range(5000)) + ";\n")
    write("data.csv", "\n".join(",".join(str(i) for i in range(900)) for _ in range(9)))
    write("prose.md", "\n\n".join(["The operator may adjust the window when the disk is full. " * 40] * 5))
    for path in ("dump.sql", "data.csv", "prose.md"):
        assert reading(root, path).document is not None


def test_a_notebook_gives_its_cells(root: Path, write: Write) -> None:
    cell = {
        "cell_type": "code",
        "source": ["def rate(df):\n", "    return df.mean()\n"],
        "outputs": [{"text": "only in the output"}],
        "metadata": {},
    }
    write("study.ipynb", json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    text = "\n".join(lines(root, "study.ipynb"))
    assert "def rate(df):\n    return df.mean()" in text
    assert "only in the output" not in text


def test_a_broken_notebook_is_read_as_text(root: Path, write: Write) -> None:
    write("broken.ipynb", '{"cells": [ {"cell_type": "code", "source": ["def cut_off')
    assert "def cut_off" in "\n".join(lines(root, "broken.ipynb"))


@given(st.text())
def test_lines_joined_again_are_the_text_without_its_line_ends(text: str) -> None:
    found = split_lines(text)
    assert len(found) == text.count("\n") + bool(text and not text.endswith("\n"))
    assert "\n".join(found) == "\n".join(line.removesuffix("\r") for line in text.removesuffix("\n").split("\n"))
