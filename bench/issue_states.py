"""What did the code of a bug report look like? Each report's commit, indexed once and kept, cheaply enough to search hundreds of them again.

    python bench/issue_states.py QUERIES.jsonl MIRRORS CACHE [--only WORD …]

QUERIES is a set of reports, one JSON object a line, with `id`, `repo` ("owner/name"), `commit`, `query` and `gold_files`; MIRRORS holds a bare clone of
each repository as "owner+name/repo". Reports are taken by date of their commit, so that most files of a tree and most chunks of its index stay as they
are; what was indexed is then copied to CACHE/states/<id>, without the vector table, which no search of this size reads.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from clew.assembly import open_engine

DEV_REPOS = frozenset(["pytest-dev/pytest", "pylint-dev/pylint", "psf/requests", "pallets/flask", "mwaskom/seaborn"])
"""Looked at and tuned on, beside every second report of HALVED; all others are held out: measured a few times, never looked at."""
HALVED = "sympy/sympy"
"""Half of all reports: those with an even place, in order of id, are looked at."""
LINK = "120000"


def reports(queries: Path) -> list[dict[str, Any]]:
    """Every report that has a fixed file, in order of id, each marked `dev` or not."""
    found = [json.loads(line) for line in queries.read_text(encoding="utf-8").split("\n") if line.strip()]
    found = sorted((report for report in found if report["gold_files"]), key=lambda report: report["id"])
    halved = [report["id"] for report in found if report["repo"] == HALVED]
    return [report | {"dev": report["repo"] in DEV_REPOS or report["id"] in halved[::2]} for report in found]


def state_of(cache: Path, report: dict[str, Any]) -> Path:
    """Where the report's index is kept."""
    return cache / "states" / report["id"].replace("/", "+")


def _git(mirrors: Path, repo: str, *arguments: str) -> bytes:
    folder = mirrors / repo.replace("/", "+") / "repo"
    return subprocess.run(["git", "--git-dir", str(folder), *arguments], capture_output=True, check=True).stdout


def _files(mirrors: Path, repo: str, commit: str) -> dict[str, str]:
    """The blob of each file at a commit, links left out."""
    entries = (entry.split(b"\t", 1) for entry in _git(mirrors, repo, "ls-tree", "-r", "-z", commit).split(b"\0") if entry)
    found = ((meta.decode().split(), os.fsdecode(path)) for meta, path in entries)
    return {path: sha for (mode, kind, sha), path in found if kind == "blob" and mode != LINK}


class Tree:
    """A folder that shows one commit after another, touching only what differs."""

    def __init__(self, mirrors: Path, repo: str, folder: Path) -> None:
        self._mirrors, self._repo, self.folder = mirrors, repo, folder
        self._shown: dict[str, str] = {}
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    def show(self, commit: str) -> None:
        """Make the folder hold the commit's files and no others."""
        wanted = _files(self._mirrors, self._repo, commit)
        for path in self._shown.keys() - wanted.keys():
            (self.folder / path).unlink()
        differing = [(path, sha) for path, sha in wanted.items() if self._shown.get(path) != sha]
        for (path, _), content in zip(differing, self._blobs([sha for _, sha in differing]), strict=True):
            if content is None:
                del wanted[path]
                continue
            target = self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        self._shown = wanted

    def _blobs(self, shas: Sequence[str]) -> Iterable[bytes | None]:
        """The content of each blob; None where the clone lacks it."""
        folder = self._mirrors / self._repo.replace("/", "+") / "repo"
        reader = ["git", "--git-dir", str(folder), "cat-file", "--batch"]
        out = subprocess.run(reader, input="".join(f"{sha}\n" for sha in shas).encode(), capture_output=True, check=True).stdout
        position = 0
        for _ in shas:
            end = out.index(b"\n", position)
            if out[position:end].endswith(b" missing"):
                position = end + 1
                yield None
                continue
            size = int(out[position:end].rsplit(b" ", 1)[1])
            yield out[end + 1 : end + 1 + size]
            position = end + size + 2


def make(found: Sequence[dict[str, Any]], mirrors: Path, cache: Path) -> None:
    """Index every report's commit that is not kept yet: those to look at first, each repository in order of date."""
    groups: dict[tuple[bool, str], list[dict[str, Any]]] = {}
    for report in found:
        if not (state_of(cache, report) / "catalog.db").exists():
            groups.setdefault((report["dev"], report["repo"]), []).append(report)
    for (_, repo), group in sorted(groups.items(), key=lambda item: (not item[0][0], len(item[1]))):
        name = repo.replace("/", "+")
        tree = Tree(mirrors, repo, cache / "trees" / name)
        dated = sorted(group, key=lambda report: int(_git(mirrors, repo, "show", "-s", "--format=%ct", report["commit"])))
        for report in dated:
            started = time.monotonic()
            tree.show(report["commit"])
            with open_engine(tree.folder, {"index_dir": str(cache / "live" / name), "namespace": "report"}) as engine:
                made = engine.index()
            keep(cache / "live" / name, state_of(cache, report))
            print(
                f"{report['id']}: {made.indexed} files indexed, {made.chunks_added} chunks, {time.monotonic() - started:.1f} s", flush=True
            )


def keep(live: Path, state: Path) -> None:
    """Copy an index without its vector table."""
    aside = state.with_name(state.name + ".part")
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(live, aside, ignore=shutil.ignore_patterns("chunks*.lance", "writer.lock"))
    aside.rename(state)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--only", nargs="*", default=[], help="words, one of which must be in a report's id")
    chosen = parser.parse_args()
    found = [report for report in reports(chosen.queries) if not chosen.only or any(word in report["id"] for word in chosen.only)]
    make(found, chosen.mirrors, chosen.cache.resolve())


if __name__ == "__main__":
    main()
