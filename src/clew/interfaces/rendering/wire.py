"""What do scripts read? The JSON objects of every command; their names are a promise."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from clew.core.answer import Answer, Citation, IndexReport, Neighbour, Result, Skip, Status, Summarised, Thinned, Written
    from clew.core.document import Definition
    from clew.errors import ClewError
    from clew.index.following import Followed

_SCORE_DIGITS = 4
"""Scores are compared, not computed with; more digits only cost tokens."""


def answer_object(answer: Answer) -> dict[str, Any]:
    """What `search --json` prints."""
    return {
        "query": answer.query,
        "mode": answer.mode,
        "results": [_result_object(result) for result in answer.results],
        "confidence": answer.confidence,
        "confidence_score": round(answer.confidence_score, _SCORE_DIGITS),
        "hint": answer.hint,
        "warnings": list(answer.warnings),
        "stale": answer.stale,
        "tokens": answer.tokens,
        "reasons": list(answer.route),
        "neighbours": [_neighbour_object(one) for one in answer.neighbours],
        **(_read_object(answer) if answer.mode == "deep" else {}),
    }


def written_object(written: Written, root: str) -> dict[str, Any]:
    """What `ask --json` prints."""
    return {
        "question": written.question,
        "answer": written.text,
        "evidence": [{**_cited(one), "absolute_path": f"{root}{os.sep}{one.filepath}"} for one in written.evidence],
        "missing": written.missing,
        "results": [_result_object(result) for result in written.results],
        "warnings": list(written.warnings),
        "steps": list(written.steps),
        "stale": written.stale,
        "story": written.story,
    }


def _read_object(answer: Answer) -> dict[str, Any]:
    """What mode deep says besides."""
    return {"synthesis": answer.synthesis, "evidence": [_cited(one) for one in answer.evidence], "missing": answer.missing}


def _cited(one: Citation) -> dict[str, Any]:
    return {"filepath": one.filepath, "line_start": one.line_start, "line_end": one.line_end, "why": one.why}


def _result_object(result: Result) -> dict[str, Any]:
    chunk = result.chunk
    return {
        "id": chunk.id,
        "namespace": chunk.namespace,
        "filepath": chunk.filepath,
        "absolute_path": result.absolute_path,
        "symbol_name": chunk.symbol_name,
        "symbol_type": chunk.symbol_type,
        "language": chunk.language,
        "line_start": chunk.line_start,
        "line_end": chunk.line_end,
        "signature": chunk.signature,
        "parent": chunk.parent,
        "docstring": chunk.docstring,
        "imports": list(chunk.imports),
        "calls": list(chunk.calls),
        "code_snippet": result.code_snippet,
        "from_index": result.from_index,
        "score": round(result.score, _SCORE_DIGITS),
        "reasons": list(result.reasons),
    }


def _neighbour_object(one: Neighbour) -> dict[str, Any]:
    return {
        "relation": one.relation,
        "of": one.of,
        "filepath": one.filepath,
        "symbol_name": one.symbol_name,
        "symbol_type": one.symbol_type,
        "line_start": one.line_start,
        "line_end": one.line_end,
        "signature": one.signature,
    }


def report_object(report: IndexReport) -> dict[str, Any]:
    """What `index --json` prints."""
    return {
        "namespace": report.namespace,
        "files": {
            "indexed": report.indexed,
            "unchanged": report.unchanged,
            "deleted": report.deleted,
            "skipped": len(report.skipped),
        },
        "chunks": {
            "added": report.chunks_added,
            "kept": report.chunks_kept,
            "deleted": report.chunks_deleted,
            "embedded": report.chunks_embedded,
        },
        "skipped": _skip_objects(report.skipped),
        "warnings": list(report.warnings),
        "complete": report.complete,
        "seconds": round(report.seconds, 3),
        **({"summaries": summaries_object(report.summaries)} if report.summaries else {}),
    }


def summaries_object(done: Summarised) -> dict[str, Any]:
    """What `index --mode standard --json` says of summaries."""
    usage = done.usage
    counts = {"written": done.written, "known": done.known, "left": done.left, "requests": usage.requests}
    return {**counts, "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, "note": done.note}


def followed_object(found: Followed) -> dict[str, Any]:
    """What `watch --json` prints for each look that took something in."""
    return {
        "files": {"indexed": found.indexed, "deleted": found.deleted, "total": found.files},
        "indexed": list(found.taken_in),
        "deleted": list(found.gone),
        "chunks": {"added": found.added, "deleted": found.dropped},
        "warnings": list(found.warnings),
        "seconds": found.seconds,
    }


def thinned_object(thinned: Thinned) -> dict[str, Any]:
    """What `gc --json` prints."""
    return {"bytes": {"before": thinned.bytes_before, "after": thinned.bytes_after}, "forgotten": list(thinned.forgotten)}


def status_object(status: Status) -> dict[str, Any]:
    """What `status --json` prints."""
    return {
        "root": status.root,
        "namespace": status.namespace,
        "files": {"indexed": status.files, "skipped": len(status.skipped)},
        "chunks": {"total": status.chunks, "embedded": status.chunks - status.chunks_unembedded},
        "skipped": _skip_objects(status.skipped),
        "notes": [{"filepath": note.filepath, "note": note.reason} for note in status.notes],
        "warnings": list(status.warnings),
        "complete": status.complete,
        "embedder": status.embedder,
        "vector_dims": status.vector_dims,
        "fallbacks": [one._asdict() for one in status.fallbacks],
        "questions": status.questions._asdict(),
        "languages": {name: {"files": files, "parsed": parsed} for name, (files, parsed) in sorted(status.languages.items())},
        "bytes": status.bytes,
        "indexed_at": status.indexed_at,
        "written_at": status.written_at,
        "behind": status.behind,
        "last_error": status.last_error,
        "writer": status.writer,
    }


def outline_object(filepath: str, definitions: Sequence[Definition]) -> dict[str, Any]:
    """What `outline --json` prints."""
    return {
        "filepath": filepath,
        "definitions": [
            {
                "name": definition.name,
                "qualified_name": definition.qualified_name,
                "kind": definition.kind,
                "line_start": definition.line_start,
                "line_end": definition.line_end,
                "parent": definition.parent,
                "signature": definition.signature,
                "docstring": definition.docstring,
            }
            for definition in definitions
        ],
    }


def outlines_object(folder: str, found: Mapping[str, Sequence[Definition]]) -> dict[str, Any]:
    """What `outline --json` prints of a folder: all definitions of each file."""
    return {"folder": folder, "files": [outline_object(filepath, definitions) for filepath, definitions in found.items()]}


def error_object(fault: ClewError) -> dict[str, Any]:
    """What `--json` prints when there is no answer."""
    return {"error": {"code": fault.code, "message": fault.message, "hint": fault.hint}}


def _skip_objects(skipped: Sequence[Skip]) -> list[dict[str, str]]:
    return [{"filepath": skip.filepath, "reason": skip.reason} for skip in skipped]
