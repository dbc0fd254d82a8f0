"""What do tests of the graph share? Small projects, indexed, and their edges in short."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.assembly import open_engine
from clew.core.graph import Edge
from clew.engine import Engine

Write = Callable[..., Engine]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Write]:
    """Write files (path: text) and open the engine of them; call it again to change them."""
    opened: list[Engine] = []

    def write(files: dict[str, str]) -> Engine:
        for path, text in files.items():
            place = tmp_path / "project" / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        if not opened:
            opened.append(open_engine(tmp_path / "project", {"mode": "fast", "freshness_ms": -1}))
        return opened[0]

    yield write
    for engine in opened:
        engine.close()


def told(edges: tuple[Edge, ...], *, certain: bool = True) -> list[str]:
    """Edges as `source > target`, those that are certain or those that are possible, each once, in order."""
    return sorted({f"{edge.source.name} > {edge.target.name}" for edge in edges if edge.certain == certain})
