"""From which sizes on does the store do otherwise? Numbers that tests make small."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes, and how long things are waited for."""

    exact: int = 100_000
    """Chunks in scope up to which neighbours are looked for exactly, as every store of ours does; the server walks them all."""
    levels: int = 5_000
    """Chunks in scope up to which all are scored to know what an unrelated file scores; above that it is told from a sample."""
    files: int = 1_000
    """Files that are named to the server one by one; more are found by an expression that their paths match."""
    lease_s: float = 60.0
    """How long a lease lasts that is not renewed: whoever died elsewhere holds others up so long, and no command may take as long."""
    grace_s: float = 60.0
    """How long the dead are kept at least: whoever reads a state when they die still sees them, and no answer takes as long."""
    settle_s: float = 60.0
    """How long a writer waits for the indexes to show what it wrote; MongoDB promises nothing, a second or two are usual."""
