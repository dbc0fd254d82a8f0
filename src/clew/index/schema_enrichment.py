"""How does a language model add what a schema does not say? Some tables a question, what was said once kept; whatever fails, the schema stands without it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clew.core.language import LanguageModel
from clew.core.schema.contracts import Snapshot, Table
from clew.core.schema.meaning import TableMeaning
from clew.errors import ClewError
from clew.index.schema_evidence import INSTRUCTIONS, Said, batches, evidence, fingerprint, taken

_FAILURES = 3
"""Questions in a row without an answer that can be used, after which no more are asked: each costs time and money."""
_log = logging.getLogger("clew.databases")


class KeptMeanings(Protocol):
    """Where what a model said is kept, by table, with the fingerprint of what it was asked."""

    def fingerprints(self, datasource: str) -> dict[tuple[str, str], str]:
        """What each table's meaning depends on, by schema and name."""
        ...

    def keep(self, datasource: str, meanings: Sequence[tuple[str, TableMeaning]]) -> None:
        """Keep meanings, each with its fingerprint, in place of what was kept of their tables."""
        ...


@dataclass(frozen=True, slots=True)
class Enriched:
    """What an enrichment did: tables described now, tables that had been, tables left without; `note` says why it ended before its end."""

    described: int = 0
    known: int = 0
    left: int = 0
    note: str = ""


def enrich(
    snapshot: Snapshot,
    load: Callable[[], LanguageModel],
    kept: KeptMeanings,
    *,
    reached: Callable[[int, int], None] = lambda done, total: None,
) -> Enriched:
    """Ask about every table whose structure is not described yet, and keep what was said of it. Never raises for what a model does or does not do.

    A model that cannot be asked (not set, no key, nobody answers, refused) is told as INFO, whatever is not expected as WARNING with its trace.
    """
    try:
        before = kept.fingerprints(snapshot.datasource)
        model = load()
        shown = [(table, evidence(snapshot, table)) for table in snapshot.tables]
        prints = {table.key: fingerprint(model.name, seen) for table, seen in shown}
        lacking = [(table, seen) for table, seen in shown if before.get(table.key) != prints[table.key]]
        run = _Run(snapshot, model, kept, prints)
        note = run.ask(lacking, reached)
        return Enriched(run.described, len(shown) - len(lacking), len(lacking) - run.described, note)
    except Exception as fault:  # noqa: BLE001 - loading a model runs a package that we do not know; a schema needs none of it
        return Enriched(left=len(snapshot.tables), note=_told(snapshot, fault))


@dataclass(slots=True)
class _Run:
    snapshot: Snapshot
    model: LanguageModel
    kept: KeptMeanings
    prints: dict[tuple[str, str], str]
    described: int = 0

    def ask(self, lacking: Sequence[tuple[Table, dict[str, Any]]], reached: Callable[[int, int], None]) -> str:
        """Ask batch by batch; returns why it ended before its end, or that some answers were none."""
        failures, done, note = 0, 0, ""
        for batch in batches(lacking):
            try:
                self._ask(batch)
                failures = 0
            except ClewError as fault:
                return _told(self.snapshot, fault)
            except Exception as fault:  # noqa: BLE001 - an answer may be wrong in any way; the tables of this question stay as they are
                note = _told(self.snapshot, fault)
                failures += 1
                if failures >= _FAILURES:
                    return note
            done += len(batch)
            reached(done, len(lacking))
        return note

    def _ask(self, batch: Sequence[tuple[Table, dict[str, Any]]]) -> None:
        said = self.model.ask(INSTRUCTIONS, json.dumps({"tables": [seen for _, seen in batch]}, ensure_ascii=False, indent=1), Said)
        found = taken(said, [table for table, _ in batch])
        self.kept.keep(self.snapshot.datasource, [(self.prints[key], meaning) for key, meaning in found.items()])
        self.described += len(found)


def _told(snapshot: Snapshot, fault: Exception) -> str:
    """One line for a report; the log has it too, with a trace where nobody could expect it."""
    if isinstance(fault, ClewError):
        _log.info("%s is not described by a language model: %s", snapshot.datasource, fault.message)
        return f"not described by a language model: {fault.message}"
    _log.warning("%s: describing it by a language model went wrong", snapshot.datasource, exc_info=fault)
    return f"describing it by a language model went wrong ({type(fault).__name__}); what was described before is kept"
