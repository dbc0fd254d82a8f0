"""How large does an index get that follows many edits? The size after each of some thousand, beside that of one made anew.

    python bench/growth.py FOLDER [--edits 2000] [--by engine|command] [--aside FOLDER]

FOLDER is a project (see corpus.py); a copy of it is edited: functions are added, changed and cut out of its files, files move. `engine`: one
engine stays open and answers a question after each edit. `command`: `clew index` and `clew search` in turn, each from the beginning.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

from histories import run

from clew.assembly import open_engine
from clew.core.answer import Question

SHOWN = 10
"""Lines of the report: a size after each tenth of the edits."""


def size_of(root: Path) -> int:
    """The bytes of the project's index."""
    return sum(path.stat().st_size for path in (root / ".clew").rglob("*") if path.is_file())


def fresh_size(root: Path, aside: Path) -> int:
    """What an index of the project takes that is made anew."""
    with open_engine(root, {"index_dir": str(aside / "fresh")}) as engine:
        engine.index()
    found = sum(path.stat().st_size for path in (aside / "fresh").rglob("*") if path.is_file())
    shutil.rmtree(aside / "fresh")
    return found


def edit(root: Path, chosen: random.Random, number: int) -> None:
    """One change of a file, as people make them: a function more, a line changed, a part cut out, a file moved."""
    path = chosen.choice(sorted(root.rglob("*.py")))
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    at = chosen.randrange(len(lines))
    kind = chosen.random()
    if kind < 0.4:
        lines += ["", f"def added_{number}(value):", f'    """Added as number {number}."""', f"    return value + {number}"]
    elif kind < 0.8:
        lines[at : at + 1] = [f"{lines[at]}  # {number}"]
    elif kind < 0.95:
        del lines[at : at + 3]
    else:
        path.rename(path.with_name(f"m{number % 10}_{path.name[-40:]}"))
        return
    path.write_text("\n".join(lines), encoding="utf-8", errors="replace")


def followed(root: Path, edits: int, follow: Callable[[], object]) -> float:
    """Edit the project and follow each time; prints sizes, returns the largest size seen after an edit."""
    chosen, most = random.Random(1), 0
    for number in range(1, edits + 1):
        edit(root, chosen, number)
        follow()
        now = size_of(root)
        most = max(most, now)
        if number % max(edits // SHOWN, 1) == 0:
            print(f"{number} edits: {now / 1e6:.1f} MB, {most / 1e6:.1f} MB at most so far", flush=True)
    return most


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--edits", type=int, default=2_000)
    arguments.add_argument("--by", choices=("engine", "command"), default="engine")
    arguments.add_argument("--aside", type=Path)
    given = arguments.parse_args()
    aside = Path(tempfile.mkdtemp(prefix="clew-growth-", dir=given.aside))
    root = aside / "project"
    shutil.copytree(given.folder, root, ignore=shutil.ignore_patterns(".clew", ".git"))
    print(f"fresh: {fresh_size(root, aside) / 1e6:.1f} MB")
    started = time.process_time()
    if given.by == "engine":
        with open_engine(root, {"freshness_ms": -1}) as engine:
            engine.index()
            followed(root, given.edits, lambda: engine.search(Question("where are headers parsed", mode="fast")))
            print(f"still open: {size_of(root) / 1e6:.1f} MB")
    else:
        run("index", str(root))
        commands = cycle((("index", str(root)), ("search", "--path", str(root), "where are headers parsed")))
        followed(root, given.edits, lambda: run(*next(commands)))
    made = size_of(root)
    fresh = fresh_size(root, aside)
    run("gc", str(root))
    print(
        f"{given.edits} edits by {given.by}: {made / 1e6:.1f} MB, made anew {fresh / 1e6:.1f} MB, ratio {made / fresh:.2f}; "
        f"after gc {size_of(root) / 1e6:.1f} MB, {time.process_time() - started:.0f} CPU s"
    )
    shutil.rmtree(aside)


if __name__ == "__main__":
    main()
