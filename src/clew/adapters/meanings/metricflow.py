"""What is a metric of dbt's semantic layer made from? From measures and from other metrics, down to tables, columns and SQL."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from clew.adapters.meanings.entries import Entry, Warn
from clew.adapters.meanings.expressions import plain
from clew.adapters.meanings.semantic_models import Given, Layer, Measure, Model, measured
from clew.core.schema.meaning import Metric

_DEEPEST = 30
"""Metrics made from metrics: deeper than this nobody follows."""
_LONGEST = 2_000
"""Characters of an expression with its parts put in; a longer one keeps their names."""
_PASSED_OVER = (
    "name", "meta", "config", "version", "time_granularity", "hidden", "percentile", "percentile_type", "use_discrete_percentile",
    "use_approximate_percentile", "fill_nulls_with", "join_to_timespine", "non_additive_dimension", "period_agg",
)  # fmt: skip
_WORD = re.compile(r"[A-Za-z_]\w*")


class _Input(NamedTuple):
    """What a metric is made from: by name, called so in a formula, under a condition."""

    name: str
    alias: str = ""
    filter: str = ""


class Resolving:
    """Works out every metric of a layer, each once."""

    def __init__(self, layer: Layer, known: Mapping[str, Metric], warn: Warn) -> None:
        self._layer = layer
        self._warn = warn
        self._made = dict(known)
        self._busy: list[str] = []

    def all(self) -> dict[str, Metric]:
        """Every metric by name, those that stand for a measure among them."""
        for name in self._layer.metrics:
            self._metric(name)
        for name, measure in self._layer.measures.items():
            if measure.is_metric and name not in self._made:
                label = (measure.label,) if measure.label else ()
                self._made[name] = _of_measure(name, measure).model_copy(update={"synonyms": label})
        return self._made

    def _metric(self, name: str) -> Metric | None:
        if name in self._made:
            return self._made[name]
        given = self._layer.metrics.get(name)
        if given is None or name in self._busy or len(self._busy) >= _DEEPEST:
            return None
        self._busy.append(name)
        entry = Entry(given.value, given.where, self._warn)
        made = self._resolved(name, given, entry)
        self._busy.pop()
        if made is None:
            entry.warn("what it is made from is not defined, or is itself; it is left out")
            return None
        entry.finish()
        self._made[name] = made
        return made

    def _resolved(self, name: str, given: Given, entry: Entry) -> Metric | None:
        for key in _PASSED_OVER:
            entry.raw(key)
        kind = entry.text("type").lower() or "simple"
        params = _params(entry)
        inputs = () if "agg" in params and given.model else _inputs(kind, params)
        parts: list[Metric] = []
        if given.model is not None and not inputs:
            parts = [_of_measure(name, measured(given.model, name, params))]
        for one in inputs:
            part = self._part(one.name, is_measure=kind in ("simple", "cumulative", "conversion"))
            if part is None:
                return None
            parts.append(part)
        if not parts:
            return None
        meta = _meta(given.value)
        models = [model for model in self._layer.models if any(model.table in part.tables for part in parts)]
        filters = [*entry.names("filter"), *params.names("filter"), *(one.filter for one in inputs)]
        notes = (entry.text("description"), _note(kind, params))
        return Metric(
            name=name,
            datasource=Entry(meta, given.where, self._warn).text("datasource"),
            definition=" ".join(note for note in notes if note),
            expression=_expression(kind, params, parts, inputs),
            grain=_unique(name for part in parts for name in part.grain),
            dimensions=_unique(name for part in parts for name in part.dimensions),
            tables=_unique(name for part in parts for name in part.tables),
            columns=_unique(name for part in parts for name in part.columns),
            synonyms=_unique((*entry.names("label"), *Entry(meta, given.where, self._warn).names("synonyms"))),
            filter=" AND ".join(_unique([*(plain(one, _column_in(models)) for one in filters if one), *(part.filter for part in parts)])),
            source=given.source,
        )

    def _part(self, name: str, *, is_measure: bool) -> Metric | None:
        """A measure or a metric of that name; which one is looked for first depends on who asks."""
        measure = self._layer.measures.get(name)
        if is_measure and measure is not None:
            return _of_measure(name, measure)
        return self._metric(name) or (_of_measure(name, measure) if measure is not None else None)


def _params(entry: Entry) -> Entry:
    """`type_params` and what newer files write beside it, as one."""
    given = entry.raw("type_params")
    beside = {key: entry.raw(key) for key in ("agg", "expr", "agg_time_dimension", *_INPUTS, *_WINDOWS) if key in entry}
    nested = given if isinstance(given, Mapping) else {}
    inner: dict[Any, Any] = {}
    for key in ("cumulative_type_params", "conversion_type_params", "metric_aggregation_params"):
        value = nested.get(key)
        inner |= value if isinstance(value, Mapping) else {}
    return Entry({**inner, **nested, **beside}, "", lambda _: None)


_INPUTS = (
    "measure", "measures", "numerator", "denominator", "metrics", "input_metrics", "input_metric", "base_measure", "base_metric",
    "conversion_measure", "conversion_metric",
)  # fmt: skip
_WINDOWS = ("window", "grain_to_date", "entity", "calculation")


def _inputs(kind: str, params: Entry) -> tuple[_Input, ...]:
    """What a metric is made from, in the order in which its formula has it."""
    keys = {
        "simple": ("measure",),
        "ratio": ("numerator", "denominator"),
        "derived": ("metrics", "input_metrics"),
        "cumulative": ("measure", "input_metric"),
        "conversion": ("conversion_measure", "conversion_metric", "base_measure", "base_metric"),
    }.get(kind, _INPUTS)
    found: list[_Input] = []
    for key in keys:
        value = params.raw(key)
        items = value if isinstance(value, list) else [value] if value is not None else []
        for item in items:
            one = Entry(item if isinstance(item, Mapping) else {"name": item}, "", lambda _: None)
            found.append(_Input(one.text("name"), one.text("alias"), " AND ".join(one.names("filter"))))
    return tuple(one for one in found if one.name)


def _expression(kind: str, params: Entry, parts: Sequence[Metric], inputs: Sequence[_Input]) -> str:
    if kind in ("ratio", "conversion") and len(parts) > 1:
        return _short_enough(f"({parts[0].expression}) / ({parts[1].expression})", f"{parts[0].name} / {parts[1].name}")
    if kind == "derived":
        formula = params.text("expr")
        called = {one.alias or one.name: part.expression for one, part in zip(inputs, parts, strict=True)}
        return _short_enough(_WORD.sub(lambda word: f"({called[word[0]]})" if word[0] in called else word[0], formula), formula)
    return parts[0].expression


def _short_enough(whole: str, named: str) -> str:
    return whole if len(whole) <= _LONGEST else named


def _note(kind: str, params: Entry) -> str:
    """What a formula cannot say."""
    window, since, entity = params.text("window"), params.text("grain_to_date"), params.text("entity")
    if kind == "cumulative":
        return f"Cumulative over {window}." if window else f"Cumulative since the start of the {since}." if since else "Cumulative."
    if kind == "conversion":
        return f"Share of {entity or 'events'} that convert{f' within {window}' if window else ''}."
    return ""


def _of_measure(name: str, measure: Measure) -> Metric:
    model = measure.model
    return Metric(
        name=name,
        definition=measure.definition,
        expression=measure.expression,
        grain=model.grain,
        dimensions=model.dimensions,
        tables=(model.table,) if model.table else (),
        columns=measure.columns,
    )


def _column_in(models: Sequence[Model]) -> Any:
    """What a filter means by `order__status`: the column of that dimension."""

    def column(reference: str) -> str:
        name = reference.rpartition("__")[2]
        return next((model.columns[name] for model in models if name in model.columns), name)

    return column


def _meta(value: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Where dbt lets people add what it does not know itself: `meta`, or `config.meta`."""
    config = value.get("config")
    inner = config.get("meta") if isinstance(config, Mapping) else None
    meta = value.get("meta") or inner
    return meta if isinstance(meta, Mapping) else {}


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in names if name))
