"""Is what a server does told to whom it should be, and to nobody else?"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families
from tests.interfaces.web.conftest import Asking, Team, running, token_for
from tests.serving.conftest import ANN, BOB, ROOT, Served

from clew.access import Entry
from clew.assembly import open_service
from clew.errors import UsageError
from clew.interfaces.web.entering import Anybody, Bearers
from clew.serving.configured import Serving
from clew.serving.correlation import named
from clew.serving.journal import Journal, audited
from clew.serving.measures import Measures
from clew.serving.telemetry import Telemetry
from clew.serving.timing import Timing
from clew.stores.tokens import TokenFile


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_audit_log_says_who_did_what_and_not_in_which_words(served: Served, tmp_path: Path) -> None:
    journal, tokens = Journal(tmp_path / "audit.jsonl", 1_000_000, 2), TokenFile(tmp_path / "tokens.json")
    bob = token_for(tokens, BOB)
    opened = open_service([served.open, served.hidden], lambda entry: audited(journal, entry), hides_places=True)
    with opened as service, running(service, Bearers(tokens)) as (anybody, _):
        asking = anybody.named(bob)
        found = asking.ask("POST", "/v1/search", {"query": "secret_words"}, {"X-Request-Id": "abc-123456"})
        assert found.headers["x-request-id"] == "abc-123456"
        assert asking.post("/v1/symbol", name="pay", namespace=served.hidden_name).status == 404
    first, second = lines(tmp_path / "audit.jsonl")
    assert (first["who"], first["what"], first["namespaces"], first["allowed"]) == ("bob", "search", [served.open_name], True)
    assert first["request"] == "abc-123456"
    assert (second["what"], second["namespaces"], second["allowed"], second["results"]) == ("read", [served.hidden_name], False, 0)
    assert "secret_words" not in (tmp_path / "audit.jsonl").read_text()
    assert stat.S_IMODE((tmp_path / "audit.jsonl").stat().st_mode) == 0o600


def test_an_audit_log_that_grows_begins_a_new_file_and_loses_no_line(tmp_path: Path) -> None:
    (tmp_path / "audit.jsonl").touch(0o644)
    journal = Journal(tmp_path / "audit.jsonl", 1_000, 3)
    for number in range(20):
        audited(journal, Entry("ann", "search", ("shop",), results=number, text='words\n"of" hers'))
    journal.close()
    files = [tmp_path / name for name in ("audit.jsonl.3", "audit.jsonl.2", "audit.jsonl.1", "audit.jsonl")]
    assert [stat.S_IMODE(one.stat().st_mode) for one in files] == [0o600] * 4
    assert all(one.stat().st_size <= 1_000 for one in files)
    kept = [line["results"] for one in files for line in lines(one)]
    assert kept == list(range(kept[0], 20))
    assert lines(files[-1])[-1]["text"] == 'words\n"of" hers'
    assert len(list(tmp_path.iterdir())) == 4


def test_an_audit_log_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        Journal(tmp_path, 1_000, 1)


@pytest.mark.parametrize("given", [None, "", "short", "with blank", "x" * 200, "new\nline", 'quo"te123', "é" * 10])
def test_a_name_of_a_request_that_is_none_is_replaced(given: str | None) -> None:
    assert re.fullmatch(r"[0-9a-f]{32}", named(given))


def test_every_answer_has_the_name_of_its_request(team: Team) -> None:
    for path, status in (("/healthz", 200), ("/v1/namespaces", 200), ("/none", 404)):
        found = team.bob.ask("GET", path, headers={"X-Request-Id": "bad name"})
        assert found.status == status
        assert re.fullmatch(r"[0-9a-f]{32}", found.headers["x-request-id"])
    assert team.anybody.get("/metrics").status == 404, "off unless it is asked for"


@pytest.fixture
def observed(served: Served, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """A server that is measured."""

    def started(measures: Measures, tokens: TokenFile | None = None) -> Any:
        timing = Timing(measures)
        opened = open_service([served.open], hides_places=True, timing=timing, measures=measures)
        serving = Serving(requests=1_000_000, metrics=True, log=True)
        return opened, lambda service: running(
            service, Bearers(tokens) if tokens else Anybody(ROOT), serving, measures=measures, timing=timing
        )

    yield started


def test_prometheus_is_told_how_much_and_how_long_and_nothing_of_anybody(
    observed: Callable[..., Any], served: Served, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    ann = token_for(tokens, ANN)
    opened, run = observed(Measures(), tokens)
    with opened as service, run(service) as (anybody, _):
        assert anybody.get("/metrics").status == 401
        asking = anybody.named(ann)
        assert asking.post("/v1/search", query="what does the customer have to pay", mode="hybrid").status == 200
        assert asking.post("/v1/symbol", name="x", namespace="no-such-one").status == 404
        text = asking.get("/metrics").raw.decode()
    found = {
        (one.name, tuple(sorted(one.labels.items()))): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }
    assert found["clew_requests_total", (("route", "/v1/search"), ("status", "200"))] == 1
    assert found["clew_requests_total", (("route", "/v1/symbol"), ("status", "404"))] == 1
    assert found["clew_search_seconds_count", (("mode", "hybrid"),)] == 1
    assert found["clew_leg_seconds_count", (("leg", "keywords"),)] >= 1
    assert found["clew_leg_seconds_count", (("leg", "vectors"),)] >= 1
    assert found["clew_leg_seconds_count", (("leg", "embedding"),)] >= 1
    assert found["clew_faults_total", (("code", "usage"),)] == 1
    assert found["clew_chunks", ()] > 0
    assert found["clew_provider_resting", ()] == 0
    assert found["clew_question_vectors_total", ()] == 0
    assert not any(word in text for word in ("ann", served.open_name, "customer", "no-such-one"))
    logged = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")]
    assert [(one["path"], one["status"], one["who"]) for one in logged][:2] == [("/metrics", 401, ""), ("/v1/search", 200, "ann")]
    assert set(logged[0]) == {"time", "event", "request", "method", "path", "status", "seconds", "who"}


def test_opentelemetry_is_told_by_its_api(observed: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracing, metering = TracerProvider(), MeterProvider([reader])
    tracing.add_span_processor(SimpleSpanProcessor(spans))
    monkeypatch.setattr(trace, "get_tracer", tracing.get_tracer)
    monkeypatch.setattr(metrics, "get_meter", metering.get_meter)
    opened, run = observed(Measures(Telemetry()))
    with opened as service, run(service) as (asking, _):
        asking: Asking
        assert asking.ask("POST", "/v1/search", {"query": "secret_words"}, {"X-Request-Id": "abc-123456"}).status == 200
    told = {one.name: dict(one.attributes or {}) for one in spans.get_finished_spans()}
    assert told["POST /v1/search"] == {"clew.route": "/v1/search", "clew.request": "abc-123456"}
    assert told["clew.leg"]["clew.request"] == "abc-123456"
    legs = [one for one in spans.get_finished_spans() if one.name == "clew.leg"]
    (outer,) = [one for one in spans.get_finished_spans() if one.name == "POST /v1/search"]
    assert all(one.parent is not None and one.parent.span_id == outer.context.span_id for one in legs)
    data = reader.get_metrics_data()
    assert data is not None
    names = {one.name for resource in data.resource_metrics for scope in resource.scope_metrics for one in scope.metrics}
    assert {"clew.requests", "clew.request", "clew.search", "clew.leg"} <= names
    assert "secret_words" not in f"{told}{data}"
