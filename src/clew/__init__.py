"""clew finds the few places that matter in a code base, and the tables that matter in the databases behind it.

    from clew import open_engine

    with open_engine("path/to/project") as engine:
        for result in engine.search("where are sessions closed").results:
            print(result.chunk.filepath, result.chunk.line_start, result.reasons)

These names are the public interface; everything else may change. They are loaded when first used, so that `import clew` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.assembly import open_databases, open_engine
    from clew.core.answer import Answer, IndexReport, Question, Result, Skip, Status
    from clew.core.chunk import Chunk
    from clew.core.document import Definition
    from clew.core.query import Filters, PathFilter
    from clew.core.schema.answer import SchemaAnswer, SchemaQuestion
    from clew.databases import Databases
    from clew.engine import Engine
    from clew.errors import ClewError, IndexUnusable, NoIndex, Unreachable, UsageError, WriterBusy

__all__ = [
    "Answer",
    "Chunk",
    "ClewError",
    "Databases",
    "Definition",
    "Engine",
    "Filters",
    "IndexReport",
    "IndexUnusable",
    "NoIndex",
    "PathFilter",
    "Question",
    "Result",
    "SchemaAnswer",
    "SchemaQuestion",
    "Skip",
    "Status",
    "Unreachable",
    "UsageError",
    "WriterBusy",
    "open_databases",
    "open_engine",
]

_HOMES = {
    "clew.assembly": ("open_databases", "open_engine"),
    "clew.core.answer": ("Answer", "IndexReport", "Question", "Result", "Skip", "Status"),
    "clew.core.chunk": ("Chunk",),
    "clew.core.document": ("Definition",),
    "clew.core.query": ("Filters", "PathFilter"),
    "clew.core.schema.answer": ("SchemaAnswer", "SchemaQuestion"),
    "clew.databases": ("Databases",),
    "clew.engine": ("Engine",),
    "clew.errors": ("ClewError", "IndexUnusable", "NoIndex", "Unreachable", "UsageError", "WriterBusy"),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'clew' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
