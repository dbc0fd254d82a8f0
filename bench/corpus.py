"""Which code is measured? A corpus made of the Python sources that are installed here.

    python bench/corpus.py DEST [--lines 1000000] [--from FOLDER …]

Copies `.py` files, largest packages' files in order of name, until there are that many lines; prints files and lines.
"""

from __future__ import annotations

import argparse
import shutil
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path


def sources(folders: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """(file, path inside its folder) of every Python source, in a fixed order."""
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path, path.relative_to(folder)


def make(dest: Path, lines: int, folders: Iterable[Path]) -> tuple[int, int]:
    """Copy files until `lines` are there; returns files and lines copied."""
    files = count = 0
    for path, inside in sources(folders):
        if count >= lines:
            break
        here = path.read_bytes().count(b"\n")
        if not 20 <= here <= 20_000:
            continue
        target = dest / str(inside).removeprefix("site-packages/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        files, count = files + 1, count + here
    return files, count


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("dest", type=Path)
    arguments.add_argument("--lines", type=int, default=1_000_000)
    arguments.add_argument("--from", dest="folders", type=Path, nargs="*", default=[Path(sysconfig.get_path("stdlib"))])
    given = arguments.parse_args()
    files, lines = make(given.dest, given.lines, given.folders)
    print(f"{given.dest}: {files} files, {lines} lines")


if __name__ == "__main__":
    main()
