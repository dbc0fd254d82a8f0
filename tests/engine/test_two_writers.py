"""Is what another process writes between a look and its end kept apart from what was seen in the look?"""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.core.query import Filters, Scope
from clew.index.models import Models
from clew.index.updater import Project
from clew.index.upkeep import Upkeep
from clew.sources.rules import Rules
from clew.stores.embedded import EmbeddedStore
from clew.testing import HashingEmbedder

BEFORE, BETWEEN = "def before():\n    return 1\n", "def between():\n    return 1\n"
HOME = Scope(("home",))


def upkeep(root: Path, store: EmbeddedStore) -> Upkeep:
    return Upkeep(Project(root, "home", "private", Rules()), store, Models(HashingEmbedder))


def names(store: EmbeddedStore) -> set[str]:
    return {hit.symbol_name for hit in store.named(HOME, ["before", "between"], Filters(), 9)}


@pytest.mark.parametrize("after", [BEFORE, BETWEEN])
def test_a_file_that_another_process_took_in_after_the_look_is_not_taken_for_what_it_was_then(tmp_path: Path, after: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    file = root / "one.py"
    file.write_text(BEFORE)
    with EmbeddedStore.open(tmp_path / "index") as store, EmbeddedStore.open(tmp_path / "index") as other:
        one, two = upkeep(root, store), upkeep(root, other)
        one.index()
        file.touch()
        look = one.look()
        file.write_text(BETWEEN)
        two.index()
        file.write_text(after)
        one.catch_up(look)
        one.index()

        assert names(store) == {"before" if after == BEFORE else "between"}
        assert names(other) == names(store)
