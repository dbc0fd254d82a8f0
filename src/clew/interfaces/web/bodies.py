"""What may a request say? Every field with its type and bounds; one that is not known is refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from clew.core.answer import Question
from clew.core.query import Filters
from clew.core.schema.answer import SchemaQuestion
from clew.errors import UsageError
from clew.serving.looks import Kind, Look
from clew.serving.paths import path_filter
from clew.settings import LIMIT, MAX_COUNT, MAX_LIMIT

MAX_EF = 10_000
_NAME = r"^[a-z][a-z0-9-]{2,62}$"
Mode = Literal["auto", "fast", "semantic", "hybrid", "structural", "standard", "deep"]


def _sayable(value: Any) -> Any:
    """Halves of characters, which JSON can spell, are no text."""
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError as fault:
            raise ValueError("it holds half a character") from fault
    return value


Words = Annotated[str, BeforeValidator(_sayable), Field(min_length=1, max_length=20_000)]
Name = Annotated[str, BeforeValidator(_sayable), Field(min_length=1, max_length=500)]
Path = Annotated[str, BeforeValidator(_sayable), Field(min_length=1, max_length=4_000)]
Perhaps = Annotated[str, BeforeValidator(_sayable), Field(max_length=4_000)]
Namespace = Annotated[str, Field(pattern=_NAME)]
OneNamespace = Annotated[str, Field(default="", pattern=f"^$|{_NAME}", description="left out: the only one that you may ask")]
Line = Annotated[int, Field(ge=1, le=MAX_COUNT)]


class Body(BaseModel):
    """A request; what it does not know it refuses."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    def refuse_nul(self) -> None:
        """Raise UsageError for text with a NUL, which no name and no line has."""
        for name, value in self:
            texts = value if isinstance(value, tuple) else (value,)
            if any(isinstance(text, str) and "\0" in text for text in texts):
                raise UsageError(f"{name} holds a NUL", "send text without it")


class Search(Body):
    """A question about code. Left out, `namespaces` are all that you may search."""

    query: Words
    mode: Mode = "auto"
    limit: int = Field(default=LIMIT, ge=1, le=MAX_LIMIT)
    language: tuple[Name, ...] = Field(default=(), max_length=50)
    symbol_type: tuple[Name, ...] = Field(default=(), max_length=50)
    within: tuple[Path, ...] = Field(
        default=(), alias="in", max_length=50, description="folders, files or globs, from the root of a namespace"
    )
    namespaces: tuple[Namespace, ...] = Field(default=(), max_length=1_000)
    max_tokens: int = Field(default=0, ge=0, le=MAX_COUNT, description="a size that the answer never exceeds; 0 is no bound")
    ef: int = Field(default=0, ge=0, le=MAX_EF)
    rerank: bool = False
    around: bool = Field(default=False, description="also signatures of what the first results call, are made of and stand in")

    def question(self) -> Question:
        """What is asked. Raises UsageError for a path that leads out of a project."""
        filters = Filters(self.language, self.symbol_type, tuple(map(path_filter, self.within)))
        return Question(self.query, self.mode, self.limit, filters, self.max_tokens, self.ef, self.rerank, self.around, self.namespaces)


class Named(Body):
    """A name: `name`, `Type.name`, or `path:name`."""

    name: Name
    namespace: OneNamespace = ""

    def look(self, what: Kind) -> Look:
        """What is looked at."""
        return Look(what, self.name, self.namespace)


class Callers(Named):
    """A name, and how many levels of callers are wanted."""

    depth: int = Field(default=1, ge=1, le=10)

    def look(self, what: Kind) -> Look:
        """What is looked at."""
        return Look(what, self.name, self.namespace, self.depth)


class File(Body):
    """A file, from the root of its namespace."""

    filepath: Path
    namespace: OneNamespace = ""

    def look(self, what: Kind) -> Look:
        """What is looked at."""
        return Look(what, self.filepath, self.namespace)


class Place(File):
    """A line of a file."""

    line: Line = 1

    def look(self, what: Kind) -> Look:
        """What is looked at."""
        return Look(what, self.filepath, self.namespace, line_start=self.line)


class Read(File):
    """Lines of a file, the first and the last one; without a last one as far as it goes, 1,000 at most."""

    line_start: Line = 1
    line_end: Line | None = None

    def look(self, what: Kind) -> Look:
        """What is looked at."""
        last = self.line_start + MOST_LINES - 1
        return Look(what, self.filepath, self.namespace, line_start=self.line_start, line_end=min(self.line_end or last, last))


MOST_LINES = 1_000


class Folder(Body):
    """A folder, from the root of its namespace; left out: all of it."""

    folder: Perhaps = ""
    namespace: OneNamespace = ""

    def look(self, what: Kind) -> Look:
        """What is looked at."""
        return Look(what, self.folder, self.namespace)


class SearchDatabases(Body):
    """A question about databases. Left out, `databases` are all beside the namespace."""

    query: Words
    databases: tuple[Name, ...] = Field(default=(), max_length=100)
    limit: int = Field(default=10, ge=1, le=MAX_LIMIT)
    max_tokens: int = Field(default=2_000, ge=0, le=MAX_COUNT)
    schema_version: Perhaps = ""
    explain: bool = False
    namespace: OneNamespace = ""

    def question(self) -> SchemaQuestion:
        """What is asked."""
        return SchemaQuestion(self.query, self.databases, self.limit, self.max_tokens, self.schema_version, explain=self.explain)


class CheckStatement(Body):
    """A statement, and the database whose it is to be; left out, the one that it fits best."""

    sql: Words
    database: Perhaps = ""
    namespace: OneNamespace = ""


class ShowDatabase(Body):
    """`NAME`, `NAME.TABLE` or `NAME.SCHEMA.TABLE`."""

    name: Name
    schema_version: Perhaps = ""
    namespace: OneNamespace = ""


class WhichNamespaces(Body):
    """The query of a request: left out, all that you may search."""

    namespace: tuple[Namespace, ...] = Field(default=(), max_length=1_000)


class WhichNamespace(Body):
    """The query of a request: left out, the only one that has databases."""

    namespace: OneNamespace = ""
