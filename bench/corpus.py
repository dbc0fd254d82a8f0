"""Which code is measured? A corpus made of the Python sources that are installed here.

    python bench/corpus.py DEST [--lines 1000000] [--from FOLDER …]
    python bench/corpus.py DEST --files 200000 [--from FOLDER …]

Copies `.py` files, largest packages' files in order of name, until there are that many lines; prints files and lines. With `--files`
there are as many small files as asked for: the sources again and again, each time in another folder, what they define under other names.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sysconfig
from collections.abc import Iterable, Iterator
from itertools import count as counted
from itertools import islice
from pathlib import Path

SMALL = (10, 100)
"""Lines of a small file: 50 in the mean."""
_DEFINED = re.compile(rb"\b(?:def|class)\s+([A-Za-z]\w{2,})")
_WORD = re.compile(rb"\b[a-z]{4,9}\b")


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


def make_many(dest: Path, files: int, folders: Iterable[Path]) -> tuple[int, int]:
    """Write so many small files, copies with other names; returns files and lines written."""
    small = []
    for path, inside in sources(folders):
        content = path.read_bytes()
        if SMALL[0] <= content.count(b"\n") <= SMALL[1]:
            small.append((str(inside).removeprefix("site-packages/"), content))
    words = sorted({word.decode() for _, content in small for word in _WORD.findall(content)})
    lines = 0
    for again, (inside, content) in islice(((again, one) for again in counted() for one in small), files):
        word = words[again * 7919 % len(words)]
        target = dest / f"{word}_{again:03}" / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(renamed(content, word))
        lines += content.count(b"\n")
    return files, lines


def renamed(content: bytes, word: str) -> bytes:
    """The source with a word added to every name that it defines, wherever that name stands in it."""
    names = {name for name in _DEFINED.findall(content) if not name.startswith(b"test")}
    if not names:
        return content
    pattern = re.compile(rb"\b(" + b"|".join(sorted(names, key=len, reverse=True)) + rb")\b")
    return pattern.sub(lambda found: found[1] + b"_" + word.encode(), content)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("dest", type=Path)
    arguments.add_argument("--lines", type=int, default=1_000_000)
    arguments.add_argument("--files", type=int, default=0)
    arguments.add_argument("--from", dest="folders", type=Path, nargs="*", default=[Path(sysconfig.get_path("stdlib"))])
    given = arguments.parse_args()
    files, lines = make_many(given.dest, given.files, given.folders) if given.files else make(given.dest, given.lines, given.folders)
    print(f"{given.dest}: {files} files, {lines} lines")


if __name__ == "__main__":
    main()
