"""Are the edges of small projects those that were written down by hand? Every certain one, and no other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clew.assembly import open_engine
from clew.core.graph import Edge

PROJECTS = Path(__file__).parent / "projects"


def said(edge: Edge) -> str:
    """An edge as it is written down; C#'s namespaces and nested names are left to the file."""
    source, target = (".".join(name.removeprefix("Shop.Store.").split(".")[-2:]) for name in (edge.source.name, edge.target.name))
    return f"{source} > {target}" if edge.certain else f"possible {source} > {target}"


@pytest.mark.parametrize("language", sorted(path.name for path in PROJECTS.iterdir()))
def test_edges_are_those_that_were_written_down(language: str, tmp_path: Path) -> None:
    expected = (PROJECTS / language / "edges.txt").read_text("utf-8").split("\n")
    root = tmp_path / "shop"
    shutil.copytree(PROJECTS / language, root, ignore=shutil.ignore_patterns("edges.txt"))
    with open_engine(root, {"mode": "fast", "freshness_ms": -1}) as engine:
        files = engine.files()
        names = {f"{path}:{one.qualified_name}" for path in files for one in engine.outline(path) if one.kind != "section"}
        found = {said(edge) for name in sorted(names) for edge in engine.callees(name).edges}
        back = {said(edge) for name in sorted(names) for edge in engine.callers(name).edges if edge.source.kind != "file"}
    assert sorted(found & set(expected)) == sorted(filter(None, expected))
    assert sorted(found - set(expected)) == []
    assert found == back
