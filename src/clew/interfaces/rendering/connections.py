"""How do definitions, edges and importers look? Lines like grep's, and the JSON objects of the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.core.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clew.core.graph import Connections, Edge, Importers, Symbol


def symbol_lines(found: Connections) -> Iterator[str]:
    """A line for each definition."""
    for symbol in found.symbols:
        yield f"{visible(symbol.filepath)}:{symbol.line_start}-{symbol.line_end}  {symbol.kind} {visible(symbol.name)}"
        if symbol.signature:
            yield f"    {visible(symbol.signature)}"


def edge_lines(found: Connections, what: str) -> Iterator[str]:
    """A line for each call: where it stands, and the other end of it; deeper levels are indented."""
    several = len(found.symbols) > 1 or any(edge.depth > 1 for edge in found.edges)
    for edge in found.edges:
        yield f"{'  ' * (edge.depth - 1)}{visible(edge.filepath)}:{edge.line}  {_ends(edge, what, several)}{'' if edge.certain else '  (possible)'}"


def _ends(edge: Edge, what: str, several: bool) -> str:
    if what == "callees":
        place = f"  {visible(edge.target.filepath)}:{edge.target.line_start}"
        source = f"{visible(edge.source.name)} → " if several else ""
        return f"{source}{visible(edge.target.name)}{place}"
    source = "(outside of any definition)" if edge.source.kind == "file" else visible(edge.source.name)
    return f"{source} → {visible(edge.target.name)}" if several else source


def importer_lines(found: Importers) -> Iterator[str]:
    """A line for each importer."""
    for one in found.importers:
        yield f"{visible(one.filepath)}:{one.line}  {visible(one.text)}"


def connections_object(found: Connections, what: str) -> dict[str, Any]:
    """What `symbol --json`, `callers --json` and `callees --json` print."""
    edges = {} if what == "symbol" else {what: [_edge_object(edge) for edge in found.edges]}
    return {
        "name": found.name,
        "symbols": [_symbol_object(symbol) for symbol in found.symbols],
        **edges,
        "near": list(found.near),
        "warnings": list(found.warnings),
        "stale": found.stale,
    }


def importers_object(found: Importers) -> dict[str, Any]:
    """What `importers --json` prints."""
    return {
        "filepath": found.filepath,
        "importers": [{"filepath": one.filepath, "line": one.line, "imported": one.text} for one in found.importers],
        "warnings": list(found.warnings),
        "stale": found.stale,
    }


def _symbol_object(symbol: Symbol) -> dict[str, Any]:
    return {
        "filepath": symbol.filepath,
        "name": symbol.name,
        "kind": symbol.kind,
        "line_start": symbol.line_start,
        "line_end": symbol.line_end,
        "signature": symbol.signature,
    }


def _edge_object(edge: Edge) -> dict[str, Any]:
    return {
        "source": _symbol_object(edge.source),
        "target": _symbol_object(edge.target),
        "filepath": edge.filepath,
        "line": edge.line,
        "certain": edge.certain,
        "depth": edge.depth,
    }
