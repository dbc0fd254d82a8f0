"""What does `clew index --dry-run` show? What the next run would embed, and what that takes."""

from __future__ import annotations

from pathlib import Path

from clew.interfaces.cli.output import emit_json, emit_lines


def show_cost(path: Path, embedder: str | None, *, as_json: bool) -> int:
    """Print the estimate of the project around `path`."""
    from clew.assembly import open_engine

    with open_engine(path, {"embedder": embedder}) as engine:
        found = engine.estimate()
    if as_json:
        cost = found.cost
        emit_json(
            {
                "embedder": found.model,
                "files": found.files,
                "chunks": {"to_embed": cost.texts, "pending": found.pending},
                "tokens": cost.tokens,
                "dollars": None if cost.dollars is None else round(cost.dollars, 4),
            }
        )
        return 0
    price = "at a price that is not known" if found.cost.dollars is None else f"about {found.cost.dollars:.4f} dollars"
    lines = [f"{found.files} files would be read, {found.cost.texts} chunks embedded by {found.model}: {found.cost.tokens} tokens, {price}"]
    if found.pending:
        lines.append(f"{found.pending} chunks of an earlier run wait for a vector besides")
    emit_lines(lines)
    return 0
