"""How does everything outside reach the databases of a project? The façade: add, list, index, search, show, diff, status, check, remove."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, Unpack

from clew.core.schema.addresses import HIDDEN, checked_url, file_of, masked_argument, split_secrets, with_file
from clew.core.schema.answer import FoundTable, SchemaAnswer, SchemaOptions, SchemaQuestion
from clew.core.schema.contracts import Snapshot, Table
from clew.core.schema.identity import Difference, difference
from clew.core.schema.meaning import Meanings
from clew.core.schema.protocols import Changed, HeldCount, SchemaVectors, ValueStore, Wishes
from clew.core.schema.registry import OTHER_URL, Registration, Registry
from clew.core.schema.reports import Added, Listed, Shown
from clew.errors import ClewError, NoIndex, UsageError
from clew.index.schema_serving import Marked, Serving
from clew.index.schema_upkeep import Reading, SchemaUpkeep, said_of_chunks
from clew.settings import Settings

if TYPE_CHECKING:
    from clew.search.schema.checking import Checked
    from clew.search.schema.retrieval import SchemaSearch
    from clew.search.uses import Uses

LIVE, PREVIOUS = "live", "previous"
"""Stand, after an @, for what the database is now, and for the version before the latest."""
USED = 3
"""Tables of an answer whose code is looked up: some files are read for each."""
KEPT_SEARCHES = 4
"""Sets of snapshots whose search structures a process keeps: those of 5,000 tables take some 100 MB."""
_NAME = re.compile(r"\w[\w-]{0,62}")
_ADD = "add one: clew db add NAME URL"


class Meant(NamedTuple):
    """What people added to the databases, the same object while their files are the same; and what is wrong in those."""

    meanings: Meanings
    warnings: tuple[str, ...] = ()


class Chunks(Protocol):
    """Where what is embedded of schemas lives; opened when it is needed."""

    def vectors(self) -> SchemaVectors | None:
        """The vector leg; None where nothing is embedded yet."""
        ...

    def outdated(self, versions: Sequence[tuple[str, str]]) -> tuple[str, ...]:
        """The datasources whose vectors are of another version than is asked for."""
        ...

    def forget(self, datasource: str) -> None:
        """Delete all of a datasource."""
        ...

    def discard(self) -> None:
        """Delete all of it, damaged or not."""
        ...

    def close(self) -> None:
        """Give back files and locks."""
        ...


class CodeBeside(Protocol):
    """The indexed code of the project, if it is; opened when it is needed."""

    def opened(self) -> Uses | None:
        """What tells which code uses a table; None where no code is indexed."""
        ...

    def close(self) -> None:
        """Give back files and locks."""
        ...


class Databases:
    """The databases of one project. Made by `clew.open_databases`; close it, or use it as a context manager."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        registry: Registry,
        schemas: Marked,
        upkeep: SchemaUpkeep,
        meanings: Callable[[], Meant],
        described: Callable[[Snapshot, Meanings], Meanings],
        chunks: Chunks,
        code: CodeBeside,
        values: ValueStore,
    ) -> None:
        self.root = root
        self.settings = settings
        self._registry = registry
        self._schemas = schemas
        self._upkeep = upkeep
        self._meanings = meanings
        self._described = described
        self._chunks = chunks
        self._code = code
        self._values = values
        self._serving = Serving(schemas, upkeep)
        self._searches: dict[tuple[object, ...], SchemaSearch] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Give back files and locks."""
        self._code.close()
        self._chunks.close()

    @property
    def vault(self) -> str:
        """The user's file in which secrets are kept."""
        return self._registry.vault

    # -- what is registered --
    def add(self, name: str, url: str, *, replaced: bool = False, base: Path | None = None, **wishes: Unpack[Changed]) -> Added:
        """Register a datasource; the same once more changes nothing. A relative path in the URL is one from `base` (the current folder).

        `wishes` say how it is to be read (`statistics=True`); of one that is registered those not named stay. Secrets in the URL go to a file of the user's; the project's names them by `***`. Does not connect.
        Raises UsageError for a name or URL that means nothing, and for a name that means another URL, unless that is to be `replaced`: then files of
        registrations that are damaged are set aside, too.
        """
        if not _NAME.fullmatch(name):
            raise UsageError(f"{masked_argument(name)[:80]!r} cannot be a database's name", "use letters, digits, _ and -, at most 63")
        bare, secrets = split_secrets(checked_url(self._placed(url, base or Path.cwd())))
        aside = self._registry.set_aside() if replaced else ()
        known = self._registry.all().get(name)
        wanted = Registration(name, bare, replace(known.wishes if known is not None else Wishes(), **wishes))
        same_url = known is not None and known.url == bare and (HIDDEN not in bare or self._registry.secrets(name) == secrets)
        if known == wanted and same_url:
            return Added(wanted, "unchanged", bool(secrets))
        if known is not None and not same_url and not replaced:
            raise UsageError(
                f"{name} is registered already, with another URL: {known.url}", f"give --replace, or first: clew db remove {name}"
            )
        self._registry.put(wanted, secrets)
        if not same_url and self._schemas.versions(name):
            self._schemas.note(name, replace(self._schemas.standing(name), stamp="", fault="", drift=OTHER_URL))
        return Added(wanted, "replaced" if known is not None else "added", bool(secrets), aside)

    def remove(self, name: str) -> None:
        """Forget a datasource: its chunks, values and snapshots, then its secrets and its registration, so that what was interrupted can be asked again.
        Raises UsageError for one that is not there."""
        self._chosen((name,))
        self._chunks.forget(name)
        self._values.keep(name, ())
        self._schemas.forget(name)
        self._registry.remove(name)

    def names(self) -> tuple[str, ...]:
        """The registered datasources, in order."""
        return tuple(self._registry.all())

    def is_read(self, name: str) -> bool:
        """Whether there is a snapshot of a datasource."""
        return bool(self._serving.latest((name,)))

    def listed(self) -> tuple[Listed, ...]:
        """Every datasource as it stands, without a look at the databases."""
        return tuple(self._listed(one) for one in self._registry.all().values())

    def status(self, names: Sequence[str] = (), *, live: bool = True) -> tuple[Listed, ...]:
        """How datasources stand; with `live` each is compared with its database."""
        return tuple(self._looked_at(one) if live else self._listed(one) for one in self._chosen(names))

    # -- reading --
    def index(
        self,
        names: Sequence[str] = (),
        *,
        enrich: bool = False,
        progress: Callable[[Reading], None] | None = None,
        **wishes: Unpack[Changed],
    ) -> tuple[Reading, ...]:
        """Read these datasources (all, without names), one after the other; what is wrong with one is in its Reading and costs no other.

        `enrich` asks the language model that is set to describe the tables that it has not described as they are now; `wishes` say how they are to be
        read from now on (`values=True`, `statistics=True`), those not named stay. `progress` is told each Reading when it is there.
        """
        readings = []
        for one in self._chosen(names):
            wanted = replace(one, wishes=replace(one.wishes, **wishes))
            if wanted != one:
                self._registry.put(wanted, self._registry.secrets(one.name))
            readings.append(self._upkeep.read(wanted, enrich=enrich))
            if progress is not None:
                progress(readings[-1])
        return tuple(readings)

    def discard(self) -> None:
        """Throw away all that was read, damaged or not; what is registered stays."""
        self._chunks.discard()
        self._values.discard()
        self._schemas.discard()

    # -- asking --
    def search(self, question: SchemaQuestion | str, **options: Unpack[SchemaOptions]) -> SchemaAnswer:
        """The tables, columns and joins that a question needs. A datasource that was never read is read first, a file that changed again.

        `options` are what a SchemaQuestion may say beside its text (`datasources=("shop",), limit=5`). Raises NoIndex where no database is registered, UsageError for an empty question, an unknown datasource or version, and what kept the
        only databases that were asked from being read.
        """
        question = replace(SchemaQuestion(question) if isinstance(question, str) else question, **options)
        if not question.text.strip():
            raise UsageError("the question is empty", 'ask in words: clew db search "revenue per customer"')
        chosen = self._chosen(question.datasources)
        warnings, faults = self._serving.made_current(chosen)
        snapshots = self._serving.asked(chosen, question.schema_version)
        if not snapshots:
            raise faults[0] if faults else NoIndex("no database was read yet", "read them: clew db index")
        asked = replace(question, datasources=tuple(one.datasource for one in snapshots))
        try:
            vectors = self._chunks.vectors()
        except ClewError as fault:
            vectors = None
            warnings.append(f"searched by words alone: {said_of_chunks(fault)}")
        answer = self._search_over(snapshots, self._meanings().meanings).answer(asked, vectors, self._values)
        warnings += self._meanings().warnings
        if vectors is not None and not answer.full_snapshot:
            warnings += self._outdated(snapshots)
        tables, remarks = self._with_uses(answer.tables)
        return replace(answer, tables=tables, warnings=tuple(dict.fromkeys((*warnings, *answer.warnings, *remarks))))

    def check(self, sql: str, name: str, version: str = "") -> Checked:
        """Whether the tables, columns and joins of a statement are those of a datasource, with the nearest right names. Nothing is run."""
        from clew.search.schema.checking import check  # sqlglot, half of what a question takes to load

        self._serving.made_current(self._chosen((name,)))
        return check(sql, self.snapshot(name, version))

    def show(self, target: str, version: str = "") -> Shown:
        """A datasource, or (`NAME.TABLE`, `NAME.SCHEMA.TABLE`) the tables of it that are called so, whatever the case where none is exactly."""
        name, rest = self._named(target)
        registration = self._chosen((name,))
        warnings, _ = self._serving.made_current(registration)
        snapshot = self.snapshot(name, version)
        return Shown(snapshot, _tables(snapshot, rest) if rest else snapshot.tables, tuple(warnings))

    def diff(self, before: str, after: str = "") -> Difference:
        """In what two states differ; each is `NAME`, `NAME@VERSION`, `NAME@previous`, `NAME@live` or a version.

        A NAME alone: what changed last, which is the database now against the latest version, and where these are the same, that against the one before.
        """
        name, version = self._state(before)
        if not after and version in ("", LIVE):
            found = self._upkeep.compare(self._chosen((name,))[0])
            is_taken_in = not found.tables and not version and len(self._schemas.versions(name)) > 1
            return difference(self.snapshot(name, PREVIOUS), self.snapshot(name)) if is_taken_in else found
        if not after:
            return self.diff(before, name)
        other, wanted = self._state(after)
        if wanted == LIVE and version == "" and name == other:
            return self._upkeep.compare(self._chosen((name,))[0])
        return difference(self._at(name, version), self._at(other, wanted))

    def snapshot(self, name: str, version: str = "") -> Snapshot:
        """A version of a datasource, the latest where none is named, or the `previous` one. Raises UsageError, NoIndex."""
        self._chosen((name,))
        version = self._before_the_latest(name) if version == PREVIOUS else version
        found = self._schemas.get(name, version) if version else self._serving.latest((name,)).get(name)
        if found is None and version:
            kept = ", ".join(self._schemas.versions(name)) or "none"
            raise UsageError(f"{name} has no version {version}", f"kept are: {kept}")
        if found is None:
            raise NoIndex(f"{name} was not read yet", f"read it: clew db index {name}")
        return found

    # -- inside --
    def _looked_at(self, one: Registration) -> Listed:
        try:
            found = self._upkeep.compare(one)
        except ClewError as fault:
            return replace(self._listed(one), fault=fault)
        return replace(self._listed(one), drift=found)

    def _before_the_latest(self, name: str) -> str:
        kept = self._schemas.versions(name)
        if len(kept) < 2:
            raise UsageError(f"of {name} no version before the latest is kept", f"kept are: {', '.join(kept) or 'none'}")
        return kept[-2]

    def _outdated(self, snapshots: Sequence[Snapshot]) -> Iterator[str]:
        """What to say of vectors that are not of these versions; a store that cannot tell could not be searched, which the answer says."""
        with suppress(ClewError):
            for name in self._chunks.outdated([(one.datasource, one.version) for one in snapshots]):
                yield f"{name}: vectors are those of another version of its schema, and were searched all the same (clew db index {name} renews them)"

    def _listed(self, registration: Registration) -> Listed:
        name = registration.name
        return Listed(
            registration,
            self._schemas.standing(name),
            self._serving.latest((name,)).get(name),
            self._schemas.versions(name),
            values=self._values_of(name),
        )

    def _values_of(self, name: str) -> HeldCount:
        try:
            return self._values.count(name)
        except ClewError as fault:
            return HeldCount(left_out=(fault.message,))

    def _placed(self, url: str, base: Path) -> str:
        """A file's address from the project's root where it is inside, else from the root of the system: the project may move."""
        path = file_of(url)
        if not path:
            return url
        full = Path(os.path.normpath(base / Path(path).expanduser()))
        return with_file(url, full.relative_to(self.root).as_posix() if full.is_relative_to(self.root) else os.fspath(full))

    def _chosen(self, names: Sequence[str]) -> tuple[Registration, ...]:
        known = self._registry.all()
        if not known:
            raise NoIndex("no database is registered here", _ADD)
        for name in names:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                raise UsageError(
                    f"no database is called {masked_argument(name)!r}", f"did you mean {close[0]}?" if close else _known(known)
                )
        return tuple(known[name] for name in dict.fromkeys(names)) if names else tuple(known.values())

    def _with_uses(self, tables: tuple[FoundTable, ...]) -> tuple[tuple[FoundTable, ...], tuple[str, ...]]:
        """The tables, the first with the places of the code that use them; what hinders that costs nothing else."""
        try:
            uses = self._code.opened()
            first = tuple(replace(one, used_by=uses.of(one.table.name)) for one in tables[:USED]) if uses is not None else tables[:USED]
        except ClewError as fault:
            return tables, (f"the code that uses these tables was not looked up: {fault.message}",)
        return (*first, *tables[USED:]), ()

    def _search_over(self, snapshots: Sequence[Snapshot], meanings: Meanings) -> SchemaSearch:
        from clew.search.schema.index import Entry  # numpy, which no other command needs
        from clew.search.schema.retrieval import SchemaSearch

        marks = tuple((one.datasource, one.version, self._serving.mark(one.datasource)) for one in snapshots)
        entries = [Entry(one, self._described(one, meanings)) for one in snapshots]
        key = (marks, *(id(one.meanings) for one in entries))
        if key not in self._searches:
            while len(self._searches) >= KEPT_SEARCHES:
                self._searches.pop(next(iter(self._searches)))
            self._searches[key] = SchemaSearch(entries)
        return self._searches[key]

    def _named(self, target: str) -> tuple[str, str]:
        name, _, rest = target.partition(".")
        return name, rest

    def _state(self, text: str) -> tuple[str, str]:
        """Datasource and version that a state's text means."""
        name, mark, version = text.partition("@")
        if mark or name in self._registry.all():
            return name, version
        holders = [one for one in self._registry.all() if name in self._schemas.versions(one)]
        if len(holders) != 1:
            raise UsageError(
                f"{masked_argument(text)!r} is neither a database nor a version of one",
                "give NAME, NAME@VERSION, NAME@previous or NAME@live",
            )
        return holders[0], name

    def _at(self, name: str, version: str) -> Snapshot:
        if version != LIVE:
            return self.snapshot(name, version)
        return self._upkeep.live(self._chosen((name,))[0]).model_copy(update={"version": LIVE})


def _known(known: dict[str, Registration]) -> str:
    return f"there are {', '.join(list(known)[:20])}"


def _tables(snapshot: Snapshot, asked: str) -> tuple[Table, ...]:
    """The tables that a name means: exactly, else whatever the case. Raises UsageError naming the nearest."""
    bare = asked.replace('"', "")
    exact = [one for one in snapshot.tables if {asked, bare} & {one.full_name, one.name}]
    found = exact or [one for one in snapshot.tables if bare.lower() in (one.full_name.lower(), one.name.lower())]
    if not found:
        close = difflib.get_close_matches(bare, [name for one in snapshot.tables for name in (one.full_name, one.name)], n=3)
        hint = f"did you mean {', '.join(dict.fromkeys(close))}?" if close else f"clew db show {snapshot.datasource} lists its tables"
        raise UsageError(f"{snapshot.datasource} has no table {asked!r}", hint)
    return tuple(found)
