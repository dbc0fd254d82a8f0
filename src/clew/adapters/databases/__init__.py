"""Which databases can be read? A URL in, a snapshot out; one file or folder a kind of source."""

from __future__ import annotations

import time

from clew.adapters.databases.connecting import StatementFailed
from clew.adapters.databases.ddl import reflect_ddl
from clew.adapters.databases.duckdb import reflect_duckdb
from clew.adapters.databases.generic import reflect_generic
from clew.adapters.databases.mysql import reflect_mysql
from clew.adapters.databases.postgres import reflect_postgres
from clew.adapters.databases.sqlite import reflect_sqlite
from clew.adapters.databases.statistics import without_values
from clew.core.schema.contracts import Snapshot
from clew.core.schema.protocols import Reflector, Wishes
from clew.errors import Unreachable, UsageError

_READERS: dict[str, Reflector] = {
    "ddl": reflect_ddl,
    "sqlite": reflect_sqlite,
    "duckdb": reflect_duckdb,
    "postgresql": reflect_postgres,
    "postgres": reflect_postgres,
    "mysql": reflect_mysql,
    "mariadb": reflect_mysql,
}


def reflect(name: str, url: str, wishes: Wishes) -> Snapshot:
    """The snapshot of what stands behind a URL (secrets filled in), not yet versioned. Never writes there; what cannot be read is named in `unread`.

    Raises UsageError for a URL that means nothing, Unreachable where nothing answers in time, MissingExtra where a driver is not installed.
    """
    scheme, colon, _ = url.partition(":")
    if not colon:
        raise UsageError(
            "this is no URL of a database", "such as sqlite:///app.db, postgresql://user@host/name or ddl:schema.sql?dialect=postgres"
        )
    reader = _READERS.get(scheme.partition("+")[0].lower(), reflect_generic)
    try:
        snapshot = reader(name, url, wishes)
    except StatementFailed as failed:
        raise Unreachable(f"the catalogs of this database cannot be read: {failed.message}") from failed
    return snapshot.model_copy(update={"taken_at": int(time.time()), "tables": without_values(snapshot.tables)})
