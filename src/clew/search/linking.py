"""How do facts about a name become results? Lines that answer, each the chunk that holds it, the surest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from clew.core.answer import Neighbour, Ranked
from clew.search.excerpt import excerpt
from clew.search.naming import symbols
from clew.search.paths import path_words
from clew.search.relations import Sought

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.core.chunk import Chunk
    from clew.core.graph import Symbol
    from clew.core.protocols import ChunkStore
    from clew.core.query import Filters, Hit, Scope

CERTAIN, POSSIBLE = 0.97, 0.5
"""The score of a line by how it is known: of certain edges 97 in 100 and more are right (bench/results/graph.md), of possible ones about half."""
FURTHER = 0.8
"""What is left of it for each caller in between."""
TEST_SHARE = 0.6
"""What is left of it in a test, unless tests are asked for: who changes a thing looks at what runs first."""
MOST_LOOKS = 200
"""Lines whose chunks are looked up: an answer shows ten."""
LISTS = frozenset(["callees", "members", "subtypes"])
"""Relations whose answer is a list of definitions: each is told by the line that names it."""
ALSO = 40
"""Lines beyond the results that an answer names by their place alone, as many as its budget holds."""
LISTED = 8
"""Definitions of the asked name that an answer names: of more, a qualified name has to be asked for."""


class Link(NamedTuple):
    """A line that answers: `why` in words, `whole` where it stands for the definition that begins there."""

    filepath: str
    line: int
    why: str
    score: float
    whole: bool = False


class Shown(NamedTuple):
    """The results that the lines become, and the places of the lines beyond."""

    ranked: tuple[Ranked, ...] = ()
    also: tuple[Neighbour, ...] = ()


class Told(NamedTuple):
    """What is known of the relation that was asked for: the definitions that the name means, and the lines that answer, best first.
    `more` says how to see all of them."""

    sought: Sought
    symbols: tuple[Symbol, ...] = ()
    links: tuple[Link, ...] = ()
    more: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def is_sure(self) -> bool:
        """Whether a line is known for certain."""
        return any(link.score > POSSIBLE for link in self.links)

    @property
    def places(self) -> int:
        """How many lines answer, whatever is shown of them."""
        return len({(link.filepath, link.line) for link in self.links})

    def definitions(self) -> tuple[Neighbour, ...]:
        """The definitions that the asked name means: what an answer about it is read beside, and what to choose from where there are several."""
        return tuple(
            Neighbour("definition", self.sought.target, one.filepath, one.name, one.kind, one.line_start, one.line_end, one.signature)
            for one in self.symbols[:LISTED]
        )

    def shown(self, store: ChunkStore, scope: Scope, filters: Filters, limit: int) -> Shown:
        """The chunks that hold the lines, each with why it is there: the first `limit` as results, each file's first before any file's second."""
        holding: dict[tuple[str, str], tuple[Hit, list[Link]]] = {}
        for link in self.links[:MOST_LOOKS]:
            hit = _chunk_at(store, scope, filters, link)
            if hit is not None:
                holding.setdefault(hit.key, (hit, []))[1].append(link)
        order = _spread(holding)
        chunks = store.chunks(scope, order[:limit])
        is_list = self.sought.relation in LISTS
        ranked = tuple(_ranked(chunks[key], holding[key][1], is_list) for key in order[:limit] if key in chunks)
        return Shown(ranked, tuple(_also(self.sought, *holding[key]) for key in order[limit : limit + ALSO]))


class Knowing(Protocol):
    """Who knows what definitions do not tell."""

    def told(self, sought: Sought, found: Sequence[Symbol]) -> Told:
        """What the graph says of a relation of these definitions."""
        ...


def told(store: ChunkStore, scope: Scope, sought: Sought, graph: Callable[[], Knowing]) -> Told:
    """What is known of a relation; `graph` is made and asked where definitions alone do not tell it."""
    found = symbols(store, scope, sought.target)
    if sought.relation == "definition":
        links = tuple(Link(one.filepath, one.line_start, f"defines {one.name}", CERTAIN * _role(one.filepath), whole=True) for one in found)
        return Told(sought, found, in_order(links))
    if sought.relation == "members":
        links = tuple(_members(store, scope, sought, found))
        return Told(sought, found, links, f"clew outline {found[0].filepath if found else sought.target}")
    if not found and not sought.sure:
        return Told(sought)
    return graph().told(sought, found)


def _members(store: ChunkStore, scope: Scope, sought: Sought, found: Sequence[Symbol]) -> list[Link]:
    """The definitions inside of a definition, or the outermost ones of a file."""
    links = [
        Link(one.filepath, inner.line_start, f"member of {one.name}", CERTAIN * _role(one.filepath), whole=True)
        for one in found
        for inner in store.outline(scope, one.filepath)
        if inner.parent == one.name
    ]
    return links or [
        Link(sought.target, outer.line_start, f"defined in {sought.target}", CERTAIN, whole=True)
        for outer in store.outline(scope, sought.target)
        if not outer.parent
    ]


def _role(filepath: str) -> float:
    return 1.0 if path_words(filepath).role is None else TEST_SHARE


def in_order(links: Sequence[Link]) -> tuple[Link, ...]:
    """Each line once, the surest first, those of one score as they come."""
    return tuple(sorted(dict.fromkeys(links), key=lambda link: -link.score))


def _ranked(chunk: Chunk, links: Sequence[Link], is_list: bool) -> Ranked:
    lines = () if any(link.whole for link in links) else tuple(sorted({link.line for link in links}))
    return Ranked(chunk, round(links[0].score, 4), _reasons(links), lines or (excerpt(chunk, frozenset(), 1)[:1] if is_list else ()))


def _also(sought: Sought, hit: Hit, links: Sequence[Link]) -> Neighbour:
    line = hit.line_start if links[0].whole else links[0].line
    return Neighbour(
        "also" if links[0].score > POSSIBLE else "perhaps",
        sought.target,
        hit.filepath,
        hit.symbol_name,
        hit.symbol_type,
        line,
        hit.line_end,
    )


def _chunk_at(store: ChunkStore, scope: Scope, filters: Filters, link: Link) -> Hit | None:
    """The smallest chunk that holds a line: a class's head holds those of its members where they are short."""
    hits = [hit for hit in store.at(scope, link.filepath, link.line, filters) if hit.filepath == link.filepath]
    return min(hits, key=lambda hit: (hit.line_end - hit.line_start, hit.key), default=None)


def _spread(holding: Mapping[tuple[str, str], tuple[Hit, list[Link]]]) -> list[tuple[str, str]]:
    """The keys by score; among equals, the first of each file before the second of any."""
    times: Counter[tuple[str, float]] = Counter()
    places = []
    for number, (key, (hit, links)) in enumerate(holding.items()):
        score = links[0].score
        places.append((-score, times[hit.filepath, score], number, key))
        times[hit.filepath, score] += 1
    return [key for *_, key in sorted(places)]


def _reasons(links: Sequence[Link]) -> tuple[str, ...]:
    by_reason: dict[str, list[int]] = {}
    for link in links:
        by_reason.setdefault(link.why, [])
        if not link.whole:
            by_reason[link.why].append(link.line)
    return tuple(
        f"{why} (line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))})" if lines else why for why, lines in by_reason.items()
    )
