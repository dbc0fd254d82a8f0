"""Which chunk of a file stands for it? What the legs, names and kinds of its chunks say; pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from clew.core.query import Hit
from clew.search.fusion import DEFINITION_SHARE, Candidate, Scale
from clew.search.legs.names import Definition
from clew.search.rules import Asked, enclosing_words, name_words

MEANING_SHARE = 0.45
"""What the best vector hit weighs against the best keyword hit where chunks of one file are compared."""
FRAME_SHARE = 1.5
"""What standing in the trace weighs there: the function that failed is read before any that shares words with the message."""
VERBATIM_SHARE = 3.0
"""What holding a quotation or a pasted line word by word weighs there: more than any name that the line mentions."""
SPELLED_SHARE = 2.0
"""What a chunk gains whose name the question spells out in full, and that is all that is asked; `table add row` asks for `Table.add_row`."""
SLIGHT_LINES, SLIGHT_SHARE = 2, 0.7
SLIGHT_TYPES = frozenset(["constant", "block", "section"])
"""What stands for a file should be worth reading: where a constant of one line and a function hold the same words, the function."""
ASKED_LEAD = 2.0
"""What the chunk that defines a bare name gains: it is read before the comment above it, its constructors, and whatever is near to it."""
LOOSE_SHARE = 0.6
"""What is left of the score of a block, imports and the head of a file, beside definitions of the same file."""
DECLARING, DECLARING_SHARE = frozenset(["interface", "protocol", "trait"]), 0.8
"""What only declares is left so much where the question asks how something works."""
PIECE_LINES, PIECE_GAP = 12, 2
"""Of a definition that was cut, each piece has so many lines at least, and at most a blank one between it and the next."""


def chunks_of(file: Candidate, scale: Scale, asked: Asked) -> tuple[tuple[float, Hit], ...]:
    """The file's chunks with their scores, best first."""
    hits, scores = _evidence(file, scale, asked.query.is_bare)
    kinds = {hit.symbol_type for hit in hits.values()}
    loose, declaring = len(kinds) > 1, asked.asks_how and not kinds.isdisjoint(DECLARING)
    weighs = declaring or not kinds.isdisjoint(SLIGHT_TYPES)
    terms, names = asked.terms, set[str]()
    for id_, hit in hits.items():
        name, kind = hit.symbol_name, hit.symbol_type
        names.add(name)
        if kind != "block" and (held := name_words(name) & terms):
            scores[id_] += spelled_out(name, held, asked)
        if weighs and (declaring or kind in SLIGHT_TYPES):
            scores[id_] *= weight(hit, loose, declaring)
    if len(names) < len(hits):
        _lift_heads(hits, scores)
    if asked.query.shape == "name":
        for definition in _beginnings(file.definitions):
            scores[definition.hit.id] += ASKED_LEAD * definition.whole
    order = [(-scores[id_], hit.line_start, id_) for id_, hit in hits.items()]
    order.sort()
    return tuple((-score, hits[id_]) for score, _, id_ in order)


def _evidence(file: Candidate, scale: Scale, is_bare: bool) -> tuple[dict[str, Hit], dict[str, float]]:
    """The chunks by id, and what the legs and the asked names say of each."""
    scores: dict[str, float] = {}
    hits: dict[str, Hit] = {}
    for hit in file.words:
        scores[hit.id] = hit.score / scale.word
        hits[hit.id] = hit
    for hit in file.near:
        scores[hit.id] = scores.get(hit.id, 0.0) + MEANING_SHARE * scale.meaning(hit.score)
        hits[hit.id] = hit
    for definition in _beginnings(file.definitions):
        hit = definition.hit
        named = DEFINITION_SHARE if is_bare and not definition.whole else scale.definition
        worth = max(named, FRAME_SHARE if definition.kind == "frame" else VERBATIM_SHARE if definition.is_verbatim else 0.0)
        scores[hit.id] = scores.get(hit.id, 0.0) + definition.share * worth
        hits[hit.id] = hit
    return hits, scores


def spelled_out(symbol_name: str, held: frozenset[str], asked: Asked) -> float:
    """How far the question is a chunk's name, of which it holds these words: their share of the name, times the share of the question, by
    rarity, that they are together with those of what encloses it."""
    around = enclosing_words(symbol_name)
    told = held | (around & asked.terms) if around else held
    told_share = math.fsum(map(asked.rarity.__getitem__, told)) / (asked.evidence or 1.0)
    return SPELLED_SHARE * told_share * len(held) / len(name_words(symbol_name))


def weight(hit: Hit, loose: bool, declaring: bool) -> float:
    """Less than 1 for a line or two that define nothing to read (they win by being short), for loose lines among others, and for a declaration
    where it is asked how something works."""
    if hit.symbol_type in SLIGHT_TYPES and hit.line_end - hit.line_start < SLIGHT_LINES:
        return SLIGHT_SHARE
    if loose and hit.symbol_type == "block":
        return LOOSE_SHARE
    return DECLARING_SHARE if declaring and hit.symbol_type in DECLARING else 1.0


def _lift_heads(hits: dict[str, Hit], scores: dict[str, float]) -> None:
    """Of a definition that was cut and of which several pieces are found, the first is as good as the best: it says what the others are of."""
    order = sorted(hits.values(), key=lambda hit: hit.line_start)
    head: Hit | None = None
    last: Hit | None = None
    for hit in order:
        if head is None or last is None or not _continues(last, hit):
            head = hit
        else:
            scores[head.id] = max(scores[head.id], scores[hit.id])
        last = hit


def _continues(piece: Hit, hit: Hit) -> bool:
    """Whether a chunk is the next piece of the same definition."""
    same = hit.symbol_name == piece.symbol_name and hit.symbol_type == piece.symbol_type != "block"
    return same and hit.line_start - piece.line_end <= PIECE_GAP and piece.line_end - piece.line_start >= PIECE_LINES


def _beginnings(definitions: Sequence[Definition]) -> Iterable[Definition]:
    """Of a definition that was cut into several chunks, the first: it holds the signature. Of several reasons to look there, the best."""
    first: dict[str, Definition] = {}
    for definition in definitions:
        known = first.setdefault(definition.hit.symbol_name, definition)
        if (definition.hit.line_start, -definition.share) < (known.hit.line_start, -known.share):
            first[definition.hit.symbol_name] = definition
    return first.values()
