"""Are metrics read from dbt's semantic layer and from clew's short form, down to tables and columns, and is what is wrong said by name?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.adapters.meanings import read_metrics
from clew.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from clew.core.schema.meaning import Metric

ORDERS = """
semantic_models:
  - name: orders
    description: One row an order.
    model: ref('fct_orders')
    defaults:
      agg_time_dimension: ordered_at
    entities:
      - {name: order, type: primary, expr: order_id}
      - {name: customer, type: foreign, expr: customer_id}
    dimensions:
      - name: ordered_at
        type: time
        expr: created
        type_params: {time_granularity: day}
      - {name: status, type: categorical}
    measures:
      - {name: order_total, agg: sum, expr: amount - discount, description: What was charged.}
      - {name: orders, agg: count_distinct, expr: order_id}
      - {name: late_orders, agg: sum_boolean, expr: is_late, create_metric: true, label: Late ones}
"""


def read(tmp_path: Path, *texts: str) -> tuple[dict[str, Metric], list[str]]:
    folder = tmp_path / "metrics"
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number}.yml").write_text(text, encoding="utf-8")
    warnings: list[str] = []
    found = read_metrics(folder, warnings.append)
    return {metric.name: metric for metric in found}, warnings


def test_a_simple_metric_is_its_measure_with_table_columns_grain_and_filter(tmp_path: Path) -> None:
    text = """
metrics:
  - name: revenue
    label: Net revenue
    description: Charged for paid orders.
    type: simple
    type_params:
      measure: order_total
    filter: |
      {{ Dimension('order__status') }} = 'paid' and {{ TimeDimension('metric_time', 'day') }} > '2020-01-01'
    config:
      meta: {synonyms: [turnover], datasource: shop}
"""
    found, warnings = read(tmp_path, ORDERS, text)
    metric = found["revenue"]
    assert (metric.expression, metric.tables, metric.grain) == ("sum(amount - discount)", ("fct_orders",), ("day",))
    assert metric.columns == ("fct_orders.amount", "fct_orders.discount")
    assert metric.dimensions == ("fct_orders.created", "fct_orders.status")
    assert metric.filter == "status = 'paid' and created > '2020-01-01'"
    assert (metric.definition, metric.datasource) == ("Charged for paid orders.", "shop")
    assert metric.synonyms == ("Net revenue", "turnover")
    assert metric.source == "1.yml" and warnings == []


def test_ratio_derived_and_cumulative_metrics_are_worked_out_from_others(tmp_path: Path) -> None:
    text = """
metrics:
  - {name: revenue, type: simple, type_params: {measure: {name: order_total, filter: "{{ Dimension('order__status') }} = 'paid'"}}}
  - {name: aov, type: ratio, type_params: {numerator: revenue, denominator: orders}}
  - name: growth
    type: derived
    type_params:
      expr: (revenue - before) / before
      metrics:
        - revenue
        - {name: revenue, offset_window: 1 month, alias: before}
  - {name: running, type: cumulative, type_params: {measure: order_total, cumulative_type_params: {window: 7 days}}}
"""
    found, warnings = read(tmp_path, text, ORDERS)
    assert warnings == []
    assert found["aov"].expression == "(sum(amount - discount)) / (count(distinct order_id))"
    assert found["aov"].columns == ("fct_orders.amount", "fct_orders.discount", "fct_orders.order_id")
    assert found["aov"].filter == "status = 'paid'"
    total = "(sum(amount - discount))"
    assert found["growth"].expression == f"({total} - {total}) / {total}"
    assert found["running"].definition == "Cumulative over 7 days."


def test_a_conversion_metric_names_both_of_its_measures(tmp_path: Path) -> None:
    text = """
metrics:
  - name: bought after visit
    type: conversion
    type_params:
      conversion_type_params: {entity: customer, base_measure: {name: order_total}, conversion_measure: orders, window: 7 days}
"""
    found, warnings = read(tmp_path, ORDERS, text)
    assert found["bought after visit"].expression == "(count(distinct order_id)) / (sum(amount - discount))"
    assert found["bought after visit"].definition == "Share of customer that convert within 7 days." and warnings == []


def test_a_measure_that_is_to_be_a_metric_is_one(tmp_path: Path) -> None:
    found, _ = read(tmp_path, ORDERS)
    assert list(found) == ["late_orders"]
    assert found["late_orders"].expression == "sum(case when is_late then 1 else 0 end)"
    assert found["late_orders"].synonyms == ("Late ones",)


def test_models_that_carry_their_metrics_are_read(tmp_path: Path) -> None:
    text = """
models:
  - name: fct_visits
    semantic_model: {enabled: true}
    agg_time_dimension: seen_at
    columns:
      - {name: id, entity: {type: primary, name: visit}}
      - {name: seen_at, granularity: hour, dimension: {type: time}}
      - {name: browser, dimension: {type: categorical, name: client}}
    metrics:
      - {name: visits, type: simple, agg: count, expr: id, label: Visits}
      - {name: seconds, type: simple, agg: sum, expr: duration, filter: "{{ Dimension('visit__client') }} = 'x'"}
      - {name: mean time, type: ratio, numerator: seconds, denominator: visits}
  - name: untouched
    columns: [{name: id}]
"""
    found, warnings = read(tmp_path, text)
    assert warnings == []
    assert list(found) == ["visits", "seconds", "mean time"]
    assert (found["visits"].expression, found["visits"].tables, found["visits"].grain) == ("count(id)", ("fct_visits",), ("hour",))
    assert found["seconds"].filter == "browser = 'x'"
    assert found["mean time"].expression == "(sum(duration)) / (count(id))"


def test_the_short_form_takes_tables_and_columns_from_the_expression(tmp_path: Path) -> None:
    text = """
metrics:
  net revenue:
    definition: What was paid, less refunds.
    expression: sum(o.paid) - sum(orders.refunded)
    grain: day
    synonyms: [turnover, income]
    dimensions: [orders.region]
    filter: orders.state = 'done'
  head count: {table: people, expression: count(distinct badge), grain: [day, site]}
  by words: A number that nobody can reckon.
"""
    found, warnings = read(tmp_path, text)
    net = found["net revenue"]
    assert (net.columns, net.tables, net.grain) == (("o.paid", "orders.refunded"), ("o", "orders"), ("day",))
    assert (net.synonyms, net.dimensions, net.filter) == (("turnover", "income"), ("orders.region",), "orders.state = 'done'")
    assert found["head count"].columns == ("people.badge",) and found["head count"].grain == ("day", "site")
    assert found["by words"].columns == () and warnings == []


def test_what_is_wrong_is_a_warning_that_names_it_and_the_rest_is_taken(tmp_path: Path) -> None:
    text = """
metrics:
  - {name: fine, expression: sum(a.b)}
  - {expression: sum(nameless)}
  - {name: fine, expression: twice}
  - {name: empty}
  - {name: typo, expresion: sum(x), definition: Known.}
  - {name: lost, type: simple, type_params: {measure: nowhere}}
  - {name: circle, type: derived, type_params: {expr: circle + 1, metrics: [circle]}}
  - {name: wrong, definition: [a, {b: c}]}
"""
    found, warnings = read(tmp_path, text, "a: [1", "- just\n- a list", "")
    assert list(found) == ["fine", "typo"]
    said = "\n".join(warnings)
    for name, reason in (
        ("at place 2", "no name"),
        ("'fine'", "defined twice"),
        ("'empty'", "left out"),
        ("'typo'", "'expresion' means nothing here; did you mean expression?"),
        ("'lost'", "not defined"),
        ("'circle'", "is itself"),
        ("'wrong'", "definition is no text"),
        ("1.yml", "not valid YAML"),
        ("2.yml", "list or mapping"),
    ):
        assert any(name in line and reason in line for line in warnings), (name, reason, said)


def test_circles_and_long_chains_of_metrics_end(tmp_path: Path) -> None:
    lines = [f"  - {{name: m{n}, type: derived, type_params: {{expr: a, metrics: [m{n + 1}, m{n + 2}, m{n + 3}]}}}}" for n in range(300)]
    found, warnings = read(tmp_path, "metrics:\n" + "\n".join(lines))
    assert found == {} and len(warnings) >= 300


def test_a_file_that_is_not_there_is_an_error_and_one_file_alone_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no"):
        read_metrics(tmp_path / "absent.yml")
    file = tmp_path / "m.yaml"
    file.write_text("metrics: {a: {expression: sum(t.x)}}\n---\nmetrics: {b: {expression: sum(t.y)}}\n")
    assert [(one.name, one.source) for one in read_metrics(file)] == [("a", "m.yaml"), ("b", "m.yaml")]


@pytest.mark.parametrize(
    "text",
    [
        "metrics: &a [*a]",
        "metrics: !!python/object/apply:os.system ['echo']",
        "metrics: {? [1, 2] : {expression: x}}",
        "metrics: {a: {expression: !!binary aGk=}}",
        "a: &a [x]\nb: &b [*a, *a]\nmetrics: {c: {columns: *b, definition: d}}",
        "metrics: 7",
        "metrics:\n  - 1\n  - [2]",
        "\ufeffmetrics: {a: {definition: b}}",
        "{{ config(x) }}",
        "metrics: {a: {expression: " + "(" * 3_000 + "x" + ")" * 3_000 + "}}",
        "[" * 5_000,
    ],
)
def test_a_hostile_file_never_breaks_the_reading(tmp_path: Path, text: str) -> None:
    read(tmp_path, text, "metrics: {good: {definition: still read}}")


YAMLISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("ab{}'\"\n: #", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "type", "type_params", "measure", "metrics", "expr", "numerator", "agg", "filter"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(YAMLISH, YAMLISH)
def test_whatever_stands_in_the_sections_is_read_or_warned_of(tmp_path: Path, metrics: object, models: object) -> None:
    import json

    path = tmp_path / "any.yml"
    path.write_text(json.dumps({"metrics": metrics, "semantic_models": models, "models": metrics}))
    read_metrics(path, [].append)
