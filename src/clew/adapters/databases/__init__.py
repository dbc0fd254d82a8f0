"""Which databases can be read? A URL in, a snapshot out; one file or folder a kind of source."""

from __future__ import annotations

import time

from clew.adapters.databases.ddl import reflect_ddl
from clew.core.schema.contracts import Snapshot
from clew.core.schema.protocols import Reflector, Wishes
from clew.errors import UsageError

_READERS: dict[str, Reflector] = {"ddl": reflect_ddl}


def reflect(name: str, url: str, wishes: Wishes) -> Snapshot:
    """The snapshot of what stands behind a URL (secrets filled in), not yet versioned. Never writes there; what cannot be read is named in `unread`.

    Raises UsageError for a URL that means nothing, Unreachable where nothing answers in time, MissingExtra where a driver is not installed.
    """
    reader = _READERS.get(url.partition(":")[0].partition("+")[0].lower())
    if reader is None:
        raise UsageError("this is no URL of a database", "such as sqlite:///app.db or ddl:schema.sql?dialect=postgres")
    return reader(name, url, wishes).model_copy(update={"taken_at": int(time.time())})
