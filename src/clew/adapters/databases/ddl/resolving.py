"""How do drafts become a snapshot's tables? Copies are filled, types and keys are followed to what the files define, names made exact."""

from __future__ import annotations

import re

from clew.adapters.databases.ddl.drafts import Catalog, ColumnDraft, KeyDraft, Name, NamedType, TableDraft
from clew.adapters.databases.ddl.lexicon import Lexicon
from clew.adapters.databases.ddl.views import fill_view
from clew.core.schema.contracts import Check, Column, ForeignKey, Table, UniqueKey

# What bare names mean where a file qualifies other names and says nothing else.
DEFAULT_SCHEMAS = {"postgres": "public", "redshift": "public", "duckdb": "main", "tsql": "dbo", "fabric": "dbo", "snowflake": "PUBLIC"}
_VALUE = re.compile(r"\bVALUE\b", re.IGNORECASE)


def resolve(catalog: Catalog, lexicon: Lexicon) -> tuple[tuple[Table, ...], str]:
    """The tables in order of their keys, and the schema that bare names mean."""
    default = _settle_schema(catalog, lexicon)
    for table in catalog.tables.values():
        _fill_copies(table, catalog, set())
    for table in _in_order_of_need(catalog):
        if table.query and not table.columns:
            fill_view(table, lexicon.dialect, lexicon.fold, catalog.find)
    tables = [_frozen(table, catalog, lexicon.dialect) for table in catalog.tables.values()]
    return tuple(sorted(tables, key=lambda table: table.key)), default


def _settle_schema(catalog: Catalog, lexicon: Lexicon) -> str:
    """Where some names have a schema, those without get the default one."""
    schemas = {name[0] for name in catalog.tables if len(name) > 1}
    if not schemas:
        return ""
    default = DEFAULT_SCHEMAS.get(lexicon.dialect, "") or (next(iter(schemas)) if len(schemas) == 1 else "")
    for table in [table for table in catalog.tables.values() if len(table.name) == 1 and default]:
        catalog.rename(table, (default, *table.name))
    return catalog.schema or default


def _fill_copies(table: TableDraft, catalog: Catalog, seen: set[Name]) -> None:
    """Columns taken over by LIKE, INHERITS and PARTITION OF come first, as the database has them."""
    if not table.copies or table.name in seen:
        return
    seen.add(table.name)
    taken: dict[str, ColumnDraft] = {}
    for name in table.copies:
        other = catalog.find(name)
        if other is None:
            table.degraded.append(f"columns of {'.'.join(name)} are not known")
            continue
        _fill_copies(other, catalog, seen)
        taken |= other.columns
        if table.part_of:
            table.primary_key = table.primary_key or other.primary_key
            table.keys = table.keys or list(other.keys)
            table.description = table.description or other.description
    table.columns = taken | table.columns
    table.copies = []


def _in_order_of_need(catalog: Catalog) -> list[TableDraft]:
    """Views after the views that their text names."""
    views = {table.name: table for table in catalog.tables.values() if table.query}
    placed: dict[Name, TableDraft] = {}

    def place(view: TableDraft, above: frozenset[Name]) -> None:
        if view.name in placed or view.name in above:
            return
        words = set(re.findall(r"[\w$]+", view.query.lower()))
        for other in views.values():
            if other is not view and other.name[-1].lower() in words and len(above) < 50:
                place(other, above | {view.name})
        placed[view.name] = view

    for view in views.values():
        place(view, frozenset())
    return list(placed.values())


def _frozen(table: TableDraft, catalog: Catalog, dialect: str) -> Table:
    described = {(found.name if (found := table.column(name)) else name): text for name, text in table.said.items()}
    columns, checks = [], list(table.checks)
    never_null = _never_null(table, dialect)
    primary_key = tuple(_exact(table, name) for name in table.primary_key)
    for draft in table.columns.values():
        made = catalog.types.get(catalog.same(draft.type_name)) or catalog.types.get(draft.type_name[-1:]) if draft.type_name else None
        if made and made.check and not draft.is_array:
            checks.append(Check(text=_VALUE.sub(f'"{draft.name}"', made.check), description=f"of type {draft.dtype}"))
        columns.append(_column(draft, made, described.get(draft.name, draft.description), draft.name in never_null))
    degraded = list(table.degraded)
    keys = [_key(key, table, catalog, degraded) for key in table.keys]
    return Table(
        schema_name=table.name[-2] if len(table.name) > 1 else "",
        name=table.name[-1],
        kind=table.kind,
        columns=tuple(columns),
        primary_key=primary_key,
        foreign_keys=tuple(key for key in keys if key),
        unique_keys=tuple(UniqueKey(columns=tuple(_exact(table, name) for name in names), name=name_) for name_, names in table.unique),
        checks=tuple(checks),
        description=table.description,
        definition=table.query,
        partition=table.partition,
        degraded=tuple(degraded),
    )


def _never_null(table: TableDraft, dialect: str) -> tuple[str, ...]:
    """Columns that a primary key keeps from being NULL. SQLite lets them be, but for a single INTEGER and tables WITHOUT ROWID."""
    key = tuple(_exact(table, name) for name in table.primary_key)
    if dialect != "sqlite" or table.is_keyed:
        return key
    return key if len(key) == 1 and key[0] in table.columns and table.columns[key[0]].dtype.upper() == "INTEGER" else ()


def _column(draft: ColumnDraft, made: NamedType | None, description: str, is_key: bool) -> Column:
    is_serial = draft.default.lower().startswith("nextval(") and not draft.generated
    return Column(
        name=draft.name,
        dtype=draft.dtype,
        nullable=draft.nullable and not is_key and (made is None or made.nullable),
        default="" if is_serial else draft.default,
        generated=draft.generated,
        is_identity=draft.is_identity or is_serial,
        allowed=draft.allowed or (made.labels if made else ()),
        base=draft.base or (made.base if made else ""),
        description=description,
    )


def _exact(table: TableDraft, name: str) -> str:
    column = table.column(name)
    return column.name if column else name


def _key(key: KeyDraft, table: TableDraft, catalog: Catalog, degraded: list[str]) -> ForeignKey | None:
    other = (
        catalog.find(key.table)
        if len(key.table) > 1
        else catalog.tables.get(catalog.same((*table.name[:-1], *key.table))) or catalog.find(key.table)
    )
    referred = tuple(_exact(other, name) for name in key.referred or other.primary_key) if other else key.referred
    full = other.name if other else catalog.full(key.table)
    if other and len(referred) != len(key.columns):
        degraded.append(f"the key ({', '.join(key.columns)}) to {'.'.join(full)} ({', '.join(referred)}) has no pairs")
        return None
    return ForeignKey(
        columns=tuple(_exact(table, name) for name in key.columns),
        referred_schema=full[-2] if len(full) > 1 else "",
        referred_table=full[-1],
        referred_columns=referred,
        name=key.name,
        is_external=other is None,
        is_enforced=key.is_enforced,
    )
