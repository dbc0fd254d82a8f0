"""How do traces and metrics reach OpenTelemetry? By its API alone: whoever runs a server with an SDK says where they go, without one they go nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version

from clew.errors import MissingExtra
from clew.serving.correlation import REQUEST


class Telemetry:
    """Instruments of the process's providers, made when first used."""

    def __init__(self) -> None:
        try:
            from opentelemetry import metrics, trace
        except ImportError as fault:
            raise MissingExtra("telemetry needs the package opentelemetry-api", "pip install 'clew[serve]'") from fault
        self._tracer = trace.get_tracer("clew", version("clew"))
        self._meter = metrics.get_meter("clew", version("clew"))
        self._counters: dict[str, metrics.Counter] = {}
        self._times: dict[str, metrics.Histogram] = {}

    def count(self, name: str, labels: Mapping[str, str]) -> None:
        """One more."""
        name = _dotted(name)
        if name not in self._counters:
            self._counters[name] = self._meter.create_counter(name)
        self._counters[name].add(1, dict(labels))

    def took(self, name: str, seconds: float, labels: Mapping[str, str]) -> None:
        """Something took so long."""
        name = _dotted(name)
        if name not in self._times:
            self._times[name] = self._meter.create_histogram(name, unit="s")
        self._times[name].record(seconds, dict(labels))

    @contextmanager
    def span(self, name: str, labels: Mapping[str, str]) -> Iterator[None]:
        """A span around what is done inside; what fails in it marks it, without its words, which may be a question's."""
        with self._tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as span:
            for label, value in {**labels, "request": REQUEST.get()}.items():
                span.set_attribute(f"clew.{label}", value)
            yield


def _dotted(name: str) -> str:
    return name.removesuffix("_total").removesuffix("_seconds").replace("_", ".", 1)
