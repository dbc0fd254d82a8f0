"""What do the tests of the engine work on? A small project, and a way to run it in a process that may be killed."""

from __future__ import annotations

from pathlib import Path

import pytest

FUNCTIONS = ("create_user", "cancel_order", "retry_upload", "parse_header", "render_page", "send_mail")


def write_project(root: Path, files: int) -> None:
    """As many Python files as asked for, each with a function of its own name and one of six common ones."""
    for number in range(files):
        folder = root / f"part{number % 3}"
        folder.mkdir(parents=True, exist_ok=True)
        common = FUNCTIONS[number % len(FUNCTIONS)]
        text = f'def {common}(value):\n    """{common.replace("_", " ")} number {number}."""\n    return value + {number}\n\n\n'
        (folder / f"file{number}.py").write_text(f"{text}def only_in_{number}():\n    return {common}({number})\n", encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    write_project(root, 12)
    return root
