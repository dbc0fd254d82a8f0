"""Does an index that follows many edits stay about as small as one made anew?"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

from bench.growth import edit, size_of

from clew.assembly import assemble
from clew.core.answer import Question
from clew.engine import Engine
from clew.settings import load_settings
from clew.stores.embedded import EmbeddedStore, Limits

SOURCE = Path(__file__).parents[2] / "src" / "clew"
MOST = 1.5
EDITS = 150


def opened(root: Path) -> Engine:
    """An engine that renews what is derived after few edits, as one with many files does after many."""
    return assemble(root, load_settings(root), EmbeddedStore.open(root / ".clew", limits=Limits(rows=100)))


def test_an_index_stays_within_half_again_of_a_fresh_one_and_its_readers_go_on(tmp_path: Path) -> None:
    root = tmp_path / "project"
    for name in ("core", "index", "search"):
        shutil.copytree(SOURCE / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    chosen = random.Random(1)
    with opened(root) as writer, opened(root) as reader:
        writer.index()
        fresh = size_of(root)
        for number in range(EDITS):
            edit(root, chosen, number)
            writer.search(Question("where are chunks cut", mode="fast"))
            if number % 25 == 24:
                writer.index()
                assert reader.search(Question("where are chunks cut", mode="semantic")).results
                assert size_of(root) <= MOST * fresh
        writer.gc()
        assert reader.search(Question("where are chunks cut", mode="semantic")).results
        assert size_of(root) <= 1.2 * fresh
