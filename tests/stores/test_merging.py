"""Are the postings of all chunks those of their parts, whatever the parts are and however they are merged?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from clew.core.query import Scope
from clew.stores.embedded import EmbeddedStore, Limits, merging, searching
from clew.testing import a_change

from .conftest import EMBEDDER, SYLLABLES, project

SEEN = Scope(("home",))


def held(store: EmbeddedStore, *, arrays: bool) -> dict[str, int]:
    with store._moment() as (connection, view):
        return dict(searching.term_statistics(view, connection, SEEN, SYLLABLES, arrays=arrays).frequency)


def test_words_that_another_process_has_settled_meanwhile_count_once(folder: Path) -> None:
    with EmbeddedStore.open(folder, limits=Limits(rows=1)) as ours, EmbeddedStore.open(folder, limits=Limits(rows=1)) as other:
        ours.apply(a_change("home", *project(5), embedder=EMBEDDER))
        other.settle()
        ours.apply(a_change("home", *project(5, offset=5), embedder=EMBEDDER))
        ours.settle()

        assert held(ours, arrays=True) == held(ours, arrays=False)


def test_terms_merged_range_by_range_are_those_merged_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "_RANGE_ENTRIES", 7)
    with EmbeddedStore.open(folder, limits=Limits(rows=1)) as store:
        for offset in (0, 5):
            store.apply(a_change("home", *project(5, offset=offset), embedder=EMBEDDER))
            store.settle()
        store.apply(a_change("home", *project(2), deleted=("src/p3/m3.py",), embedder=EMBEDDER))
        store.settle()
        with store._moment() as (_, view):
            snapshot = view.snapshot()
            assert snapshot is not None
            postings = snapshot.postings
        terms = [postings.term(place) for place in range(len(postings.ends))]

        assert terms == sorted(set(terms))
        assert all(np.all(np.diff(postings.of(term.decode())[0]) > 0) for term in terms)
        assert held(store, arrays=True) == held(store, arrays=False)
