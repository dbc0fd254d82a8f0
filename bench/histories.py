"""Is an index right after any history? Random steps in a real project, searches on the way, at checkpoints a comparison with a rebuild.

    python bench/histories.py [--seed 1] [--operations 6000] [--checkpoint 250] [--folder FOLDER]

After each search: every result stands on the disk as it is shown, and the file that holds the asked word is found, unless the answer says
that it is stale. An index run that is killed at a random write, two at once, a watcher, `clew gc`, an engine that stays open, and commands
one after another work on the same index. Ends with a line of counts, or with the first thing that was wrong.
"""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from threading import Event
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

import numpy as np
from history_world import MARKER, WORDS, World

from clew.assembly import assemble
from clew.core.answer import Question
from clew.core.query import Filters, Scope
from clew.engine import Engine
from clew.errors import WriterBusy
from clew.interfaces.cli.main import main as clew
from clew.interfaces.rendering.wire import answer_object
from clew.settings import load_settings
from clew.stores.embedded import EmbeddedStore, Limits
from clew.stores.embedded.snapshot import vectors_of

ROWS = 150
"""Changes that wait for the vector table and the snapshot: few, so that both are renewed often."""
SOON_S = 300.0
CUT = "... (truncated)"
KILLED = ("applied", "committed", "written", "renewed", "feeding", "fed", "synced")
_PROCESSES = multiprocessing.get_context("forkserver")


class Wrong(AssertionError):
    """Something that must never be."""


class Told(NamedTuple):
    """An index, as far as it can be compared with another."""

    files: Any
    chunks: Any
    outlines: Any
    keywords: Any
    vectors: Any


def opened(root: Path, folder: Path | None = None, reached: Any = lambda _: None) -> Engine:
    """An engine whose store renews what is derived after few changes."""
    store = EmbeddedStore.open(folder or root / ".clew", limits=Limits(rows=ROWS), reached=reached)
    return assemble(root, load_settings(root, {"namespace": "history"}), store)


def index_in_a_process(root: Path, step: str = "", times: int = 0) -> None:
    """Index as a process of its own, which dies when the store has reached a step so many times."""
    seen = 0

    def reached(name: str) -> None:
        nonlocal seen
        seen += name == step
        if seen == times > 0:
            os.kill(os.getpid(), signal.SIGKILL)

    with suppress(WriterBusy), opened(root, reached=reached) as engine:
        engine.index()


def watch_in_a_process(root: Path) -> None:
    """Keep the index current until killed."""
    with opened(root) as engine:
        engine.follow(Event(), lambda _: None)


class History:
    """One run: a world, and those who index and search it."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.world = World(folder / f"world{seed}" / "project", seed)
        self.random = random.Random(seed + 1)
        self.counts: Counter[str] = Counter()
        self._folder = folder
        self._engine = opened(self.world.root)
        self._watcher: Any = None
        self._dead: list[bytes] = []

    def close(self) -> None:
        """End what runs."""
        self._end_watcher()
        self._engine.close()

    def operation(self) -> None:
        """One thing happens: to the files, to the index, or a question is asked."""
        chance = self.random.random()
        if chance < 0.66:
            marks = self.world.marks() if self.random.random() < 0.05 else {}
            self.world.step()
            self._dead = [*self._dead, *marks][-50:]
            self.counts[self.world.did] += 1
            return
        kinds, weights = zip(*ACTS, strict=True)
        act = self.random.choices(kinds, weights)[0]
        self.counts[act.__name__] += 1
        act(self)

    # -- questions --

    def ask_engine(self) -> None:
        """The engine that stays open answers; what it does beside, it is given the time for."""
        text, mode = self._question()
        last = time.monotonic() + SOON_S
        while True:
            answer = answer_object(self._engine.search(Question(text, mode=mode)))
            self._check(text, answer)
            if not answer["stale"] or self.random.random() < 0.2:
                return
            if time.monotonic() > last:
                raise Wrong(f"still stale after {SOON_S} s: {answer['warnings']}")
            time.sleep(0.01)

    def ask_command(self) -> None:
        """`clew search`."""
        text, mode = self._question()
        code, out = run("search", "--json", "--mode", mode, "--path", str(self.world.root), "--", text)
        if code not in (0, 1):
            raise Wrong(f"clew search {text} ended with {code}: {out}")
        self._check(text, json.loads(out))

    def ask_beside(self) -> None:
        """A question in the work tree beside, which has an index of its own."""
        root = self.world.root.parent / "beside"
        if root.exists():
            code, out = run("search", "--json", "--mode", "fast", "--path", str(root), "--", self.random.choice(WORDS))
            if code not in (0, 1) or any(not one["absolute_path"].startswith(f"{root}{os.sep}") for one in json.loads(out)["results"]):
                raise Wrong(f"a work tree answered for another: {code} {out}")

    def _question(self) -> tuple[str, str]:
        marks = sorted(self.world.marks())
        if marks and self.random.random() < 0.6:
            return self.random.choice(marks).decode(), self.random.choice(("fast", "auto"))
        if self._dead and self.random.random() < 0.5:
            return self.random.choice(self._dead).decode(), "auto"
        return " ".join(self.random.sample(WORDS, 3)), self.random.choice(("hybrid", "semantic", "auto", "fast"))

    def _check(self, text: str, answer: Any) -> None:
        for result in answer["results"]:
            if result["from_index"]:
                if not answer["stale"]:
                    raise Wrong(f"{text}: {result['filepath']} is from the index, and the answer is not called stale")
            elif not self._stands(result):
                raise Wrong(f"{text}: {result['filepath']}:{result['line_start']} does not stand there: {result['code_snippet']}")
        self.counts["stale" if answer["stale"] else "fresh"] += 1
        mark = text.encode()
        where = self.world.marks().get(mark) if MARKER.fullmatch(mark) else None
        if where and not answer["stale"] and not any(text in one["code_snippet"] and one["filepath"] == where for one in answer["results"]):
            raise Wrong(
                f"{text} stands in {where} and was not found: {[one['filepath'] for one in answer['results']]} {answer['warnings']}"
            )

    def _stands(self, result: Any) -> bool:
        place = self.world.root / result["filepath"]
        if place.is_symlink() or not place.is_file():
            return False
        lines = place.read_text(encoding="utf-8", errors="replace").split("\n")[result["line_start"] - 1 : result["line_end"]]
        return "\n".join(lines).startswith(result["code_snippet"].removesuffix(f"\n{CUT}"))

    # -- the index --

    def index_engine(self) -> None:
        """The open engine checks every file."""
        with suppress(WriterBusy):
            self._engine.index()

    def index_command(self) -> None:
        """`clew index`."""
        self._command("index", "--json", str(self.world.root))

    def gc_command(self) -> None:
        """`clew gc`."""
        self._command("gc", "--json", str(self.world.root))

    def _command(self, *arguments: str) -> None:
        code, out = run(*arguments)
        if code not in (0, 3 if arguments[0] == "gc" else 0, 5 if self._watcher or self._engine._freshening._beside else 0):
            raise Wrong(f"clew {arguments} ended with {code}: {out}")

    def reopen(self) -> None:
        """The engine is closed and opened again."""
        self._engine.close()
        self._engine = opened(self.world.root)

    def kill_indexer(self) -> None:
        """An indexer is killed at a random write."""
        step = self.random.choices(KILLED, (8, 8, 1, 1, 1, 1, 1))[0]
        self._wait(self._start(index_in_a_process, step, self.random.randint(1, 3)), (0, -signal.SIGKILL))

    def two_writers(self) -> None:
        """Two indexers at once."""
        both = [self._start(index_in_a_process) for _ in range(2)]
        for one in both:
            self._wait(one, (0,))

    def watch(self) -> None:
        """A watcher begins, or is killed."""
        if self._watcher:
            self._end_watcher()
        else:
            self._watcher = self._start(watch_in_a_process)

    def _start(self, target: Any, *arguments: Any) -> Any:
        process = _PROCESSES.Process(target=target, args=(self.world.root, *arguments), daemon=True)
        process.start()
        return process

    def _wait(self, process: Any, codes: tuple[int, ...]) -> None:
        process.join(SOON_S)
        if process.exitcode not in codes:
            raise Wrong(f"an indexer ended with {process.exitcode}")

    def _end_watcher(self) -> None:
        if self._watcher:
            self._watcher.kill()
            self._watcher.join()
            self._watcher = None

    # -- the end --

    def compare(self) -> None:
        """The index, brought up to date, is the one that would be made now."""
        self._end_watcher()
        self._engine.index()
        followed = told(self._engine)
        aside = Path(tempfile.mkdtemp(dir=self._folder))
        with opened(self.world.root, aside / "index") as rebuilt:
            rebuilt.index()
            made = told(rebuilt)
        for name, one, other in zip(Told._fields, followed, made, strict=True):
            if one != other:
                raise Wrong(f"{name} differ from a rebuild: {_difference(one, other)}")
        there = {path for path, content in self.world.files().items() if b"\0" not in content}
        if there != made.files.keys():
            raise Wrong(f"other files than git's: {there ^ made.files.keys()}")
        self.counts["compared"] += 1


ACTS = (
    (History.ask_engine, 40), (History.ask_command, 25), (History.ask_beside, 1), (History.index_engine, 8), (History.index_command, 8),
    (History.gc_command, 1), (History.reopen, 4), (History.kill_indexer, 4), (History.two_writers, 2), (History.watch, 3),
)  # fmt: skip


def run(*arguments: str) -> tuple[int, str]:
    """A command line in this process: its exit code, and what it printed."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = clew(arguments)
        out.flush()
    printed = out.buffer.getvalue().decode()  # type: ignore[attr-defined]
    return code, printed if code in (0, 1) else printed + err.getvalue()


def told(engine: Engine) -> Told:
    """Everything that an index holds, apart from when it was made and how its rows are numbered."""
    store: Any = engine._store
    name, scope = engine.namespace, Scope((engine.namespace,))
    records = store.files(name)
    files = {path: (one.size, one.checksum, one.language, one.parsed, one.skipped, one.note) for path, one in records.items()}
    with store._moment() as (connection, view):
        numbers = dict(connection.execute("SELECT chunk, id FROM chunks WHERE namespace = ?", (name,)))
        vectors = {}
        for (space,) in connection.execute("SELECT space FROM spaces").fetchall():
            order = np.array(sorted(numbers), np.int64)
            rows, have = vectors_of(connection, space, view.snapshot())(order)
            vectors |= {(space, numbers[n]): (bool(h), row.tobytes()) for n, h, row in zip(order.tolist(), have, rows, strict=True)}
    chunks = {key: _content(chunk) for key, chunk in store.chunks(scope, [(name, key) for key in numbers.values()]).items()}
    outlines = {path: (store.outline(scope, path), store.references(scope, path)) for path in records}
    asked = [[word] for word in WORDS] + [WORDS[:5]]
    keywords = [sorted((hit.key, hit.score) for hit in store.keywords(scope, terms, Filters(), 10_000).hits) for terms in asked]
    return Told({path: one for path, one in files.items() if not one[4]}, chunks, outlines, keywords, vectors)


def _content(chunk: Any) -> tuple[Any, ...]:
    return tuple(getattr(chunk, field) for field in chunk.__slots__ if field != "indexed_at" and hasattr(chunk, field))


def _difference(one: Any, other: Any) -> str:
    if isinstance(one, dict):
        keys = [key for key in {*one, *other} if one.get(key) != other.get(key)]
        return f"{len(keys)}: " + "; ".join(f"{key}: {str(one.get(key))[:300]} / {str(other.get(key))[:300]}" for key in keys[:3])
    return str(next(((a, b) for a, b in zip(one, other, strict=True) if a != b), "lengths"))[:600]


def play(folder: Path, seed: int, operations: int, checkpoint: int) -> Counter[str]:
    """Carry out a history; returns what was done how often. Raises Wrong."""
    history = History(folder, seed)
    number = 0
    try:
        for number in range(1, operations + 1):
            history.operation()
            if number % checkpoint == 0 or number == operations:
                history.compare()
                print(f"seed {seed}: {number} operations, compared with a rebuild", file=sys.stderr, flush=True)
    except Exception as fault:
        fault.add_note(f"seed {seed}, operation {number}, after {history.world.did}, in {history.world.root}")
        raise
    finally:
        history.close()
    return history.counts


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--operations", type=int, default=6_000)
    arguments.add_argument("--checkpoint", type=int, default=250)
    arguments.add_argument("--folder", type=Path)
    given = arguments.parse_args()
    started, cpu = time.monotonic(), time.process_time()
    folder = given.folder or Path(tempfile.mkdtemp(prefix="clew-histories-"))
    counts = play(folder, given.seed, given.operations, given.checkpoint)
    print(f"seed {given.seed}: {given.operations} operations in {time.monotonic() - started:.0f} s, {time.process_time() - cpu:.0f} CPU s")
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
