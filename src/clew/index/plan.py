"""What must be done to bring an index up to date? A comparison of what is known with what is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clew.core.answer import Skip
from clew.core.catalog import FileRecord
from clew.sources.walking import Found


@dataclass(frozen=True, slots=True)
class Plan:
    """`suspects` must be read (new, or with another size or change time), `deleted` are gone or no longer in scope,
    `skips` are files that are there but left out, of which the index does not know yet; `unchanged` counts indexed files."""

    suspects: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    skips: tuple[Skip, ...] = ()
    unchanged: int = 0

    def __bool__(self) -> bool:
        return bool(self.suspects or self.deleted or self.skips)


def plan(known: Mapping[str, FileRecord], found: Mapping[str, Found], skipped: tuple[Skip, ...] = (), *, distrust: bool = False) -> Plan:
    """Compare the catalog's files with a listing. With `distrust` every file is read, whatever its size and times say."""
    suspects = tuple(sorted(path for path, seen in found.items() if distrust or _differs(known.get(path), seen)))
    left_out = {skip.filepath: skip for skip in skipped}
    deleted = tuple(sorted(path for path in known if path not in found and path not in left_out))
    skips = tuple(skip for path, skip in sorted(left_out.items()) if _skip_is_news(known.get(path), skip))
    suspected = frozenset(suspects)
    unchanged = sum(1 for path in found if path not in suspected and not known[path].skipped)
    return Plan(suspects, deleted, skips, unchanged)


def _differs(record: FileRecord | None, seen: Found) -> bool:
    return record is None or record.mtime_ns != seen.mtime_ns or record.size != seen.size


def _skip_is_news(record: FileRecord | None, skip: Skip) -> bool:
    return record is None or record.skipped != skip.reason
