"""What do people mean by a schema? Metrics, glossary and enrichment: what no database declares."""

from __future__ import annotations

from pydantic import Field

from clew.core.schema.contracts import Contract


class Metric(Contract):
    """A number that a business reckons with. `expression` is SQL or a formula over other metrics; `tables` are the `schema.table` or bare names it
    is made from, `columns` `table.column`; `grain` is what one value of it is for (`day`, `customer`)."""

    name: str
    datasource: str = ""
    definition: str = ""
    expression: str = ""
    grain: tuple[str, ...] = ()
    dimensions: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()
    filter: str = ""
    source: str = ""


class Term(Contract):
    """A business word and what it stands for: a table, columns, a value of a column, a condition in SQL. Any of them may be left out."""

    term: str
    synonyms: tuple[str, ...] = ()
    datasource: str = ""
    table: str = ""
    columns: tuple[str, ...] = ()
    value: str = ""
    condition: str = ""
    description: str = ""


class TableMeaning(Contract):
    """What a language model or a person added to a table: by exact name, columns too. Never structure, always marked as added."""

    schema_name: str = ""
    table: str
    description: str = ""
    synonyms: tuple[str, ...] = ()
    domain: str = ""
    questions: tuple[str, ...] = ()
    column_descriptions: dict[str, str] = Field(default_factory=dict)
    column_synonyms: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class Meanings(Contract):
    """All that was added to one datasource."""

    tables: tuple[TableMeaning, ...] = ()
    metrics: tuple[Metric, ...] = ()
    glossary: tuple[Term, ...] = ()
