"""Was a text written for a machine alone? Minified code, which is a few huge lines without blanks."""

from __future__ import annotations

from collections.abc import Sequence

_HUGE = 1_000
"""Nobody writes code lines of this length; one-line constants and data rows may have it."""
_SMALL = 5_000
"""A text shorter than this is shown whole or in two pieces whatever its lines are."""
_CHARACTER_SHARE = 0.8
_LINE_SHARE = 0.2
"""Of a file with one long literal nearly all characters, but few of the lines, are in huge lines; both must be many."""
_BLANK_SHARE = 0.12
"""Prose and spaced data have 15 blanks and more in 100 characters, minified code under 8."""

_ROWS = (".csv", ".tsv", ".sql", ".md", ".markdown", ".rst", ".txt", ".adoc", ".org", ".tex", ".po", ".ipynb", ".jsonl", ".ndjson")
"""Text whose lines are paragraphs or records, however long."""
_MINIFIED_NAMES = (".min.js", ".min.mjs", ".min.cjs", ".min.css", ".min.html", "-min.js", "-min.css", ".bundle.js")
_NAMED_MEAN = 200
"""Minifiers that break lines do so at 500 characters; under this mean a file of such a name is readable."""


def minified(filepath: str, lines: Sequence[str]) -> str:
    """Why a text counts as minified, or empty."""
    lowered = filepath.lower()
    size = sum(map(len, lines))
    if size < _SMALL or lowered.endswith(_ROWS):
        return ""
    if lowered.endswith(_MINIFIED_NAMES) and size > _NAMED_MEAN * len(lines):
        return f"minified: {_count(len(lines))} of {size // len(lines)} characters on average"
    huge = [line for line in lines if len(line) > _HUGE]
    within = sum(map(len, huge))
    written = sum(1 for line in lines if line.strip()) if huge else 0
    if within < size * _CHARACTER_SHARE or len(huge) < written * _LINE_SHARE:
        return ""
    if sum(line.count(" ") for line in huge) > within * _BLANK_SHARE:
        return ""
    return f"minified: {len(huge)} of {_count(written)} longer than {_HUGE} characters"


def _count(lines: int) -> str:
    return f"{lines} line{'s' if lines != 1 else ''}"
