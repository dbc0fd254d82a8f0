"""What do an agent's tools answer when it asks a server? The text that they give everywhere, over what the service lets its principal see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar, cast

from clew.core.access import Principal
from clew.core.answer import Answer, Question
from clew.core.document import Definition
from clew.core.graph import Connections, Impact, Importers, ProjectMap, Related
from clew.core.query import Filters
from clew.core.schema.answer import SchemaAnswer, SchemaQuestion
from clew.core.visible import visible
from clew.errors import UsageError
from clew.interfaces.mcp.navigation import navigate
from clew.interfaces.mcp.schema import answered
from clew.interfaces.mcp.texts import Found, answer_text, listed, root_line, spoken
from clew.interfaces.mcp.tools import checked
from clew.interfaces.rendering.plain import status_lines
from clew.serving.looks import Kind, Lines, Look, Outlined, Outlines
from clew.serving.paths import path_filter
from clew.serving.service import Service

if TYPE_CHECKING:
    from clew.search.schema.checking import Checked

NOT_SERVED = ("index", "ask")
"""Tools that a server does not have: it makes no index, and reads with no model unasked."""
STATUS_TOKENS = 1_500
_Kind = TypeVar("_Kind")


def answer(service: Service, who: Principal, name: str, given: dict[str, Any]) -> str:
    """The text of an answer. Raises ClewError for what the caller can change."""
    if name in NOT_SERVED:
        raise UsageError(f"there is no tool {name!r} here", "the tools are search, navigate, schema, status")
    arguments = checked(name, given)
    root = arguments.pop("root", "")
    if name == "search":
        return _search(service, who, root, arguments)
    if name == "navigate":
        return looked(Namespace(service, who, root), arguments["what"], arguments.get("target", ""), arguments["max_tokens"])
    if name == "schema":
        return _schema(service, who, root, arguments)
    return status(service, who, root)


def status(service: Service, who: Principal, root: str = "") -> str:
    """How the namespaces stand that may be asked."""
    found = service.status(who, (root,) if root else ())
    lines = [spoken(line) for one in found for line in (root_line(one.namespace), *status_lines(one))]
    return listed((), lines or ["nothing is indexed that you may ask"], STATUS_TOKENS, "… the first {} lines: name one root for the others")


def _search(service: Service, who: Principal, root: str, options: dict[str, Any]) -> str:
    filters = Filters(
        _words(options.get("language")), _words(options.get("symbol_type")), tuple(map(path_filter, _words(options.get("in"))))
    )
    namespaces = (root,) if root else ()
    question = Question(options["query"], options["mode"], options["limit"], filters, around=True, namespaces=namespaces)
    found = service.search(who, question)
    return answer_text(_apart(found), options["limit"], options["max_tokens"])


def _apart(found: Answer) -> Sequence[Found]:
    """The answer by its namespaces, the one with the best result first; what is beside the results goes with that."""
    names = list(dict.fromkeys(one.chunk.namespace for one in found.results))
    if len(names) < 2:
        return [Found(names[0] if names else "(all that you may ask)", found)]
    parts = [replace(found, results=tuple(one for one in found.results if one.chunk.namespace == name)) for name in names]
    return [Found(name, part if name == names[0] else replace(part, neighbours=())) for name, part in zip(names, parts, strict=True)]


def _words(value: str | None) -> tuple[str, ...]:
    return (value,) if value else ()


def _schema(service: Service, who: Principal, root: str, arguments: dict[str, Any]) -> str:
    databases = Databases(service, who, root)
    name = f"{root or 'databases'}"
    return answered(databases, root_line(name), arguments["query"], arguments.get("database", ""), arguments["max_tokens"])


@dataclass(frozen=True, slots=True)
class Databases:
    """The databases beside a namespace, as a principal may see them."""

    service: Service
    who: Principal
    namespace: str

    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return tuple(one.registration.name for one in self.service.databases(self.who, self.namespace))

    def is_read(self, name: str) -> bool:
        """Whether a database was read."""
        return any(one.registration.name == name and one.snapshot for one in self.service.databases(self.who, self.namespace))

    def check(self, sql: str, name: str) -> Checked:
        """Whether a statement fits a database."""
        return self.service.check_statement(self.who, sql, name, self.namespace)

    def search(self, question: SchemaQuestion, *, max_tokens: int) -> SchemaAnswer:
        """The tables that a question needs."""
        return self.service.search_databases(self.who, replace(question, max_tokens=max_tokens), self.namespace)


@dataclass(frozen=True, slots=True)
class Namespace:
    """A namespace as a place that tools look at; without a `name` the only one that its principal may read."""

    service: Service
    who: Principal
    name: str = ""

    below = ""

    @property
    def root(self) -> PurePosixPath:
        """What its paths are relative to."""
        return PurePosixPath(self.name or "(the one that you may ask)")

    @property
    def engine(self) -> Namespace:
        """Itself answers."""
        return self

    @property
    def project(self) -> Namespace:
        """Itself tells."""
        return self

    def warnings(self, said: Sequence[str]) -> tuple[str, ...]:
        """All of them."""
        return tuple(said)

    def path(self, spelled: str) -> str:
        """The path from its root. Raises UsageError for one that leads out of it."""
        return path_filter(spelled).path

    def holds(self, path: str) -> bool:
        """All of it may be seen by who may see it."""
        return True

    def files(self) -> tuple[str, ...]:
        """The indexed files."""
        return tuple(self._looked("outlines", "", Outlines).files)

    def symbol(self, name: str) -> Connections:
        """The definitions of a name."""
        return self._looked("symbol", name, Connections)

    def callers(self, name: str) -> Connections:
        """Who calls what it means."""
        return self._looked("callers", name, Connections)

    def callees(self, name: str) -> Connections:
        """What its definitions call."""
        return self._looked("callees", name, Connections)

    def importers(self, filepath: str) -> Importers:
        """The files that import a file."""
        return self._looked("importers", filepath, Importers)

    def impact(self, name: str) -> Impact:
        """What a change of it touches."""
        return self._looked("impact", name, Impact)

    def related(self, filepath: str, line: int) -> Related:
        """What belongs to a line."""
        return cast("Related", self.service.look(self.who, Look("related", filepath, self.name, line_start=line)))

    def map(self, folder: str = "") -> ProjectMap:
        """The project, or a folder, on one page."""
        return self._looked("map", folder, ProjectMap)

    def outline(self, filepath: str) -> tuple[Definition, ...]:
        """The definitions of a file."""
        return self._looked("outline", filepath, Outlined).definitions

    def read(self, filepath: str, line_start: int = 1, line_end: int | None = None) -> str:
        """Lines of a file."""
        look = Look("read", filepath, self.name, line_start=line_start, line_end=line_end or 0)
        return cast("Lines", self.service.look(self.who, look)).text

    def belongs(self, filepath: str) -> bool:
        """Whether a file may be read."""
        try:
            self.outline(filepath)
        except UsageError:
            return False
        return True

    def _looked(self, what: Kind, target: str, kind: type[_Kind]) -> _Kind:
        found = self.service.look(self.who, Look(what, target, self.name))
        if not isinstance(found, kind):
            raise TypeError(type(found))
        return found


def looked(place: Namespace, what: str, target: str, max_tokens: int) -> str:
    """What a look at a namespace shows, as text."""
    if not place.name:
        place = replace(place, name=_only(place))
    if what == "outline":
        return _outline(place, target, max_tokens)
    return navigate(place, what, target, max_tokens)


def _only(place: Namespace) -> str:
    """The name of the one namespace that its principal may see; empty where there is none, or another one, which the service then says."""
    found = place.service.namespaces(place.who)
    return found[0].record.name if len(found) == 1 else ""


def _outline(place: Namespace, target: str, max_tokens: int) -> str:
    path = place.path(target.strip() or ".")
    if path and place.belongs(path):
        return navigate(place, "outline", path, max_tokens)
    found = place.service.look(place.who, Look("outlines", path, place.name))
    files = found.files if isinstance(found, Outlines) else {}
    if not files:
        raise UsageError(f"{target} is no file or folder in the index", "status says what was left out; paths are relative to the root")
    lines = list(_outermost(files))
    return listed((root_line(place.name),), lines, max_tokens, f"… {{}} of {len(lines)} files: outline a folder below, or raise max_tokens")


def _outermost(files: Any) -> Iterator[str]:
    for path, definitions in files.items():
        names = ", ".join(visible(one.name) for one in definitions if not one.parent)
        yield f"{visible(path)}  {names}".rstrip()
