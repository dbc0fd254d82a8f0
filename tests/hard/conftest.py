"""What does a user do with a project? Write files, index, ask: through the real command line."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clew.interfaces.cli.main import main

SNIPPET_LIMIT = 2_000
_IDENTITY = {
    f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "t"), ("EMAIL", "t@example.invalid"))
}


class Ran(NamedTuple):
    """How a command ended."""

    code: int
    out: bytes
    err: str

    @property
    def answer(self) -> Any:
        """Its stdout as JSON, which must be UTF-8 and nothing else."""
        return json.loads(self.out.decode("utf-8"))


def clew(*arguments: str) -> Ran:
    """Run a command line in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
        out.flush()
    return Ran(code, out.buffer.getvalue(), err.getvalue())  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Project:
    """A folder as a user has it before them."""

    root: Path

    def write(self, path: str, content: str | bytes) -> Path:
        """Write a file, with the folders it needs."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    def git(self, *arguments: str, at: str = ".") -> str:
        """Git, in the project or a folder of it."""
        command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *arguments]
        done = subprocess.run(command, cwd=self.root / at, env={**os.environ, **_IDENTITY}, capture_output=True, check=True)
        return os.fsdecode(done.stdout)

    def at(self, path: str) -> Project:
        """A folder of the project, as a project."""
        return Project(self.root / path)

    def index(self, *options: str) -> Any:
        """Bring the index up to date; the run must end well. Returns the report."""
        ran = clew("index", "--json", *options, str(self.root))
        assert ran.code == 0, ran.err
        return ran.answer

    def status(self) -> Any:
        """What the index says about itself."""
        ran = clew("status", "--json", str(self.root))
        assert ran.code == 0, ran.err
        return ran.answer

    def answer(self, query: str, *options: str) -> Any:
        """The answer to a question; every result in it must show the lines that it names."""
        ran = clew("search", "--json", "--path", str(self.root), *options, "--", query)
        assert ran.code in (0, 1), ran.err
        answer = ran.answer
        assert ran.code == (0 if answer["results"] else 1)
        for result in answer["results"]:
            self._shows_its_lines(result)
        return answer

    def search(self, query: str, *options: str) -> list[dict[str, Any]]:
        """The results for a question, best first."""
        results: list[dict[str, Any]] = self.answer(query, *options)["results"]
        return results

    def paths(self, query: str, *options: str) -> list[str]:
        """The files of the results, best first, each once."""
        return list(dict.fromkeys(result["filepath"] for result in self.search(query, *options)))

    def find(self, query: str, path: str, lines: tuple[int, int] | None = None, *options: str, top: int = 5) -> dict[str, Any]:
        """The first of the best results that is in the file, and overlaps the lines; there must be one."""
        results = self.search(query, *options)[:top]
        for result in results:
            overlaps = lines is None or (result["line_start"] <= lines[1] and result["line_end"] >= lines[0])
            if result["filepath"] == path and overlaps:
                return result
        raise AssertionError(f"{query!r} gives {[(r['filepath'], r['line_start'], r['line_end']) for r in results]}, not {path} {lines}")

    def _shows_its_lines(self, result: dict[str, Any]) -> None:
        target = Path(result["absolute_path"])
        assert len(result["code_snippet"]) <= SNIPPET_LIMIT + len("\n... (truncated)")
        if not target.is_file() or target.suffix == ".ipynb":
            return
        try:
            text = target.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError:
            return
        lines = [line.removesuffix("\r") for line in text.split("\n")][result["line_start"] - 1 : result["line_end"]]
        shown = result["code_snippet"].removesuffix("... (truncated)").rstrip("\n")
        whole = "\n".join(lines)
        assert (
            shown in whole if len(lines) == 1 or len(whole) > SNIPPET_LIMIT else whole.startswith(shown)
        )  # a long line is shown in pieces


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty project."""
    folder = tmp_path / "project"
    folder.mkdir()
    return Project(folder)


@pytest.fixture
def repository(project: Project) -> Project:
    """An empty git repository."""
    project.git("init", "-q")
    return project


@pytest.fixture(scope="session")
def command() -> Callable[..., Ran]:
    """A command line in this process."""
    return clew


@pytest.fixture(scope="session")
def shell() -> Callable[..., Ran]:
    """A shell line with `clew` in it, in a process of its own."""

    def run(line: str, folder: Path, **environment: str) -> Ran:
        function = f'clew() {{ "{sys.executable}" -m clew "$@"; }}; export -f clew; {line}'
        env = {**os.environ, **environment}
        done = subprocess.run(
            ["bash", "-c", function], cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120
        )
        return Ran(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))

    return run
