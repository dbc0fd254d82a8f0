"""What does a DDL file define? Tables in the making, and the catalog that statements change one after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from clew.adapters.databases.ddl.lexicon import Lexicon
from clew.core.schema.contracts import Check, TableKind, Unread

Name = tuple[str, ...]


@dataclass(slots=True)
class ColumnDraft:
    """A column in the making; `type_name` is the type's bare name where it may be one that the file defines."""

    name: str
    dtype: str = ""
    type_name: Name = ()
    is_array: bool = False
    nullable: bool = True
    default: str = ""
    generated: str = ""
    is_identity: bool = False
    allowed: tuple[str, ...] = ()
    base: str = ""
    description: str = ""


@dataclass(slots=True)
class KeyDraft:
    """A foreign key in the making; no `referred` columns: the other table's primary key."""

    columns: tuple[str, ...]
    table: Name
    referred: tuple[str, ...] = ()
    name: str = ""
    is_enforced: bool = True


@dataclass(slots=True)
class TableDraft:
    """A table in the making. `copies` are tables whose columns it takes over; `query` a view's text; `said` what
    statements of their own say of its columns; `is_keyed`: SQLite keeps it by its primary key (WITHOUT ROWID)."""

    name: Name
    kind: TableKind = "table"
    columns: dict[str, ColumnDraft] = field(default_factory=dict)
    primary_key: tuple[str, ...] = ()
    keys: list[KeyDraft] = field(default_factory=list)
    unique: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    description: str = ""
    query: str = ""
    view_columns: tuple[tuple[str, str], ...] = ()
    partition: str = ""
    part_of: Name = ()
    is_keyed: bool = False
    copies: list[Name] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    degraded: list[str] = field(default_factory=list)

    def add(self, column: ColumnDraft) -> None:
        """Add a column, or replace one of its name."""
        self.columns[column.name] = column

    def column(self, name: str) -> ColumnDraft | None:
        """The column of a name, else the only one that differs in case."""
        if name in self.columns:
            return self.columns[name]
        alike = [column for column in self.columns.values() if column.name.lower() == name.lower()]
        return alike[0] if len(alike) == 1 else None

    def key_names(self) -> dict[tuple[str, ...], str]:
        """The names of foreign keys by their columns, in lower case."""
        return {tuple(column.lower() for column in key.columns): key.name for key in self.keys}


@dataclass(slots=True)
class NamedType:
    """A type that the file defines: an enum's labels, a domain's base, its check."""

    labels: tuple[str, ...] = ()
    base: str = ""
    check: str = ""
    nullable: bool = True


@dataclass(slots=True)
class Catalog:
    """All that the statements read so far define. Names are compared as `same` makes them: case counts only where the dialect says so."""

    ignores_case: bool
    tables: dict[Name, TableDraft] = field(default_factory=dict)
    types: dict[Name, NamedType] = field(default_factory=dict)
    schema: str = ""
    unread: list[Unread] = field(default_factory=list)

    def same(self, name: Name) -> Name:
        """A name as it is compared, in full."""
        full = name if len(name) > 1 or not self.schema else (self.schema, *name)
        return tuple(part.lower() for part in full) if self.ignores_case else full

    def full(self, name: Name) -> Name:
        """A name with the schema that holds it, as far as that is known."""
        return name if len(name) > 1 or not self.schema else (self.schema, *name)

    def put(self, table: TableDraft) -> None:
        """Add a table; a later one of the name replaces it."""
        table.name = self.full(table.name)
        self.tables[self.same(table.name)] = table

    def find(self, name: Name) -> TableDraft | None:
        """The table that a name means: in its schema, else the only one of the bare name."""
        exact = self.tables.get(self.same(name)) or self.tables.get(tuple(part.lower() for part in name) if self.ignores_case else name)
        if exact:
            return exact
        bare = self.same(name)[-1]
        found = [table for key, table in self.tables.items() if key[-1] == bare and (len(name) == 1 or len(key) == 1)]
        return found[0] if len(found) == 1 else None

    def drop(self, name: Name) -> None:
        """Forget a table."""
        table = self.find(name)
        if table:
            del self.tables[self.same(table.name)]

    def rename(self, table: TableDraft, name: Name) -> None:
        """Give a table another name."""
        del self.tables[self.same(table.name)]
        table.name = name
        self.put(table)


@dataclass(slots=True)
class Reading:
    """A file set that is being read: the catalog so far, what waits for tables that are not there yet, what of tables could not be
    read, and where a place in the text of the statement stands."""

    catalog: Catalog
    lexicon: Lexicon
    where: Callable[[int], str] = lambda _: ""
    warnings: list[str] = field(default_factory=list)
    waiting: list[tuple[Callable[[], bool], str, str]] = field(default_factory=list)

    def warn_of(self, table: TableDraft, known: int, where: Callable[[], str]) -> None:
        """Warn of what was found broken in a table beyond the `known` first."""
        new = table.degraded[known:]
        if new:
            more = f", and {len(new) - 1} more" if len(new) > 1 else ""
            self.warnings.append(
                f"{where()}: {'.'.join(table.name)} was read without what is broken in it: {new[0]}{more}".removeprefix(": ")
            )

    def when_there(self, change: Callable[[], bool], name: str, what: str) -> None:
        """Make a change now or, where its table is not there yet, at the end."""
        if not change():
            self.waiting.append((change, name, what))
