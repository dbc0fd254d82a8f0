"""How does what is indexed get another visibility? Each chunk carries it, so each is written anew; no text is embedded again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from clew.core.catalog import Changes, FileUpdate
from clew.core.chunk import Visibility
from clew.stores.copying import Portable

AT_ONCE = 64
"""Files that are read and written with one change: some thousand chunks at most."""


def relabel(store: Portable, namespace: str, facts: Mapping[str, str], visibility: Visibility) -> None:
    """Keep the facts, and give every chunk of a namespace the visibility; readers see all of it as it was, or as it is. Raises WriterBusy."""
    paths = iter(sorted(store.files(namespace)))
    with store.at_once():
        store.apply(Changes(namespace, facts=facts))
        while some := tuple(islice(paths, AT_ONCE)):
            files = store.stored(namespace, some).values()
            store.apply(Changes(namespace, tuple(_seen_by(one.update, visibility) for one in files if one.update.chunks)))


def _seen_by(update: FileUpdate, visibility: Visibility) -> FileUpdate:
    chunks = tuple(replace(chunk, visibility=visibility) for chunk in update.chunks)
    return replace(update, chunks=chunks, vectors=(None,) * len(chunks))
