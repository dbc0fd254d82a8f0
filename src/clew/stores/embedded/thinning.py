"""What does an index hold that nobody asks any more? The vectors of models that were used before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.stores.embedded.catalog import meta, set_meta
from clew.stores.embedded.embeddings import PRIMARY_TABLE
from clew.stores.embedded.encoding import SPACE_STEP

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection


def forget_spaces(connection: sqlite3.Connection, namespace: str, kept: Collection[str]) -> tuple[str, ...]:
    """Take from a namespace the vectors of every model but those with a `kept` fingerprint; returns the models' names.

    What another namespace still uses stays for that one.
    """
    found = connection.execute("SELECT space, fingerprint, model FROM spaces JOIN homes USING (space) WHERE namespace = ?", (namespace,))
    former = [(space, model) for space, fingerprint, model in found.fetchall() if fingerprint not in kept]
    for space, _ in former:
        connection.execute("DELETE FROM homes WHERE namespace = ? AND space = ?", (namespace, space))
        connection.execute(
            "DELETE FROM embedded WHERE space = ? AND chunk IN (SELECT chunk FROM chunks WHERE namespace = ?)", (space, namespace)
        )
        connection.execute(
            "DELETE FROM vectors WHERE number BETWEEN ?1 AND ?2 AND number - ?1 NOT IN (SELECT chunk FROM embedded WHERE space = ?3)",
            (space * SPACE_STEP, (space + 1) * SPACE_STEP - 1, space),
        )
    if former:
        set_meta(connection, "generation", meta(connection, "generation") + 1)
    return tuple(model for _, model in former)


def forget_unused_spaces(connection: sqlite3.Connection) -> bool:
    """Forget the spaces that no namespace uses. Where the primary one is among them, the first of the others takes its place, and its
    table's name; returns whether that table is to be fed."""
    connection.execute("DELETE FROM spaces WHERE space NOT IN (SELECT space FROM homes)")
    if connection.execute("SELECT 1 FROM spaces WHERE name = ?", (PRIMARY_TABLE,)).fetchone() is not None:
        return False
    moved = connection.execute(
        "UPDATE spaces SET name = ?, synced = 0, listing = '' WHERE space = (SELECT min(space) FROM spaces)", (PRIMARY_TABLE,)
    )
    return moved.rowcount > 0
