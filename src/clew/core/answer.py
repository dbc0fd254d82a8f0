"""What does clew say? The answers, reports and status that every front end shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypedDict

from clew.core.chunk import Chunk
from clew.core.language import Usage
from clew.core.query import Filters


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. `mode` is auto, fast, semantic, hybrid, structural (more to come); `max_tokens` 0 means no budget. With a budget, or `around`,
    the answer has the signatures of what its first results call, are made of and stand in. `namespaces` are those that are asked: none means the
    project's own and all that are mounted."""

    text: str
    mode: str = "auto"
    limit: int = 10
    filters: Filters = field(default_factory=Filters)
    max_tokens: int = 0
    ef: int = 0
    rerank: bool = False
    around: bool = False
    namespaces: tuple[str, ...] = ()


class Options(TypedDict, total=False):
    """What may be said beside a question's text, by the names of `Question`."""

    mode: str
    limit: int
    filters: Filters
    max_tokens: int
    ef: int
    rerank: bool
    around: bool


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk with its place in an answer: `score`, 0 to 1, is comparable across questions (the best one's is the confidence in the answer),
    `reasons` say why it is there, `lines` are those of its lines for which it is (a call), where it is not there as a whole, and `wanted` those that
    the question names (a frame of a trace)."""

    chunk: Chunk
    score: float
    reasons: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    wanted: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A ranked chunk as it is shown: `code_snippet` is what stands on disk now, or what was indexed when that is gone (`from_index`).
    `shown` are the numbers of the lines that are printed: none is a pointer, None leaves it to whoever prints; `lines` are those for which it is there,
    where it is not as a whole, `wanted` those that are shown first. `mounted`: it belongs to another project, whose namespace says which."""

    chunk: Chunk
    absolute_path: str
    code_snippet: str
    score: float
    reasons: tuple[str, ...] = ()
    from_index: bool = False
    shown: tuple[int, ...] | None = None
    lines: tuple[int, ...] = ()
    wanted: tuple[int, ...] = ()
    mounted: bool = False


class Neighbour(NamedTuple):
    """A definition that a reader of the results needs to know of, by its signature: `relation` says how it stands to what `of` names (`called by`
    it, `type in` its signature, `around` it), or that it is the `definition` of the name that was asked about."""

    relation: str
    of: str
    filepath: str
    symbol_name: str
    symbol_type: str
    line_start: int
    line_end: int
    signature: str = ""


class Citation(NamedTuple):
    """Lines of a file that bear out an answer, and what they show; the lines were there when it was given."""

    filepath: str
    line_start: int
    line_end: int
    why: str


@dataclass(frozen=True, slots=True)
class Written:
    """An answer in words. Each sentence of `text` names the evidence that it rests on as `path:first-last`; `missing` is what was not found.

    `results` are those of an ordinary search where nothing was found by reading, or no model could be asked; `steps` are the moves that were made, `story`
    says what they cost.
    """

    question: str
    text: str = ""
    evidence: tuple[Citation, ...] = ()
    missing: str = ""
    results: tuple[Result, ...] = ()
    warnings: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    story: str = ""
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one question, best first. `confidence` is high, medium, low or none, `confidence_score` the chance behind it (0 to 1)
    that a right file is among the first five; `count` gives what the results cost in tokens;
    `route` says why it was answered in this mode, and how widely the legs looked; `neighbours` are signatures beside the results;
    `more` says how to see all that answers, where that is more than the results; `gist` are the terms that the question is about; `withheld`
    counts what was found and is too weak to be shown; `synthesis`, `evidence` and `missing` are what mode deep says in words, as in `Written`."""

    query: str
    mode: str
    results: tuple[Result, ...] = ()
    confidence: str = "none"
    confidence_score: float = 0.0
    hint: str = ""
    warnings: tuple[str, ...] = ()
    stale: bool = False
    route: tuple[str, ...] = ()
    gist: frozenset[str] = frozenset()
    withheld: int = 0
    neighbours: tuple[Neighbour, ...] = ()
    more: str = ""
    synthesis: str = ""
    evidence: tuple[Citation, ...] = ()
    missing: str = ""
    count: Callable[[], int] = field(default=int, repr=False, compare=False)

    @property
    def tokens(self) -> int:
        """What the results cost, as they are printed or as their snippets stand, whichever is more; counted when it is asked for."""
        return self.count()


@dataclass(frozen=True, slots=True)
class Skip:
    """A file that is not indexed, or not as a user would expect, and why."""

    filepath: str
    reason: str


@dataclass(frozen=True, slots=True)
class Summarised:
    """Files and folders with a sentence that was written now, or before (`known`), and `left` without; what that cost, or will; `note` says why it ended
    before its end."""

    written: int = 0
    known: int = 0
    left: int = 0
    usage: Usage = field(default_factory=Usage)
    note: str = ""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run of the indexer did. `complete` is false when it was stopped before the end."""

    namespace: str
    indexed: int = 0
    unchanged: int = 0
    deleted: int = 0
    skipped: tuple[Skip, ...] = ()
    chunks_added: int = 0
    chunks_kept: int = 0
    chunks_deleted: int = 0
    chunks_embedded: int = 0
    warnings: tuple[str, ...] = ()
    complete: bool = True
    seconds: float = 0.0
    summaries: Summarised | None = None


@dataclass(frozen=True, slots=True)
class Thinned:
    """What clearing out an index did: its size before and after, and the models whose vectors are gone."""

    bytes_before: int
    bytes_after: int
    forgotten: tuple[str, ...] = ()


class SpaceState(NamedTuple):
    """One model's vectors in an index: of so many chunks there is none yet."""

    model: str
    dims: int
    unembedded: int


class Remembered(NamedTuple):
    """How often the vector of a question was known already, of so many times that it was needed."""

    hits: int = 0
    asked: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """The truth about an index. `skipped` files have no chunks; `notes` are remarks on indexed ones (`decoded as …`).
    `fallbacks` are the models that answer while the `embedder` cannot, `questions` how often a paid model need not be asked for a question's vector.
    `indexed_at` is when every file was last checked on request, `written_at` when a change was last taken in (seconds since 1970), `behind`
    how many files differ from the disk now. `writer` names the process that is writing, if one is; `languages` maps a name to (files, files parsed by a grammar)."""

    root: str
    namespace: str
    files: int
    skipped: tuple[Skip, ...]
    notes: tuple[Skip, ...]
    chunks: int
    chunks_unembedded: int
    complete: bool
    embedder: str
    vector_dims: int
    languages: Mapping[str, tuple[int, int]]
    bytes: int
    indexed_at: int
    written_at: int = 0
    behind: int = 0
    last_error: str = ""
    writer: str = ""
    warnings: tuple[str, ...] = ()
    fallbacks: tuple[SpaceState, ...] = ()
    questions: Remembered = field(default_factory=Remembered)
