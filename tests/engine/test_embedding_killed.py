"""Is a text paid once, also where the indexer is killed? A few random kills; bench/killed_embedding.py does fifty."""

from __future__ import annotations

import random
from pathlib import Path

import killed_embedding as bench

from clew.core.embedding import BATCH

CHUNKS, KILLS = 160, 3


def test_a_killed_run_pays_for_a_batch_twice_at_most_and_ends_as_if_nothing_had_been(tmp_path: Path) -> None:
    (tmp_path / "right").mkdir()
    right = bench.undisturbed(tmp_path / "right", CHUNKS)
    chance = random.Random(5)
    for number in range(KILLS):
        folder = tmp_path / str(number)
        folder.mkdir()
        done = bench.kill(folder, CHUNKS, 1, chance, right)
        assert done.same
        assert done.twice <= BATCH
        assert done.oftener == 0
