"""What of a schema is embedded and found? A datasource, its tables, columns, relationships and metrics, each a chunk with an id of its own.

A page's text never holds the version, nor values of rows: a text that did not change is not embedded again, and what an index keeps may be seen by all
who may see the structure. Its first line says inside of what, its second what it is: an embedder weighs both more than the rest.
"""

from __future__ import annotations

from typing import ClassVar

from clew.core.schema.cardinality import Cardinality
from clew.core.schema.contracts import ColumnStatistics, Contract
from clew.core.schema.naming import Kind, chunk_id, dotted, quoted, relationship_name

Metadata = dict[str, str | int | float | bool | list[str] | None]

_MOST_NAMES = 400
"""Tables or columns that one text names: more take each other's weight, and every one has a text of its own."""

LONGEST = 8_000
"""Characters of one part of a text: a comment may be a whole manual, of which an embedding would keep nothing."""


class SchemaChunk(Contract):
    """A part of one version of a datasource's schema. `id` is a function of what it names and the version."""

    kind: ClassVar[Kind]
    datasource: str
    schema_version: str
    dialect: str = ""
    description: str = ""
    synonyms: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What stands in its id, between kind and version."""
        raise NotImplementedError

    @property
    def id(self) -> str:
        """`schema.<kind>:<name>:<version>`."""
        return chunk_id(self.kind, self.name, self.schema_version)

    def get_page_content(self) -> str:
        """The text that is embedded, lines that say nothing left out."""
        return "\n".join(line for line in map(_one_line, self._lines()) if line)

    def get_metadata(self, *, may_see_samples: bool = False) -> Metadata:
        """What is known of it, as JSON takes it; values of rows only for who may see them."""
        common: Metadata = {
            "id": self.id,
            "kind": self.kind,
            "datasource_id": self.datasource,
            "schema_version": self.schema_version,
            "dialect": self.dialect,
            "description": self.description,
            "synonyms": list(self.synonyms),
        }
        return common | self._metadata(may_see_samples=may_see_samples)

    def _lines(self) -> tuple[str, ...]:
        raise NotImplementedError

    def _metadata(self, *, may_see_samples: bool) -> Metadata:
        raise NotImplementedError


class DatasourceChunk(SchemaChunk):
    """A whole database: by it a question finds the one it is about."""

    kind = "datasource"
    schemas: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return quoted(self.datasource)

    def _lines(self) -> tuple[str, ...]:
        return (
            self.datasource,
            f"datasource {self.datasource} {self.dialect}",
            self.description,
            _listed("domains", self.domains),
            _listed("also called", self.synonyms),
            _listed("schemas", self.schemas),
            _listed("tables", self.tables),
        )

    def _metadata(self, *, may_see_samples: bool) -> Metadata:
        return {"schemas": list(self.schemas), "table_count": len(self.tables), "domains": list(self.domains)}


class TableChunk(SchemaChunk):
    """A table or view. `keys` are its keys in words; `row_count` is None where nobody counted."""

    kind = "table"
    schema_name: str = ""
    table: str
    table_kind: str = "table"
    columns: tuple[str, ...] = ()
    primary_key: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    row_count: int | None = None
    domain: str = ""
    questions: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return dotted(self.schema_name, self.table)

    def _lines(self) -> tuple[str, ...]:
        return (
            self.datasource,
            f"{self.table_kind.replace('_', ' ')} {_full(self.schema_name, self.table)}",
            self.description,
            self.domain,
            _listed("also called", self.synonyms),
            _listed("columns", self.columns),
            _listed("primary key", self.primary_key),
            "\n".join(self.keys),
            "\n".join(self.questions),
        )

    def _metadata(self, *, may_see_samples: bool) -> Metadata:
        return {
            "schema": self.schema_name,
            "table": self.table,
            "table_kind": self.table_kind,
            "columns": list(self.columns),
            "primary_key": list(self.primary_key),
            "keys": list(self.keys),
            "row_count": self.row_count,
            "domain": self.domain,
            "questions": list(self.questions),
        }


class ColumnChunk(SchemaChunk):
    """A column. `keys` says in words to which keys it belongs."""

    kind = "column"
    schema_name: str = ""
    table: str
    column: str
    dtype: str = ""
    nullable: bool = True
    pii: str = ""
    allowed: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    statistics: ColumnStatistics | None = None

    @property
    def name(self) -> str:
        # A column of a table without a schema has two names, one with a schema has three: an empty name of a table stays.
        return f"{dotted(self.schema_name, self.table)}.{quoted(self.column)}"

    def _lines(self) -> tuple[str, ...]:
        return (
            _full(self.schema_name, self.table),
            f"column {self.column} {self.dtype}",
            self.description,
            _listed("also called", self.synonyms),
            _listed("one of", self.allowed),
            "\n".join(self.keys),
        )

    def _metadata(self, *, may_see_samples: bool) -> Metadata:
        found: Metadata = {
            "schema": self.schema_name,
            "table": self.table,
            "column": self.column,
            "dtype": self.dtype,
            "nullable": self.nullable,
            "pii": self.pii,
            "allowed": list(self.allowed),
            "keys": list(self.keys),
        }
        if self.statistics is None:
            return found
        known = self.statistics
        found |= {"sampled_rows": known.sampled_rows, "null_share": known.null_share, "distinct": known.distinct}
        if may_see_samples:
            found |= {"minimum": known.minimum, "maximum": known.maximum, "samples": list(known.samples)}
        return found


class RelationshipChunk(SchemaChunk):
    """A key that refers from one table to another. `inferred` says why an undeclared one is believed."""

    kind = "relationship"
    schema_name: str = ""
    table: str
    columns: tuple[str, ...]
    referred_schema: str = ""
    referred_table: str
    referred_columns: tuple[str, ...]
    constraint: str = ""
    cardinality: Cardinality = ""
    inferred: str = ""
    is_named: bool = False

    @property
    def name(self) -> str:
        ends = (self.schema_name, self.table), self.columns, (self.referred_schema, self.referred_table), self.referred_columns
        return relationship_name(*ends) + (f"[{quoted(self.constraint)}]" if self.is_named else "")

    @property
    def pairs(self) -> tuple[str, ...]:
        """`orders.customer_id = customers.id`, a pair of columns each."""
        left, right = _full(self.schema_name, self.table), _full(self.referred_schema, self.referred_table)
        return tuple(f"{left}.{a} = {right}.{b}" for a, b in zip(self.columns, self.referred_columns, strict=False))

    def _lines(self) -> tuple[str, ...]:
        return (
            _full(self.schema_name, self.table),
            f"relationship {self.table} to {self.referred_table}",
            self.description,
            "\n".join(self.pairs),
            self.cardinality,
        )

    def _metadata(self, *, may_see_samples: bool) -> Metadata:
        return {
            "schema": self.schema_name,
            "table": self.table,
            "referred_schema": self.referred_schema,
            "referred_table": self.referred_table,
            "column_pairs": list(self.pairs),
            "constraint": self.constraint,
            "cardinality": self.cardinality,
            "inferred": self.inferred,
        }


class MetricChunk(SchemaChunk):
    """A number that a business reckons with; `description` is its definition in words."""

    kind = "metric"
    metric: str
    expression: str = ""
    grain: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    filter: str = ""
    source: str = ""

    @property
    def name(self) -> str:
        return quoted(self.metric)

    def _lines(self) -> tuple[str, ...]:
        return (
            self.datasource,
            f"metric {self.metric}",
            self.description,
            _listed("also called", self.synonyms),
            self.expression,
            _listed("for each", self.grain),
            _listed("by", self.dimensions),
            _listed("from", (*self.tables, *self.columns)),
            self.filter,
        )

    def _metadata(self, *, may_see_samples: bool) -> Metadata:
        return {
            "name": self.metric,
            "definition": self.description,
            "expression": self.expression,
            "grain": list(self.grain),
            "dimensions": list(self.dimensions),
            "tables": list(self.tables),
            "columns": list(self.columns),
            "filter": self.filter,
            "source": self.source,
        }


def _full(schema_name: str, name: str) -> str:
    return f"{schema_name}.{name}" if schema_name else name


def _listed(title: str, names: tuple[str, ...]) -> str:
    return f"{title}: {', '.join(names[:_MOST_NAMES])}" if names else ""


def _one_line(text: str) -> str:
    """Without empty lines at its ends, and no longer than anybody writes; a NUL, which no store takes in a text, is a blank."""
    return text[:LONGEST].replace("\0", " ").strip()
