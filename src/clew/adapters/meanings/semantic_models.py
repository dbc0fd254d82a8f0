"""Which tables, columns and measures does dbt's semantic layer know? Semantic models, and models that carry dimensions and metrics themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from clew.adapters.meanings.entries import Entry, Warn, as_text, each
from clew.adapters.meanings.expressions import columns_of, qualified

_REF = re.compile(r"['\"]([^'\"]+)['\"]\s*\)\s*\}*\s*$")
"""The last name in `ref('orders')` and `source('shop', 'orders')`."""
AGGREGATES = {
    "sum": "sum({})", "count": "count({})", "count_distinct": "count(distinct {})", "average": "avg({})", "avg": "avg({})", "min": "min({})",
    "max": "max({})", "median": "median({})", "percentile": "percentile({})", "sum_boolean": "sum(case when {} then 1 else 0 end)",
}  # fmt: skip
_PASSED_OVER = ("name", "label", "config", "meta", "agg_params", "create_metric", "non_additive_dimension", "use_approximate_percentile")
"""Keys of a measure that say nothing about what it is made from."""


class Model(NamedTuple):
    """A semantic model: its table, and its columns by what dimensions and entities are called."""

    table: str
    columns: Mapping[str, str]
    grain: tuple[str, ...]
    dimensions: tuple[str, ...]


class Measure(NamedTuple):
    """A column that is aggregated."""

    model: Model
    expression: str
    columns: tuple[str, ...]
    definition: str = ""
    label: str = ""
    is_metric: bool = False


class Given(NamedTuple):
    """A metric as it was read, where that was, and the model that it stands in, if it stands in one."""

    value: Mapping[Any, Any]
    where: str
    source: str
    model: Model | None = None


@dataclass(slots=True)
class Layer:
    """All files together: a metric may be made from what stands in another one."""

    models: list[Model] = field(default_factory=list)
    measures: dict[str, Measure] = field(default_factory=dict)
    metrics: dict[str, Given] = field(default_factory=dict)


def gather(layer: Layer, content: Mapping[Any, Any], source: str, warn: Warn) -> None:
    """Take in what a file says of semantic models, and the metrics that stand in models."""
    for name, value in each(content.get("semantic_models"), "semantic model", source, warn):
        if isinstance(value, Mapping):
            _semantic_model(layer, name, value, f"{source}: semantic model {name[:80]!r}", warn)
        else:
            warn(f"{source}: semantic model {name[:80]!r}: nothing is said of it")
    models = content.get("models")
    for value in models if isinstance(models, list) else ():
        if isinstance(value, Mapping) and (value.get("semantic_model") or value.get("metrics")):
            _model_with_metrics(layer, value, source, warn)


def measured(model: Model, label: str, entry: Entry) -> Measure:
    """What an aggregation over a model's table is, as SQL, and of which columns."""
    for key in _PASSED_OVER:
        entry.raw(key)
    aggregate, inside = entry.text("agg").lower(), entry.text("expr") or label
    if aggregate not in AGGREGATES:
        entry.warn(f"its aggregation is {aggregate[:40]!r}, not one of {', '.join(AGGREGATES)}")
    time = entry.text("agg_time_dimension")
    columns = dict.fromkeys(columns_of(inside, (model.table,)))
    if time:
        columns[qualified((model.table,), model.columns.get(time, time))] = None
    expression = AGGREGATES.get(aggregate, "{}").format(inside)
    return Measure(model, expression, tuple(columns), entry.text("description"), entry.text("label"), entry.raw("create_metric") is True)


def _semantic_model(layer: Layer, name: str, value: Mapping[Any, Any], where: str, warn: Warn) -> None:
    parts = [(kind, label, one) for kind in ("entities", "dimensions") for label, one in each(value.get(kind), kind, where, warn)]
    columns = {label: (as_text(one.get("expr")) if isinstance(one, Mapping) else None) or label for _, label, one in parts}
    default = value.get("defaults")
    _with_time(columns, as_text(default.get("agg_time_dimension")) if isinstance(default, Mapping) else None)
    table = _table(value) or name
    dimensions = tuple(f"{table}.{columns[label]}" for kind, label, _ in parts if kind == "dimensions" and columns[label].isidentifier())
    model = Model(table, columns, _grain(one for *_, one in parts), dimensions)
    layer.models.append(model)
    for label, one in each(value.get("measures"), "measure", where, warn):
        entry = Entry(one if isinstance(one, Mapping) else {}, f"{where}: measure {label[:80]!r}", warn)
        layer.measures.setdefault(label, measured(model, label, entry))
        entry.finish()


def _model_with_metrics(layer: Layer, value: Mapping[Any, Any], source: str, warn: Warn) -> None:
    """A dbt model whose columns are dimensions and entities, and which has metrics of its own."""
    table = as_text(value.get("name")) or ""
    where = f"{source}: model {table[:80]!r}"
    listed = list(each(value.get("columns"), "column", where, warn))
    said = [
        (label, kind, one[kind]) for label, one in listed if isinstance(one, Mapping) for kind in ("entity", "dimension") if one.get(kind)
    ]
    columns = {(as_text(what.get("name")) if isinstance(what, Mapping) else None) or label: label for label, _, what in said}
    _with_time(columns, as_text(value.get("agg_time_dimension")))
    dimensions = tuple(f"{table}.{label}" for label, kind, _ in said if kind == "dimension")
    model = Model(table, columns, _grain(one for _, one in listed), dimensions)
    layer.models.append(model)
    for label, one in each(value.get("metrics"), "metric", where, warn):
        if isinstance(one, Mapping):
            layer.metrics.setdefault(label, Given(one, f"{where}: metric {label[:80]!r}", source, model))


def _with_time(columns: dict[str, str], time: str | None) -> None:
    """`metric_time` is what a filter calls the model's time."""
    if time:
        columns["metric_time"] = columns.get(time, time)


def _table(value: Mapping[Any, Any]) -> str:
    """`ref('orders')`, or dbt's parsed form of it."""
    relation = value.get("node_relation")
    if isinstance(relation, Mapping):
        parts = (as_text(relation.get("schema_name")), as_text(relation.get("alias")))
        return ".".join(part for part in parts if part)
    model = as_text(value.get("model")) or ""
    found = _REF.search(model)
    return found[1] if found else model


def _grain(dimensions: Iterator[Any]) -> tuple[str, ...]:
    """The granularity of the dimensions of time."""
    found = []
    for one in dimensions:
        if isinstance(one, Mapping):
            params = one.get("type_params")
            said = params.get("time_granularity") if isinstance(params, Mapping) else one.get("granularity")
            found.append(as_text(said) or "")
    return tuple(dict.fromkeys(name for name in found if name))
