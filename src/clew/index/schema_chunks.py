"""Which chunks does a schema have? Pure: a snapshot and what was added to it, in the order of the schema."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from clew.core.schema.cardinality import cardinality, junction
from clew.core.schema.chunks import ColumnChunk, DatasourceChunk, MetricChunk, RelationshipChunk, SchemaChunk, TableChunk
from clew.core.schema.contracts import Column, ForeignKey, Snapshot, Table
from clew.core.schema.meaning import Meanings, Metric, TableMeaning, Term
from clew.core.schema.naming import dotted, quoted

_Tables = Mapping[tuple[str, str], Table]


class SchemaDocument(NamedTuple):
    """Chunks that come and go together: of the datasource, of a table with its columns and keys, of its metrics."""

    path: str
    chunks: tuple[SchemaChunk, ...]


class _Terms(NamedTuple):
    """Business words by what they stand for: a table, a column of a table."""

    of_tables: Mapping[tuple[str, str], tuple[str, ...]]
    of_columns: Mapping[tuple[str, str, str], tuple[str, ...]]


def schema_documents(snapshot: Snapshot, meanings: Meanings) -> Iterator[SchemaDocument]:
    """Every chunk of the snapshot, the datasource's first, then table by table, then the metrics."""
    added = {(one.schema_name, one.table): one for one in meanings.tables}
    terms = _terms(snapshot, meanings.glossary)
    tables = {table.key: table for table in snapshot.tables}
    name = quoted(snapshot.datasource)
    yield SchemaDocument(name, (_datasource(snapshot, meanings),))
    for table in snapshot.tables:
        chunks = _of_table(snapshot, table, tables, added.get(table.key) or TableMeaning(table=table.name), terms)
        yield SchemaDocument(f"{name}.{dotted(*table.key)}", tuple(chunks))
    metrics = {one.name: one for one in meanings.metrics if one.datasource in ("", snapshot.datasource)}
    if metrics:
        yield SchemaDocument(f"{name}:metrics", tuple(_metric(snapshot, one) for one in metrics.values()))


def with_keys(snapshot: Snapshot, more: Iterable[tuple[int, ForeignKey]]) -> Snapshot:
    """The snapshot with more keys, each of the table at a place: those that nobody declared, marked as inferred, are relationships too."""
    added: defaultdict[int, list[ForeignKey]] = defaultdict(list)
    for place, key in more:
        added[place].append(key)
    if not added:
        return snapshot
    tables = tuple(
        table.model_copy(update={"foreign_keys": (*table.foreign_keys, *added[place])}) if place in added else table
        for place, table in enumerate(snapshot.tables)
    )
    return snapshot.model_copy(update={"tables": tables})


def _datasource(snapshot: Snapshot, meanings: Meanings) -> DatasourceChunk:
    return DatasourceChunk(
        datasource=snapshot.datasource,
        schema_version=snapshot.version,
        dialect=snapshot.dialect,
        description=snapshot.description,
        schemas=_unique(table.schema_name for table in snapshot.tables if table.schema_name),
        tables=_unique(table.name for table in snapshot.tables),
        domains=_unique(one.domain for one in meanings.tables if one.domain),
    )


def _of_table(snapshot: Snapshot, table: Table, tables: _Tables, added: TableMeaning, terms: _Terms) -> Iterator[SchemaChunk]:
    relationships = tuple(_relationships(snapshot, table, tables))
    yield TableChunk(
        datasource=snapshot.datasource,
        schema_version=snapshot.version,
        dialect=snapshot.dialect,
        description=_texts(table.description, added.description),
        synonyms=_unique((*added.synonyms, *terms.of_tables.get(table.key, ()))),
        schema_name=table.schema_name,
        table=table.name,
        table_kind=table.kind,
        columns=tuple(column.name for column in table.columns),
        primary_key=table.primary_key,
        keys=_key_summaries(table, relationships),
        row_count=table.row_count,
        domain=added.domain,
        questions=added.questions,
    )
    roles = _roles(table)
    for column in table.columns:
        yield _column(snapshot, table, column, added, terms, roles.get(column.name, ()))
    yield from relationships


def _column(snapshot: Snapshot, table: Table, column: Column, added: TableMeaning, terms: _Terms, keys: tuple[str, ...]) -> ColumnChunk:
    business = terms.of_columns.get((*table.key, column.name), ())
    return ColumnChunk(
        datasource=snapshot.datasource,
        schema_version=snapshot.version,
        dialect=snapshot.dialect,
        description=_texts(column.description, added.column_descriptions.get(column.name, "")),
        synonyms=_unique((*added.column_synonyms.get(column.name, ()), *business)),
        schema_name=table.schema_name,
        table=table.name,
        column=column.name,
        dtype=column.dtype,
        nullable=column.nullable,
        pii=column.pii,
        allowed=column.allowed,
        keys=keys,
        statistics=column.statistics,
    )


def _roles(table: Table) -> dict[str, tuple[str, ...]]:
    """To which keys each column belongs, in words."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in table.primary_key:
        found[name].append("primary key")
    for key in table.unique_keys:
        for name in key.columns if len(key.columns) == 1 else ():
            found[name].append("unique")
    for reference in table.foreign_keys:
        for name, other in zip(reference.columns, reference.referred_columns, strict=False):
            found[name].append(f"references {reference.referred_table}.{other}{_believed(reference.inferred)}")
    return {name: _unique(roles) for name, roles in found.items()}


def _relationships(snapshot: Snapshot, table: Table, tables: _Tables) -> Iterator[RelationshipChunk]:
    """A chunk for each key; two keys of one name and the same columns are one, two of other names are two."""
    seen: dict[str, RelationshipChunk] = {}
    for key in table.foreign_keys:
        made = _relationship(snapshot, table, key, tables)
        if made.name in seen and made.constraint != seen[made.name].constraint:
            made = made.model_copy(update={"is_named": True})
        if made.name not in seen:
            seen[made.name] = made
            yield made


def _relationship(snapshot: Snapshot, table: Table, key: ForeignKey, tables: _Tables) -> RelationshipChunk:
    return RelationshipChunk(
        datasource=snapshot.datasource,
        schema_version=snapshot.version,
        dialect=snapshot.dialect,
        schema_name=table.schema_name,
        table=table.name,
        columns=key.columns,
        referred_schema=key.referred_schema,
        referred_table=key.referred_table,
        referred_columns=key.referred_columns,
        constraint=key.name,
        cardinality=cardinality(table, key, tables.get((key.referred_schema, key.referred_table))),
        inferred=key.inferred,
    )


def _key_summaries(table: Table, relationships: Sequence[RelationshipChunk]) -> tuple[str, ...]:
    """What its keys are, a line each: unique ones, those to other tables, and whether it joins two tables many to many."""
    unique = (f"unique: {', '.join(key.columns)}" for key in table.unique_keys)
    others = (
        f"{', '.join(one.columns)} references {one.referred_table} ({', '.join(one.referred_columns)}){_believed(one.inferred)}"
        for one in relationships
    )
    joined = junction(table)
    joins = (f"joins {joined[0].referred_table} and {joined[1].referred_table}, many-to-many",) if joined else ()
    return _unique((*unique, *others, *joins))


def _metric(snapshot: Snapshot, metric: Metric) -> MetricChunk:
    return MetricChunk(
        datasource=snapshot.datasource,
        schema_version=snapshot.version,
        dialect=snapshot.dialect,
        description=metric.definition,
        synonyms=metric.synonyms,
        metric=metric.name,
        expression=metric.expression,
        grain=metric.grain,
        dimensions=metric.dimensions,
        tables=metric.tables,
        columns=metric.columns,
        filter=metric.filter,
        source=metric.source,
    )


def _terms(snapshot: Snapshot, glossary: Sequence[Term]) -> _Terms:
    """The glossary's words and their synonyms by table and column; `table` may be bare, with its schema, or in another case."""
    tables: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    columns: defaultdict[tuple[str, str, str], list[str]] = defaultdict(list)
    by_name: defaultdict[str, list[Table]] = defaultdict(list)
    for table in snapshot.tables if glossary else ():
        for name in {table.name.casefold(), table.full_name.casefold()}:
            by_name[name].append(table)
    for term in glossary:
        if term.datasource not in ("", snapshot.datasource):
            continue
        words = (term.term, *term.synonyms)
        if term.table and not term.columns:
            for table in by_name.get(term.table.casefold(), ()):
                tables[table.key] += words
        for named in term.columns:
            owner, _, bare = named.rpartition(".")
            for table in by_name.get((owner or term.table).casefold(), ()):
                for column in table.columns:
                    if column.name.casefold() == bare.casefold():
                        columns[(*table.key, column.name)] += words
    return _Terms({key: tuple(words) for key, words in tables.items()}, {key: tuple(words) for key, words in columns.items()})


def _believed(inferred: str) -> str:
    return ", inferred" if inferred else ""


def _texts(*texts: str) -> str:
    """Descriptions after each other, none twice."""
    return "\n".join(_unique(text for text in texts if text))


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
