"""How do answers look in a pipe or a log? Lines like grep's, without colour."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from clew.core.visible import visible, visible_code
from clew.search.listing import beside, listing, with_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clew.core.answer import Answer, IndexReport, Remembered, Result, Skip, SpaceState, Status, Summarised, Thinned, Written
    from clew.core.document import Definition
    from clew.index.following import Followed

_NAMED = 20
"""Skipped files named in a report; --json and status name all of them."""
_TAKEN_IN = 3
"""Files that a line of a watcher names: a line is read at a glance."""


def answer_lines(answer: Answer, *, explain: bool = False) -> Iterator[str]:
    """What was written, where something was; the results, a blank line around those that are shown with their text."""
    apart = False
    if answer.synthesis:
        yield from (visible_code(answer.synthesis).replace("\t", " "), "")
    for number, result in enumerate(with_lines(answer.results, answer.gist)):
        head, *lines = listing(result)
        if number and (apart or (lines and not result.lines)):
            yield ""
        yield head
        if explain:
            yield "    " + explanation(result)
        yield from lines
        apart = bool(lines) and not result.lines
    if answer.neighbours:
        yield ""
        yield from beside(answer.neighbours)


def written_lines(written: Written) -> Iterator[str]:
    """The answer in words, then its evidence, and what was not found."""
    if written.text:
        yield visible_code(written.text).replace("\t", " ")
    if written.evidence:
        yield from ("", "evidence:") if written.text else ("evidence:",)
        yield from (f"  {visible(one.filepath)}:{one.line_start}-{one.line_end}  {visible(one.why)}".rstrip() for one in written.evidence)
    if written.missing:
        yield f"not found: {visible(written.missing)}"


def explanation(result: Result) -> str:
    """The score and the reasons, in one line."""
    return f"score {result.score:.3f}: {visible('; '.join(result.reasons))}"


def report_lines(report: IndexReport) -> Iterator[str]:
    """What one run of the indexer did."""
    yield (
        f"{report.namespace}: {report.indexed:,} files indexed, {report.unchanged:,} unchanged, {report.deleted:,} deleted, "
        f"{len(report.skipped):,} skipped; {report.chunks_added:,} chunks added, {report.chunks_kept:,} kept, "
        f"{report.chunks_deleted:,} deleted, {report.chunks_embedded:,} embedded, in {report.seconds:.1f} s"
    )
    if not report.indexed + report.unchanged:
        yield "there is no file to index here" + ("" if not report.skipped else ": all were skipped")
    yield from _skip_lines(report.skipped)
    if not report.complete:
        yield "stopped before the end: run it again to finish"
    if done := report.summaries:
        yield (
            f"summaries: {done.written:,} written, {done.known:,} known, {done.left:,} left, in {done.usage.requests:,} requests "
            f"({done.usage.input_tokens:,} tokens read, {done.usage.output_tokens:,} written)"
        )


def summaries_plan(plan: Summarised) -> str:
    """What summaries would cost."""
    cost = f"about {plan.usage.requests:,} requests, {plan.usage.input_tokens:,} tokens to read and {plan.usage.output_tokens:,} to write"
    return f"summaries: {plan.left:,} files and folders to describe ({plan.known:,} known): {cost}"


def followed_line(found: Followed) -> str:
    """What a watcher took in, the first files by name; that there was nothing to take in, where it says so at first."""
    took = [
        f"{verb} {_some(names, count)}"
        for verb, names, count in (("indexed", found.taken_in, found.indexed), ("deleted", found.gone, found.deleted))
        if count
    ]
    if not took:
        return f"the index is up to date: {found.files:,} files, looked at in {found.seconds:.2f} s"
    return f"{'; '.join(took)} ({found.added:,} chunks added, {found.dropped:,} deleted, in {found.seconds:.2f} s)"


def _some(names: Sequence[str], count: int) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(map(visible, names[:_TAKEN_IN]))
    return f"{shown} and {count - _TAKEN_IN:,} more" if count > _TAKEN_IN else shown


def thinned_line(thinned: Thinned) -> str:
    """What clearing out an index did."""
    forgotten = f"; vectors of {', '.join(map(visible, thinned.forgotten))} are gone" if thinned.forgotten else ""
    return f"{thinned.bytes_before / 1e6:.1f} MB before, {thinned.bytes_after / 1e6:.1f} MB now{forgotten}"


def status_lines(status: Status) -> Iterator[str]:
    """What is true of an index now, a fact a line."""
    unembedded = f" ({status.chunks_unembedded:,} without a vector)" if status.chunks_unembedded else ""
    facts = {
        "project": visible(status.root),
        "namespace": status.namespace,
        "files": f"{status.files:,}",
        "chunks": f"{status.chunks:,}{unembedded}",
        "state": "complete" if status.complete else "not complete: run `clew index` to finish",
        "up to date": _behind(status),
        "indexed": _moment(status.indexed_at),
        "last change": _moment(status.written_at) if status.written_at else "",
        "size": f"{status.bytes / 1e6:.1f} MB",
        "embedder": f"{status.embedder}, {status.vector_dims} dimensions" if status.embedder else "none",
        "fallbacks": "; ".join(map(_space, status.fallbacks)),
        "questions": _remembered(status.questions),
        "languages": ", ".join(_language(name, *counts) for name, counts in sorted(status.languages.items(), key=_by_files)),
        "writer": visible(status.writer),
        "last error": visible(status.last_error),
        "skipped": f"{len(status.skipped):,}" if status.skipped else "",
    }
    width = max(map(len, facts))
    yield from (f"{name:<{width}}  {value}" for name, value in facts.items() if value)
    yield from _skip_lines(status.skipped)
    yield from (f"note {visible(note.filepath)}: {visible(note.reason)}" for note in status.notes[:_NAMED])
    yield from (f"warning {visible(warning)}" for warning in status.warnings)


def _space(state: SpaceState) -> str:
    """A model's vectors, and what has none."""
    lacking = f", {state.unembedded:,} chunks without a vector" if state.unembedded else ""
    return f"{state.model}, {state.dims} dimensions{lacking}"


def _remembered(questions: Remembered) -> str:
    """How many calls of a paid model were spared; nothing where none is asked."""
    if not questions.asked:
        return ""
    return f"{questions.hits / questions.asked:.0%} of {questions.asked:,} vectors were known from the day before"


def _behind(status: Status) -> str:
    """How the index stands to the disk."""
    files = f"{status.behind:,} file{'s' if status.behind != 1 else ''}"
    return f"no: {files} changed since; the next search takes them in" if status.behind else "yes"


def outline_lines(definitions: Sequence[Definition]) -> Iterator[str]:
    """The definitions as a tree, each with its lines."""
    for definition in definitions:
        depth = definition.qualified_name.removesuffix(definition.name).count(".") if definition.parent else 0
        head = visible(definition.signature or f"{definition.kind} {definition.name}")
        yield f"{definition.line_start:>6}-{definition.line_end:<6} {'  ' * depth}{head}"


def outlines_lines(found: Mapping[str, Sequence[Definition]]) -> Iterator[str]:
    """A line for each file, with its outermost definitions under it."""
    for filepath, definitions in found.items():
        yield visible(filepath)
        yield from outline_lines([definition for definition in definitions if not definition.parent])


def _skip_lines(skipped: Sequence[Skip]) -> Iterator[str]:
    yield from (f"skipped {visible(skip.filepath)}: {visible(skip.reason)}" for skip in skipped[:_NAMED])
    if len(skipped) > _NAMED:
        yield f"… and {len(skipped) - _NAMED:,} more, all named by `clew status --json`"


def _language(name: str, files: int, parsed: int) -> str:
    return f"{name} {files:,}" if files == parsed else f"{name} {files:,} ({parsed:,} parsed)"


def _by_files(entry: tuple[str, tuple[int, int]]) -> tuple[int, str]:
    return (-entry[1][0], entry[0])


def _moment(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds)) if seconds else "never"
