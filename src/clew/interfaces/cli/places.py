"""Which project and which path in it does a file on the command line mean?"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from clew.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.engine import Engine


@contextmanager
def opened(path: str | None, file: str) -> Iterator[tuple[Engine, str]]:
    """The engine of the project (default: the one around the file), and the file's path in it."""
    from clew.assembly import open_engine

    with open_engine(project_start(path, file)) as engine:
        yield engine, in_project(engine.root, file)


def project_start(path: str | None, file: str) -> Path:
    """Where the project is sought: in `path`, here where the file belongs to the project here, else around the file."""
    return Path(path or ("." if _is_in_project_here(file) else Path(file).parent))


def in_project(root: Path, file: str) -> str:
    """The path of the file from the project's root."""
    for candidate in (Path(file), root / file):
        real = Path(os.path.realpath(candidate.parent)) / candidate.name
        if os.path.lexists(real) and real.is_relative_to(root):
            return real.relative_to(root).as_posix()
    raise UsageError(f"{file} is not a file of {root}", "give its path from here or from the project's root, or the project with --path")


def _is_in_project_here(file: str) -> bool:
    from clew.sources.project import project_root

    return Path(os.path.realpath(file)).is_relative_to(project_root(Path())) or not Path(file).parent.is_dir()
