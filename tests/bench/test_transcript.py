"""Does an agent with clew's tools pay at most half of what it pays with grep, and find as much?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.transcript import Asked, Told, through, transcript

FEWEST = 15
"""Questions that any version of the package can answer."""


def test_twenty_questions_cost_half_of_what_grep_costs_at_most(tmp_path: Path) -> None:
    rows = transcript("click", tmp_path)
    assert len(rows) >= FEWEST
    assert sum(row.clew.found for row in rows) >= max(sum(row.grep.found for row in rows), 0.9 * len(rows))
    clew = sum(row.clew.tokens for row in rows)
    assert clew <= 0.5 * sum(row.grep.tokens for row in rows)


def test_reading_ends_where_all_lines_were_seen_and_every_call_is_paid() -> None:
    def steps() -> Iterator[tuple[str, str]]:
        yield "call", "one"
        yield "call", "two"
        raise AssertionError("nobody reads on")

    asked = Asked("q", "q", ("one", "two"))
    assert through(steps(), asked) == Told(4, 2, found=True)
    assert through(iter([("call", "one")]), asked) == Told(2, 1, found=False)
