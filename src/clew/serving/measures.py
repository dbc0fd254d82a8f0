"""What is counted and timed of a server? Kept here for Prometheus to fetch, and handed on to OpenTelemetry where that is asked for."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.serving.telemetry import Telemetry

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Seconds that times are counted by: those of a search in the middle, of a language model at the end."""
MEANINGS = {
    "clew_requests_total": "requests by route and status",
    "clew_request_seconds": "how long requests took, by route",
    "clew_search_seconds": "how long searches took, by the mode that answered",
    "clew_leg_seconds": "how long each leg of a search took",
    "clew_faults_total": "calls that ended in a fault, by its code",
    "clew_audit_faults_total": "audit lines that could not be written",
    "clew_namespaces": "namespaces that are served",
    "clew_files": "files in the index",
    "clew_chunks": "chunks in the index",
    "clew_index_lag_chunks": "chunks that the search indexes do not show yet",
    "clew_question_vectors_total": "vectors of questions that were needed",
    "clew_question_vectors_known_total": "those that were known already",
    "clew_provider_resting": "1 while an embedding provider is left alone after too many failures",
    "clew_working": "requests that work or wait",
}
Labels = Mapping[str, str]
_Key = tuple[str, tuple[tuple[str, str], ...]]


class Measures:
    """Counters and times of one process. Their labels are routes, modes, legs and codes: never who asked what."""

    def __init__(self, telemetry: Telemetry | None = None) -> None:
        self.telemetry = telemetry
        self._turn = Lock()
        self._counts: dict[_Key, float] = {}
        self._times: dict[_Key, tuple[list[int], float]] = {}

    def count(self, name: str, labels: Labels) -> None:
        """One more."""
        key = (name, tuple(sorted(labels.items())))
        with self._turn:
            self._counts[key] = self._counts.get(key, 0) + 1
        if self.telemetry is not None:
            self.telemetry.count(name, labels)

    def took(self, name: str, seconds: float, labels: Labels) -> None:
        """Something took so long."""
        key = (name, tuple(sorted(labels.items())))
        with self._turn:
            buckets, total = self._times.get(key, ([0] * (len(BOUNDS) + 1), 0.0))
            buckets[bisect_left(BOUNDS, seconds)] += 1
            self._times[key] = (buckets, total + seconds)
        if self.telemetry is not None:
            self.telemetry.took(name, seconds, labels)

    @contextmanager
    def timed(self, name: str, labels: Labels) -> Iterator[None]:
        """Time what is done inside, as a span too."""
        begun = time.monotonic()
        try:
            if self.telemetry is None:
                yield
            else:
                with self.telemetry.span(name.removesuffix("_seconds").replace("_", "."), labels):
                    yield
        finally:
            self.took(name, time.monotonic() - begun, labels)

    def text(self, levels: Mapping[str, float]) -> str:
        """All of it as Prometheus reads it, with what stands at these levels now."""
        with self._turn:
            counts, times = dict(self._counts), {key: (list(buckets), total) for key, (buckets, total) in self._times.items()}
        lines: list[str] = []
        for name in sorted({name for name, _ in counts}):
            lines += _head(name, "counter")
            lines += [f"{name}{_labelled(labels)} {value:g}" for (one, labels), value in sorted(counts.items()) if one == name]
        for name in sorted({name for name, _ in times}):
            lines += _head(name, "histogram")
            for (one, labels), (buckets, total) in sorted(times.items(), key=lambda entry: entry[0]):
                if one == name:
                    lines += _histogram(name, labels, buckets, total)
        for name, value in sorted(levels.items()):
            lines += [*_head(name, "counter" if name.endswith("_total") else "gauge"), f"{name} {value:g}"]
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str) -> list[str]:
    return [f"# HELP {name} {MEANINGS[name]}", f"# TYPE {name} {kind}"]


def _histogram(name: str, labels: tuple[tuple[str, str], ...], buckets: list[int], total: float) -> Iterator[str]:
    seen = 0
    for bound, count in zip((*(f"{bound:g}" for bound in BOUNDS), "+Inf"), buckets, strict=True):
        seen += count
        yield f"{name}_bucket{_labelled((*labels, ('le', bound)))} {seen}"
    yield f"{name}_sum{_labelled(labels)} {total:.6f}"
    yield f"{name}_count{_labelled(labels)} {seen}"


def _labelled(labels: tuple[tuple[str, str], ...]) -> str:
    said = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)
    return f"{{{said}}}" if said else ""


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
