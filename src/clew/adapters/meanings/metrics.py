"""Which metrics does a file define? In dbt's semantic layer (MetricFlow), in models with their own metrics, or in clew's short form:

metrics:
  net revenue:
    definition: What was paid, less refunds.
    expression: sum(orders.paid) - sum(orders.refunded)
    grain: day
    synonyms: [turnover]
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clew.adapters.meanings.entries import Entry, Warn, documents, each
from clew.adapters.meanings.expressions import columns_of, qualified
from clew.adapters.meanings.metricflow import Resolving
from clew.adapters.meanings.semantic_models import Given, Layer, gather
from clew.core.schema.meaning import Metric

_log = logging.getLogger("clew.databases")


def read_metrics(path: Path | str, warn: Warn = _log.warning) -> tuple[Metric, ...]:
    """The metrics of a YAML file, or of all in a folder, in order of their names' first appearance; of two of one name the first counts.

    What is wrong is told to `warn`, with the file's and the metric's name, and the rest is taken. Raises UsageError for a path that is not there.
    """
    layer = Layer()
    short: dict[str, Metric] = {}
    order: dict[str, None] = {}
    for name, content in documents(Path(path), warn):
        for label, value in each(content.get("metrics"), "metric", name, warn):
            where = f"{name}: metric {label[:80]!r}"
            if label in order:
                warn(f"{where}: defined twice, the first definition counts")
                continue
            said = value if isinstance(value, Mapping) else {"expression": value}
            if "type" in said or "type_params" in said:
                layer.metrics[label] = Given(said, where, name)
            elif made := _short(label, said, name, where, warn):
                short[label] = made
            else:
                continue
            order[label] = None
        gather(layer, content, name, warn)
    resolved = Resolving(layer, short, warn).all()
    return tuple(resolved[name] for name in dict.fromkeys((*order, *resolved)) if name in resolved)


def _short(label: str, value: Mapping[Any, Any], source: str, where: str, warn: Warn) -> Metric | None:
    """clew's own form; tables and columns that are not given are those of the expression."""
    entry = Entry(value, where, warn)
    entry.raw("name")
    expression, condition = entry.text("expression", "expr", "sql"), entry.text("filter", "condition", "where")
    tables = entry.names("tables", "table")
    columns = tuple(qualified(tables, name) for name in entry.names("columns", "column"))
    derived = columns or columns_of(expression, tables)
    metric = Metric(
        name=label,
        datasource=entry.text("datasource", "database"),
        definition=entry.text("definition", "description"),
        expression=expression,
        grain=entry.names("grain"),
        dimensions=tuple(qualified(tables, name) for name in entry.names("dimensions")),
        tables=tables or tuple(dict.fromkeys(name.rpartition(".")[0] for name in derived if "." in name)),
        columns=derived,
        synonyms=entry.names("synonyms", "synonym", "label"),
        filter=condition,
        source=source,
    )
    entry.finish()
    if not (metric.definition or metric.expression or metric.columns or metric.tables):
        entry.warn("it says neither what it means nor of what it is made, and is left out")
        return None
    return metric
