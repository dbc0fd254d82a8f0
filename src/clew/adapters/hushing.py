"""Who may write on a user's terminal? Not the packages that we call: what they log goes where an application sends it, and nowhere else."""

from __future__ import annotations

import logging


def hushed(package: str) -> None:
    """Keep a package's warnings off stderr, where Python puts them that no handler takes; handlers of an application get them as before."""
    logger = logging.getLogger(package)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
