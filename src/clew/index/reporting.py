"""How does an index stand, to the disk and to the models that are set?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from clew.core.answer import Remembered, Skip, SpaceState, Status
from clew.core.catalog import Space
from clew.core.protocols import Store
from clew.errors import NoIndex
from clew.index.updater import skips_of
from clew.index.upkeep import OUTDATED, Upkeep

LAGGING = "the store's search indexes have not taken in {} chunks yet: they follow by themselves"


def kept_state(store: Store, namespace: str, space: Space | None, facts: Mapping[str, str]) -> Status:
    """How an index stands by itself, whoever's disk it is of."""
    counts, files = store.counts(namespace, space), store.files(namespace)
    return Status(
        root="",
        namespace=namespace,
        files=counts.files,
        skipped=skips_of(files),
        notes=tuple(Skip(path, record.note) for path, record in sorted(files.items()) if record.note and not record.skipped),
        chunks=counts.chunks,
        chunks_unembedded=counts.unembedded if space else counts.chunks,
        complete=facts["complete"] == "yes",
        embedder=space.model if space else "",
        vector_dims=space.dims if space else 0,
        languages=counts.languages,
        bytes=0,
        indexed_at=int(facts.get("indexed_at", "0")),
        written_at=int(facts.get("written_at", "0")),
        last_error=facts.get("last_error", ""),
        warnings=(LAGGING.format(counts.unsynced),) if store.is_shared and counts.unsynced else (),
    )


def state_of(upkeep: Upkeep, store: Store, warnings: tuple[str, ...], questions: Remembered) -> Status:
    """How an index stands to the disk and to the models that are set. Raises NoIndex where there is none."""
    facts = store.facts(upkeep.namespace)
    if "complete" not in facts:
        raise NoIndex(f"there is no index of {upkeep.root}", f"make one: clew index {upkeep.root}")
    kept = kept_state(store, upkeep.namespace, upkeep.current_space(), facts)
    beside = ((one, store.counts(upkeep.namespace, one).unembedded) for one in upkeep.fallback_spaces())
    return replace(
        kept,
        root=str(upkeep.root),
        bytes=store.size_bytes(),
        behind=upkeep.behind(),
        writer=store.owner(),
        warnings=(*warnings, *(() if upkeep.is_current(facts) else (OUTDATED,)), *kept.warnings),
        fallbacks=tuple(SpaceState(one.model, one.dims, unembedded) for one, unembedded in beside),
        questions=questions,
    )
