"""What tables does the catalog have, and how did they come about? Named migrations, applied in order, each once."""

from __future__ import annotations

import sqlite3

from clew.errors import IndexUnusable

REBUILD = "rebuild it with `clew index --rebuild`"

_FIRST = """
-- Text that is not valid Unicode is stored as a BLOB (encoding.py); columns without a type keep what they are given.
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE facts(namespace TEXT, key TEXT, value, PRIMARY KEY (namespace, key)) WITHOUT ROWID;
CREATE TABLE realms(namespace TEXT, visibility TEXT, chunks INTEGER, PRIMARY KEY (namespace, visibility)) WITHOUT ROWID;
CREATE TABLE files(
    file INTEGER PRIMARY KEY, namespace TEXT NOT NULL, filepath NOT NULL, size, mtime_ns, checksum, language, parsed, skipped, note,
    UNIQUE (namespace, filepath)
);
CREATE TABLE outlines(file INTEGER PRIMARY KEY, content BLOB NOT NULL);
-- What a hit shows stands here, what only a whole chunk shows in `texts`: scans stay small.
CREATE TABLE chunks(
    chunk INTEGER PRIMARY KEY AUTOINCREMENT, file INTEGER NOT NULL REFERENCES files(file), namespace TEXT NOT NULL, visibility TEXT NOT NULL,
    id TEXT NOT NULL, symbol_name, symbol_type, language, line_start INTEGER, line_end INTEGER, parent, bare, checksum BLOB NOT NULL,
    revision INTEGER NOT NULL, UNIQUE (namespace, id)
);
CREATE INDEX chunks_by_file ON chunks(file);
CREATE INDEX chunks_by_checksum ON chunks(checksum);
CREATE INDEX chunks_by_name ON chunks(bare) WHERE bare IS NOT NULL;
CREATE TABLE texts(chunk INTEGER PRIMARY KEY, header, code, signature, docstring, imports, calls, indexed_at INTEGER);
CREATE TABLE spaces(
    space INTEGER PRIMARY KEY, fingerprint TEXT UNIQUE NOT NULL, model, dims INTEGER NOT NULL, name TEXT UNIQUE NOT NULL,
    synced INTEGER NOT NULL DEFAULT 0, listing TEXT NOT NULL DEFAULT ''
);
CREATE TABLE homes(namespace TEXT, space INTEGER, UNIQUE (namespace, space));
CREATE TABLE embedded(space INTEGER, chunk INTEGER, PRIMARY KEY (space, chunk)) WITHOUT ROWID;
-- Vectors that the snapshot does not hold yet; `number` is space * 2^40 + chunk.
CREATE TABLE vectors(number INTEGER PRIMARY KEY, vector BLOB NOT NULL);
-- Chunks of the snapshot that are no more, and keys of the vector tables that no longer mean what they did.
CREATE TABLE gone(chunk INTEGER PRIMARY KEY, checksum BLOB NOT NULL);
CREATE INDEX gone_by_checksum ON gone(checksum);
CREATE TABLE stale(namespace TEXT, id TEXT, chunk INTEGER, PRIMARY KEY (namespace, id)) WITHOUT ROWID;
-- The terms are split already: blanks separate them, every character beyond ASCII belongs to a term.
CREATE VIRTUAL TABLE postings USING fts5(name, parent, docs, body, stem, folder, content='', tokenize="ascii tokenchars '_'");
INSERT INTO meta VALUES ('generation', 0), ('words', 0), ('analysis', ''), ('snapshot', ''), ('settled', 0);
"""

MIGRATIONS: tuple[tuple[str, str], ...] = (("the first catalog", _FIRST),)
"""Each brings the catalog one version further; `user_version` counts those that were applied."""


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the catalog to the newest version, each step a transaction of its own."""
    for number, (_, script) in enumerate(MIGRATIONS, start=1):
        if version_of(connection) < number:
            try:
                connection.executescript(f"BEGIN IMMEDIATE; {script} PRAGMA user_version = {number}; COMMIT;")
            except sqlite3.OperationalError as fault:
                connection.rollback()
                if version_of(connection) < number:
                    raise unsupported(fault) from fault


def version_of(connection: sqlite3.Connection) -> int:
    """How many migrations were applied."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_version(connection: sqlite3.Connection) -> None:
    """Refuse a catalog that a newer clew wrote."""
    found = version_of(connection)
    if found > len(MIGRATIONS):
        raise IndexUnusable(
            f"the index was written by a newer clew (its version is {found}, this one reads up to {len(MIGRATIONS)})",
            f"upgrade clew, or {REBUILD}",
        )


def unsupported(fault: sqlite3.OperationalError) -> Exception:
    """A missing FTS5 gets a hint of its own; anything else stays what it is."""
    if "fts5" not in str(fault).lower():
        return fault
    return IndexUnusable(
        "this Python's SQLite was built without FTS5, which keyword search needs",
        "use a Python whose sqlite3 has FTS5 (python.org, conda, uv and every current Linux have it)",
    )
