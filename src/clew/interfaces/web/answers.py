"""How do answers look? The objects of the command line's --json, described field by field: what is sent is what `rendering` makes."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Said(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(extra="forbid")


class Fault(Said):
    """What went wrong, and what to do."""

    code: str
    message: str
    hint: str


class Refused(Said):
    """What is sent where there is no answer."""

    error: Fault


class Found(Said):
    """A place that answers, with its code for who may read it."""

    id: str
    namespace: str
    filepath: str
    absolute_path: str = Field(description="empty unless the server is for its own machine alone")
    symbol_name: str
    symbol_type: str
    language: str
    line_start: int
    line_end: int
    signature: str
    parent: str
    docstring: str
    imports: list[str]
    calls: list[str]
    code_snippet: str
    from_index: bool
    score: float
    reasons: list[str]


class Neighbour(Said):
    """A definition beside the results, by its signature."""

    relation: str
    of: str
    filepath: str
    symbol_name: str
    symbol_type: str
    line_start: int
    line_end: int
    signature: str


class Evidence(Said):
    """Lines that bear out what was read."""

    filepath: str
    line_start: int
    line_end: int
    why: str


class SearchAnswer(Said):
    """The results, best first, and what is to be known of them."""

    query: str
    mode: str
    results: list[Found]
    confidence: str
    confidence_score: float
    hint: str
    warnings: list[str]
    stale: bool
    tokens: int
    reasons: list[str]
    neighbours: list[Neighbour]
    synthesis: str | None = Field(default=None, description="of mode deep alone, as are evidence and missing")
    evidence: list[Evidence] | None = None
    missing: str | None = None


class Symbol(Said):
    """A definition."""

    filepath: str
    name: str
    kind: str
    line_start: int
    line_end: int
    signature: str


class Edge(Said):
    """A place where one definition calls another."""

    source: Symbol
    target: Symbol
    filepath: str
    line: int
    certain: bool
    depth: int


class Checked(Said):
    """What an answer about structure says of itself."""

    warnings: list[str]
    stale: bool


class Symbols(Checked):
    """The definitions of a name, or names much like it."""

    name: str
    symbols: list[Symbol]
    near: list[str]


class Called(Symbols):
    """Who calls what a name means."""

    callers: list[Edge]


class Calls(Symbols):
    """What the definitions of a name call."""

    callees: list[Edge]


class Importer(Said):
    """A file that imports another."""

    filepath: str
    line: int
    imported: str


class Importers(Checked):
    """The files that import a file."""

    filepath: str
    importers: list[Importer]


class Impact(Checked):
    """What a change touches."""

    name: str
    symbols: list[Symbol]
    callers: list[Edge]
    tests: list[Edge]
    overriders: list[Symbol]
    importers: list[Importer]
    near: list[str]


class Related(Checked):
    """What belongs to a line."""

    filepath: str
    line: int
    symbol: Symbol | None
    callees: list[Edge]
    callers: list[Edge]
    tests: list[Edge]


class FolderSize(Said):
    """A folder and how many files are below."""

    path: str
    files: int


class Central(Said):
    """A file that others use."""

    filepath: str
    used_by: int
    symbols: list[str]


class Map(Checked):
    """A project on one page."""

    name: str
    files: int
    languages: dict[str, int]
    folders: list[FolderSize]
    central: list[Central]
    tokens: int


class Definition(Said):
    """A named span of lines."""

    name: str
    qualified_name: str
    kind: str
    line_start: int
    line_end: int
    parent: str
    signature: str
    docstring: str


class Outline(Said):
    """The definitions of a file."""

    filepath: str
    definitions: list[Definition]


class Outlines(Said):
    """The definitions of each file of a folder and below."""

    folder: str
    files: list[Outline]


class Lines(Said):
    """Lines of a file. `from_index`: as they were indexed, since the project is elsewhere."""

    filepath: str
    line_start: int
    line_end: int
    text: str
    from_index: bool


class Namespace(Said):
    """A namespace that you may see, and your role in it."""

    namespace: str
    owner: str
    team: str
    visibility: str
    grants: dict[str, str]
    role: str
    files: int
    chunks: int
    root: str


class Namespaces(Said):
    """All that you may see."""

    namespaces: list[Namespace]


class Skip(Said):
    """A file that is not indexed, and why."""

    filepath: str
    reason: str


class Note(Said):
    """A remark on a file."""

    filepath: str
    note: str


class Status(Said):
    """How a namespace stands."""

    root: str
    namespace: str
    files: dict[str, int]
    chunks: dict[str, int]
    skipped: list[Skip]
    notes: list[Note]
    warnings: list[str]
    complete: bool
    embedder: str
    vector_dims: int
    fallbacks: list[dict[str, Any]]
    questions: dict[str, int]
    languages: dict[str, dict[str, int]]
    bytes: int
    indexed_at: int
    written_at: int
    behind: int
    last_error: str
    writer: str


class Statuses(Said):
    """How the namespaces stand that you may search."""

    namespaces: list[Status]


class Health(Said):
    """Whether the server lives, or may be asked."""

    status: str
