"""How does everything outside reach the databases of a project? The façade: add, list, index, search, show, diff, status, check, remove."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, Unpack

from clew.core.schema.answer import SchemaAnswer, SchemaOptions, SchemaQuestion
from clew.core.schema.contracts import Snapshot
from clew.core.schema.identity import Difference
from clew.core.schema.meaning import Meanings
from clew.core.schema.protocols import Changed, HeldCount, ValueStore
from clew.core.schema.registry import Registration, Registry
from clew.core.schema.reports import Added, Listed, Shown
from clew.databases.asking import Asking
from clew.databases.parts import Chunks, CodeBeside, Meant
from clew.databases.registered import Registered
from clew.databases.states import States, tables_called
from clew.errors import ClewError, NoIndex, UsageError
from clew.index.schema_serving import Marked, Serving
from clew.index.schema_upkeep import Reading, SchemaUpkeep
from clew.settings import Settings

if TYPE_CHECKING:
    from clew.search.schema.checking import Checked

__all__ = ["CodeBeside", "Databases", "Meant"]


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
        self._chunks = chunks
        self._code = code
        self._values = values
        self._serving = Serving(schemas, upkeep)
        self._registered = Registered(root, registry, schemas, schemas)
        self._states = States(self._registered, schemas, self._serving, upkeep)
        self._asking = Asking(self._serving.mark, meanings, described, chunks, code, values)

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
        return self._registered.add(name, url, base or Path.cwd(), wishes, replaced=replaced)

    def remove(self, name: str) -> None:
        """Forget a datasource: its chunks, values and snapshots, then its secrets and its registration, so that what was interrupted can be asked again.
        Raises UsageError for one that is not there."""
        self._registered.only(name)
        self._chunks.forget(name)
        self._values.keep(name, ())
        self._schemas.forget(name)
        self._registry.remove(name)

    def names(self) -> tuple[str, ...]:
        """The registered datasources, in order."""
        return self._registered.names()

    def is_read(self, name: str) -> bool:
        """Whether there is a snapshot of a datasource."""
        return bool(self._serving.latest((name,)))

    def listed(self) -> tuple[Listed, ...]:
        """Every datasource as it stands, without a look at the databases."""
        return tuple(self._listed(one) for one in self._registry.all().values())

    def status(self, names: Sequence[str] = (), *, live: bool = True) -> tuple[Listed, ...]:
        """How datasources stand; with `live` each is compared with its database."""
        return tuple(self._looked_at(one) if live else self._listed(one) for one in self._registered.chosen(names))

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
        for one in self._registered.chosen(names):
            readings.append(self._upkeep.read(self._registered.changed(one, wishes), enrich=enrich))
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
        chosen = self._registered.chosen(question.datasources)
        warnings, faults = self._serving.made_current(chosen)
        snapshots = self._serving.asked(chosen, question.schema_version)
        if not snapshots:
            raise faults[0] if faults else NoIndex("no database was read yet", "read them: clew db index")
        answer = self._asking.answer(question, snapshots)
        return replace(answer, warnings=tuple(dict.fromkeys((*warnings, *answer.warnings))))

    def check(self, sql: str, name: str, version: str = "") -> Checked:
        """Whether the tables, columns and joins of a statement are those of a datasource, with the nearest right names. Nothing is run."""
        from clew.search.schema.checking import check  # sqlglot, half of what a question takes to load

        warnings, _ = self._serving.made_current(self._registered.chosen((name,)))
        return replace(check(sql, self.snapshot(name, version)), warnings=tuple(warnings))

    def show(self, target: str, version: str = "") -> Shown:
        """A datasource, or (`NAME.TABLE`, `NAME.SCHEMA.TABLE`) the tables of it that are called so, whatever the case where none is exactly."""
        name, _, rest = target.partition(".")
        warnings, _ = self._serving.made_current(self._registered.chosen((name,)))
        snapshot = self.snapshot(name, version)
        return Shown(snapshot, tables_called(snapshot, rest) if rest else snapshot.tables, tuple(warnings))

    def diff(self, before: str, after: str = "") -> Difference:
        """In what two states differ; each is `NAME`, `NAME@VERSION`, `NAME@previous`, `NAME@live` or a version.

        A NAME alone: what changed last, which is the database now against the latest version, and where these are the same, that against the one before.
        """
        return self._states.difference(before, after)

    def snapshot(self, name: str, version: str = "") -> Snapshot:
        """A version of a datasource, the latest where none is named, or the `previous` one. Raises UsageError, NoIndex."""
        return self._states.snapshot(name, version)

    # -- inside --
    def _looked_at(self, one: Registration) -> Listed:
        try:
            found = self._upkeep.compare(one)
        except ClewError as fault:
            return replace(self._listed(one), fault=fault)
        return replace(self._listed(one), drift=found)

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
