"""Which databases does a project have? Registered by name, with the URL as it is kept; chosen by name, with the nearest one for a wrong one."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from clew.core.schema.addresses import HIDDEN, checked_url, file_of, masked_argument, split_secrets, with_file
from clew.core.schema.protocols import Changed, SchemaStore, Wishes
from clew.core.schema.registry import OTHER_URL, Registration, Registry, Standings
from clew.core.schema.reports import Added
from clew.errors import NoIndex, UsageError

_NAME = re.compile(r"\w[\w-]{0,62}")
_ADD = "add one: clew db add NAME URL"


class Registered:
    """The databases of a project by name."""

    def __init__(self, root: Path, registry: Registry, schemas: SchemaStore, standings: Standings) -> None:
        self._root = root
        self._registry = registry
        self._schemas = schemas
        self._standings = standings

    def names(self) -> tuple[str, ...]:
        """All of them, in order."""
        return tuple(self._registry.all())

    def chosen(self, names: Sequence[str] = ()) -> tuple[Registration, ...]:
        """Those of these names, all without any. Raises NoIndex where there is none at all, UsageError for a name that nobody gave."""
        known = self._registry.all()
        if not known:
            raise NoIndex("no database is registered here", _ADD)
        for name in names:
            if name not in known:
                close = difflib.get_close_matches(name, known, n=1)
                hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(list(known)[:20])}"
                raise UsageError(f"no database is called {masked_argument(name)!r}", hint)
        return tuple(known[name] for name in dict.fromkeys(names)) if names else tuple(known.values())

    def only(self, name: str) -> Registration:
        """The one of this name. Raises as `chosen` does."""
        return self.chosen((name,))[0]

    def add(self, name: str, url: str, base: Path, changed: Changed, *, replaced: bool) -> Added:
        """Keep a name for a URL, and apart from it what is secret; see `Databases.add`."""
        if not _NAME.fullmatch(name):
            raise UsageError(f"{masked_argument(name)[:80]!r} cannot be a database's name", "use letters, digits, _ and -, at most 63")
        bare, secrets = split_secrets(checked_url(self._placed(url, base)))
        aside = self._registry.set_aside() if replaced else ()
        known = self._registry.all().get(name)
        wanted = Registration(name, bare, replace(known.wishes if known is not None else Wishes(), **changed))
        same_url = known is not None and known.url == bare and (HIDDEN not in bare or self._registry.secrets(name) == secrets)
        if known == wanted and same_url:
            return Added(wanted, "unchanged", bool(secrets))
        if known is not None and not same_url and not replaced:
            raise UsageError(
                f"{name} is registered already, with another URL: {known.url}", f"give --replace, or first: clew db remove {name}"
            )
        self._registry.put(wanted, secrets)
        if not same_url and known is not None:
            drift = OTHER_URL if self._schemas.versions(name) else ""
            self._standings.note(name, replace(self._standings.standing(name), stamp="", fault="", drift=drift))
        return Added(wanted, "replaced" if known is not None else "added", bool(secrets), aside)

    def changed(self, one: Registration, changed: Changed) -> Registration:
        """The registration with other wishes, kept where they are others."""
        wanted = replace(one, wishes=replace(one.wishes, **changed))
        if wanted != one:
            self._registry.put(wanted, self._registry.secrets(one.name))
        return wanted

    def _placed(self, url: str, base: Path) -> str:
        """A file's address from the project's root where it is inside, else from the root of the system: the project may move."""
        path = file_of(url)
        if not path:
            return url
        full = Path(os.path.normpath(base / Path(path).expanduser()))
        return with_file(url, full.relative_to(self._root).as_posix() if full.is_relative_to(self._root) else os.fspath(full))
