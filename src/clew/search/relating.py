"""Which lines answer a question about a relation, by the graph? Calls, imports, bases, each as surely as it is known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from clew.graph.semantics import TYPES
from clew.search.linking import CERTAIN, FURTHER, POSSIBLE, TEST_SHARE, Link, Told, in_order
from clew.search.naming import outermost
from clew.search.paths import path_words

if TYPE_CHECKING:
    from clew.core.graph import Edge, Symbol
    from clew.graph.questions import Graph
    from clew.search.relations import Sought
    from clew.search.structure import Structure

MOST_FILES = 60
"""Files that a search looks at for a name: half a second of work. A command about the name looks at five times as many."""
IMPACT_DEPTH, TEST_DEPTH = 2, 2
"""Levels of callers: a test often calls through one other function."""


def related(structure: Structure, graph: Graph, sought: Sought, symbols: Sequence[Symbol]) -> Told:
    """What the graph says of a relation of these definitions, or of a path."""
    links = in_order(list(_ANSWERS[sought.relation](structure, graph, sought, symbols)))
    return Told(sought, tuple(symbols), links, _more(structure, sought, symbols), tuple(dict.fromkeys(graph.warnings)))


def _more(structure: Structure, sought: Sought, symbols: Sequence[Symbol]) -> str:
    """The command that shows everything."""
    if not symbols:
        return f"clew importers {next(iter(_files(structure, sought.target)), sought.target)}"
    if sought.relation == "importers":
        return f"clew importers {symbols[0].filepath}"
    return f"clew {sought.relation if sought.relation in ('callers', 'callees') else 'impact'} {sought.target}"


def _callers(structure: Structure, graph: Graph, sought: Sought, symbols: Sequence[Symbol]) -> Iterator[Link]:
    if not symbols:
        yield from _importers(structure, graph, sought, symbols)
        return
    yield from _calls(graph.callers(symbols))
    types = [symbol for symbol in symbols if symbol.kind in TYPES]
    if types:
        yield from _built_upon(graph, types)


def _calls(edges: Iterable[Edge], test_share: float = TEST_SHARE) -> Iterator[Link]:
    for edge in edges:
        is_test = path_words(edge.filepath).role is not None
        score = (CERTAIN if edge.certain else POSSIBLE) * FURTHER ** (edge.depth - 1) * (test_share if is_test else 1.0)
        yield Link(edge.filepath, edge.line, f"{'calls' if edge.certain else 'may call'} {edge.target.name}", score)


def _callees(structure: Structure, graph: Graph, sought: Sought, symbols: Sequence[Symbol]) -> Iterator[Link]:
    for edge in sorted(graph.callees(symbols), key=lambda edge: (not edge.certain, edge.filepath, edge.line)):
        why = f"{'called' if edge.certain else 'may be called'} by {edge.source.name}, line {edge.line}"
        yield Link(edge.target.filepath, edge.target.line_start, why, CERTAIN if edge.certain else POSSIBLE, whole=True)


def _tests(structure: Structure, graph: Graph, sought: Sought, symbols: Sequence[Symbol]) -> Iterator[Link]:
    edges = graph.callers(symbols, TEST_DEPTH)
    yield from _calls((edge for edge in edges if path_words(edge.filepath).role == "test"), test_share=1.0)


def _importers(structure: Structure, graph: Graph, sought: Sought, symbols: Sequence[Symbol]) -> Iterator[Link]:
    """Of a name those that import it from its file; of a path or module the files that import it; of another package those that name it."""
    files: Mapping[str, frozenset[str]] = outermost(symbols) or dict.fromkeys(_files(structure, sought.target), frozenset())
    found = [(names, one) for filepath, names in files.items() for one in graph.importers(filepath, names)]
    naming = [(names, one) for names, one in found if names & set(one.text.split())]
    for names, one in naming or found:
        what = sought.target if not names or naming else one.text
        yield Link(one.filepath, one.line, f"imports {what}", CERTAIN)
    if not files:
        yield from _importing(structure, sought.target)


def _importing(structure: Structure, module: str) -> Iterator[Link]:
    """The imports of a module or package that is not the project's."""
    stem = module.strip("./@").replace("::", ".").replace("/", ".").rpartition(".")[2]
    for filepath in structure.holding(stem)[:MOST_FILES]:
        facts = structure.facts(filepath)
        for one in facts.imports if facts else ():
            name = one.module.strip("\"'<>")
            if name == module or name.startswith((f"{module}.", f"{module}/", f"{module}::")) or one.member == module:
                yield Link(filepath, one.line, f"imports {module}", CERTAIN)
                break


def _files(structure: Structure, target: str) -> Iterator[str]:
    """The files that a path or a dotted module means."""
    path = target.removeprefix("./")
    dotted = target.replace("::", "/").replace(".", "/")
    ends = (path, *(f"{dotted}{tail}" for tail in (".py", "/__init__.py", ".rs", "/mod.rs", ".ts", ".js", ".java", ".kt", ".ex", ".hs")))
    for filepath in structure.files:
        if any(filepath == end or filepath.endswith(f"/{end}") for end in ends):
            yield filepath


def _subtypes(structure: Structure, graph: Graph, sought: Sought, symbols: Sequence[Symbol]) -> Iterator[Link]:
    return _built_upon(graph, symbols)


def _built_upon(graph: Graph, symbols: Sequence[Symbol]) -> Iterator[Link]:
    for symbol in symbols:
        verb = "builds upon" if symbol.kind in TYPES else "overrides"
        for one in graph.overriders([symbol]):
            share = TEST_SHARE if path_words(one.filepath).role is not None else 1.0
            yield Link(one.filepath, one.line_start, f"{verb} {symbol.name}", CERTAIN * share, whole=True)


def _impact(structure: Structure, graph: Graph, sought: Sought, symbols: Sequence[Symbol]) -> Iterator[Link]:
    if not symbols:
        yield from _importers(structure, graph, sought, symbols)
        return
    for symbol in symbols:
        yield Link(symbol.filepath, symbol.line_start, f"defines {symbol.name}", 1.0, whole=True)
    yield from _calls(graph.callers(symbols, IMPACT_DEPTH))
    yield from _built_upon(graph, symbols)
    for link in _importers(structure, graph, sought, symbols):
        yield link._replace(score=link.score * FURTHER)


_ANSWERS = {
    "callers": _callers,
    "callees": _callees,
    "tests": _tests,
    "importers": _importers,
    "subtypes": _subtypes,
    "impact": _impact,
}
