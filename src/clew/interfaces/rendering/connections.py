"""How do definitions, edges and importers look? Lines like grep's, and the JSON objects of the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clew.core.graph import Connections, Importers
from clew.core.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clew.core.graph import Edge, Impact, Importer, Related, Symbol


_CHOICES = 5
"""Definitions of one name that are proposed to choose from."""


def symbol_lines(found: Connections) -> Iterator[str]:
    """A line for each definition."""
    for symbol in found.symbols:
        yield f"{visible(symbol.filepath)}:{symbol.line_start}-{symbol.line_end}  {symbol.kind} {visible(symbol.name)}"
        if symbol.signature:
            yield f"    {visible(symbol.signature)}"


def choices(name: str, symbols: Sequence[Symbol]) -> Iterator[str]:
    """That a name has several definitions, and how each of the first ones is asked for."""
    if len(symbols) > 1:
        some = ", ".join(f"{visible(one.filepath)}:{visible(one.name)}" for one in symbols[:_CHOICES])
        more = ", …" if len(symbols) > _CHOICES else ""
        yield f"{len(symbols)} definitions are named {visible(name)}; ask for one: {some}{more}"


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


def impact_lines(found: Impact) -> Iterator[str]:
    """What would notice a change, under a head each."""
    yield from _under("defined", symbol_lines(Connections(found.name, found.symbols)))
    yield from _under("overridden or built upon by", symbol_lines(Connections(found.name, found.overriders)))
    for head, edges in (("called by", found.callers), ("tested by", found.tests)):
        yield from _under(head, edge_lines(Connections(found.name, found.symbols, edges), "callers"))
    yield from _under("imported by", importer_lines(Importers("", found.importers)))


def related_lines(found: Related) -> Iterator[str]:
    """What belongs to a place, under a head each."""
    if found.symbol is None:
        return
    symbols = (found.symbol,)
    yield from _under("in", symbol_lines(Connections("", symbols)))
    yield from _under("calls", edge_lines(Connections("", symbols, found.callees), "callees"))
    for head, edges in (("called by", found.callers), ("tested by", found.tests)):
        yield from _under(head, edge_lines(Connections("", symbols, edges), "callers"))


def _under(head: str, lines: Iterator[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        if not number:
            yield f"{head}:"
        yield f"  {line}"


def impact_object(found: Impact) -> dict[str, Any]:
    """What `impact --json` prints."""
    return {
        "name": found.name,
        "symbols": [_symbol_object(symbol) for symbol in found.symbols],
        "callers": [_edge_object(edge) for edge in found.callers],
        "tests": [_edge_object(edge) for edge in found.tests],
        "overriders": [_symbol_object(symbol) for symbol in found.overriders],
        "importers": [_importer_object(one) for one in found.importers],
        "near": list(found.near),
        "warnings": list(found.warnings),
        "stale": found.stale,
    }


def related_object(found: Related) -> dict[str, Any]:
    """What `related --json` prints."""
    return {
        "filepath": found.filepath,
        "line": found.line,
        "symbol": _symbol_object(found.symbol) if found.symbol else None,
        "callees": [_edge_object(edge) for edge in found.callees],
        "callers": [_edge_object(edge) for edge in found.callers],
        "tests": [_edge_object(edge) for edge in found.tests],
        "warnings": list(found.warnings),
        "stale": found.stale,
    }


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
        "importers": [_importer_object(one) for one in found.importers],
        "warnings": list(found.warnings),
        "stale": found.stale,
    }


def _importer_object(one: Importer) -> dict[str, Any]:
    return {"filepath": one.filepath, "line": one.line, "imported": one.text}


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
