"""Is an index right after anything that may happen to a project? A small part of what `bench/histories.py` does."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.histories import play

OPERATIONS = 110
"""Some ten seconds; 24,000 of them are run by hand (bench/results/scale.md)."""


@pytest.mark.parametrize("seed", [1, 2])
def test_an_index_is_right_after_a_random_history(tmp_path: Path, seed: int) -> None:
    counts = play(tmp_path, seed, OPERATIONS, checkpoint=OPERATIONS // 2)

    assert counts["compared"] >= 2
    assert counts["fresh"] > 0
