"""Which chunks define a name that the question holds, or stand at a place that it tells of?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from clew.core.protocols import ChunkStore
from clew.core.query import Hit
from clew.errors import ClewError
from clew.search.legs import Look
from clew.search.paths import common_end
from clew.search.report import Frame

CLASSES = frozenset(
    ["class", "struct", "interface", "trait", "enum", "type", "protocol", "module", "object", "namespace", "table", "contract"]
)
FUNCTIONS = frozenset(["function", "method", "constructor", "macro", "subroutine", "procedure"])
EXTENDING = frozenset(["impl", "extension", "section", "test"])
"""What bears the name of something that is defined elsewhere."""
CLASS_SHARE, FUNCTION_SHARE, OTHER_SHARE = 1.0, 0.8, 0.5
"""How much of the boost a definition of each kind gets (bench/results/ranking.md has what the boost is worth)."""
PLACE_SHARE = 1.0
"""A chunk that holds a line which the question names counts as the definition of a class."""
MAX_PLACE_FILES = 5
"""Files of one name that a place may mean: `index.ts:10` in a large project means none."""
OTHER_CASE_SHARE = 0.5
"""`session` asked, `Session` defined: half, since prose is full of words that some class is named after."""
MANY_DEFINITIONS = 2_000
"""Definitions of a report's names that are looked at: enough to tell which names are rare."""
COMMON_NAME = 30
"""Files that define a name from which it tells nothing in a report."""
MAX_FRAMES, FRAME_DECAY = 4, 0.6
"""Files of a trace that count, and how much less each caller does: the fault is told where it shows, and often lies a call away."""
MAX_FRAME_LOOKS = 12
"""Frames looked up for them: most of a trace may be other people's code."""
MAX_OUTLINED, INNER_SHARE, HEAD_SHARE = 12, 0.9, 0.5
"""Definitions of a file that is all that is asked, what one inside another counts of it, and what the head of the file counts."""
MAX_CUT = 4
"""Files whose outlines are looked at for the line that defines a name."""
MAX_PATHS = 8
"""Paths in a report's text that are looked up."""

Kind = Literal["name", "place", "frame", "message"]


class Definition(NamedTuple):
    """A chunk that defines `name`, and its share of the boost. `whole` marks one whose qualified name was asked, in full and as spelled.

    Other kinds are a chunk at a place that the question names, in a frame of its trace, or with the text of a message in it."""

    hit: Hit
    name: str
    share: float
    whole: bool = False
    kind: Kind = "name"

    @property
    def is_verbatim(self) -> bool:
        """What is to be found word by word stands there so."""
        return self.kind == "message" and self.whole


class Names(NamedTuple):
    """What was found by name, and what could not be looked up."""

    definitions: tuple[Definition, ...] = ()
    warnings: tuple[str, ...] = ()


def by_names(store: ChunkStore, look: Look) -> Names:
    """The definitions of the question's names; on failure none, and a warning that says so."""
    query = look.query
    shares = {name.lower(): (name, share) for name, share in reversed(query.names)}
    is_report = query.shape == "report"
    limit = max(look.limit, MANY_DEFINITIONS) if is_report else look.limit
    try:
        hits = store.named(look.scope, [name for name, _ in query.names], look.filters, limit) if shares else ()
        named = [definition for hit in hits if (definition := _definition(hit, shares))]
        if query.shape == "name":
            named = _at_their_lines(store, look, _as_spelled(named))
        if is_report:
            told = (*_in_frames(store, look, named), *_at_paths(store, look))
            return Names((*_rare(named), *told))
        look_at = _in_file if query.shape == "path" and not query.has_line else _at
        places = tuple(found for path, line in query.places for found in look_at(store, look, path, line))
    except (ClewError, OSError) as fault:
        return Names(warnings=(f"names were not looked up: {fault}",))
    return Names((*named, *places))


def _as_spelled(named: Sequence[Definition]) -> list[Definition]:
    """Of the definitions of a name that is all that is asked: those spelled so, if there are any, the outermost of them whole."""
    spelled = [definition for definition in named if definition.hit.score >= 1]
    exact = [definition for definition in spelled if definition.hit.symbol_type not in EXTENDING] or spelled
    if not exact:
        return list(named)
    least = min(map(_depth, exact))
    return [definition._replace(whole=_depth(definition) == least) for definition in exact]


def _at_their_lines(store: ChunkStore, look: Look, named: Sequence[Definition]) -> list[Definition]:
    """Of a whole definition that was cut, the piece with the line that defines it: a long comment above fills the first one."""
    pieces: dict[tuple[str, str], list[Definition]] = {}
    for definition in named:
        if definition.whole:
            pieces.setdefault((definition.hit.filepath, definition.hit.symbol_name), []).append(definition)
    left_out = set[tuple[str, str]]()
    for (filepath, name), found in islice(((key, many) for key, many in pieces.items() if len(many) > 1), MAX_CUT):
        lines = [known.body_start - 1 for known in store.outline(look.scope, filepath) if known.qualified_name == name and known.body_start]
        aside = [one.hit.key for one in found if not any(one.hit.line_start <= line <= one.hit.line_end for line in lines)]
        left_out.update(aside if len(aside) < len(found) else ())
    return [definition for definition in named if definition.hit.key not in left_out]


def _depth(definition: Definition) -> int:
    """How many other definitions enclose this one, by its name."""
    return definition.hit.symbol_name.replace("::", ".").replace("#", ".").count(".")


def _rare(named: Iterable[Definition]) -> Iterator[Definition]:
    """The definitions of names that few files define."""
    known = tuple(named)
    files = Counter(name for name, _ in {(definition.name, definition.hit.filepath) for definition in known})
    return (definition for definition in known if files[definition.name] <= COMMON_NAME)


def _in_frames(store: ChunkStore, look: Look, named: Iterable[Definition]) -> Iterator[Definition]:
    """The chunks of a trace's frames inside the project, the one nearest to the fault first and in full; each file once."""
    functions: dict[tuple[str, str], list[Hit]] = {}
    for definition in named:
        functions.setdefault((definition.hit.filepath, _last(definition.hit.symbol_name)), []).append(definition.hit)
    share, seen = 1.0, set[tuple[str, ...]]()
    for frame in islice(look.query.frames, MAX_FRAME_LOOKS):
        hits = _nearest_namesakes(store, look, frame)
        files = tuple(hit.filepath for hit in hits)
        if not files or files in seen or len(seen) == MAX_FRAMES:
            continue
        seen.add(files)
        for hit in hits:
            namesakes = functions.get((hit.filepath, _last(frame.function)), [hit])
            function = min(namesakes, key=lambda one: _apart(one, frame.line))
            yield Definition(function, f"{frame.path}:{frame.line}", share / len(hits), kind="frame")
        share *= FRAME_DECAY


def _apart(hit: Hit, line: int) -> int:
    """How many lines a chunk is away from a line; of a frame without one, where it begins."""
    return max(hit.line_start - line, line - hit.line_end, 0)


def _at_paths(store: ChunkStore, look: Look) -> Iterator[Definition]:
    """The first chunks of the files that a report's text names."""
    for path in islice(look.query.paths, MAX_PATHS):
        hits = _nearest_namesakes(store, look, Frame(path, 0, ""))
        yield from (Definition(hit, path, PLACE_SHARE / len(hits), kind="place") for hit in hits)


def _nearest_namesakes(store: ChunkStore, look: Look, frame: Frame) -> tuple[Hit, ...]:
    """The chunk at a frame, of each file whose path has most in common with the frame's: its name and folder at least, or all of it.

    The beginning of a path may be another machine's; a line beyond the file's end means an older or newer file."""
    parts = [part for part in frame.path.split("/") if part.strip(".")]
    best: dict[str, Hit] = {}
    most = 1
    for hit in store.at(look.scope, parts[-1], max(frame.line, 1), look.filters) if parts else ():
        known = hit.filepath.split("/")
        common = common_end(known, parts)
        if common < min(2, len(known), len(parts)):
            continue
        if common > most:
            best, most = {}, common
        if common == most:
            best.setdefault(hit.filepath, hit)
    return tuple(best.values()) if len(best) <= MAX_PLACE_FILES else ()


def _last(name: str) -> str:
    return name.replace("::", ".").replace("#", ".").replace("->", ".").rpartition(".")[2]


def _at(store: ChunkStore, look: Look, path: str, line: int) -> Iterator[Definition]:
    """The chunks at a place. Of a longer path the beginning may be another machine's, all but the file's name and its folder."""
    parts = path.split("/")
    for start in range(max(len(parts) - 1, 1)):
        hits = store.at(look.scope, "/".join(parts[start:]), line, look.filters)
        if hits:
            yield from (Definition(hit, f"{path}:{line}", PLACE_SHARE, whole=True, kind="place") for hit in hits[:MAX_PLACE_FILES])
            return


def _in_file(store: ChunkStore, look: Look, path: str, line: int) -> Iterator[Definition]:
    """The definitions of a file that is all that is asked, outer ones first, and then its head."""
    for head in _at(store, look, path, line):
        filepath = head.hit.filepath
        outline = sorted(store.outline(look.scope, filepath), key=lambda known: (known.qualified_name.count("."), known.line_start))
        for known in outline[:MAX_OUTLINED]:
            share = PLACE_SHARE * INNER_SHARE ** known.qualified_name.count(".")
            hits = store.at(look.scope, filepath, known.line_start, look.filters)
            yield from (head._replace(hit=hit, share=share) for hit in hits if hit.filepath == filepath and hit.symbol_type != "block")
        yield head._replace(share=HEAD_SHARE)


def _definition(hit: Hit, shares: dict[str, tuple[str, float]]) -> Definition | None:
    qualified = hit.symbol_name.replace("::", ".").replace("#", ".").lower()
    parts = qualified.split(".")
    for start in range(len(parts)):
        asked = shares.get(".".join(parts[start:]))
        if asked:
            case = 1.0 if hit.score >= 1 else OTHER_CASE_SHARE
            whole = start == 0 < len(parts) - 1 and hit.score >= 1
            return Definition(hit, asked[0], asked[1] * case * _kind_share(hit.symbol_type), whole)
    return None


def _kind_share(symbol_type: str) -> float:
    if symbol_type in CLASSES:
        return CLASS_SHARE
    return FUNCTION_SHARE if symbol_type in FUNCTIONS else OTHER_SHARE
