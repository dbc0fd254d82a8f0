"""Where is a MongoDB? What a setting says: an address with a database in it, its secrets kept out of what is shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, unquote

from clew.core.schema.addresses import HIDDEN, filled, masked
from clew.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMES = ("mongodb://", "mongodb+srv://")
DATABASE = "clew"
"""The database where an address names none."""
_THIS_MACHINE = ("localhost", "127.0.0.1", "[::1]")
_ADDRESS = re.compile(r"(?s)(mongodb(?:\+srv)?)://(?:(.*)@)?([^/?]*)(?:/([^?]*))?(?:\?(.*))?\Z")
_HARMLESS = frozenset({"directconnection", "replicaset", "appname", "retrywrites", "retryreads", "w", "readpreference", "authsource"})
"""Options that send nothing elsewhere: what else a project's own file says of a connection is for its reader to say."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,38}")
"""What MongoDB takes as a database's name on every system."""


class Address(NamedTuple):
    """`uri` may hold secrets; `shown` never does."""

    uri: str
    database: str
    shown: str
    secrets: tuple[str, ...]


def place(
    text: str, variable: Callable[[str], str | None], password: Callable[[str, str], str | None] = lambda shown, user: None
) -> Address:
    """What a setting means. `${NAME}` stands for a variable of the environment; a user without a password is given the one that `password`
    knows for the address and the user.

    Raises UsageError for an address that means nothing, never repeating what may be secret in it.
    """
    known = filled(text, {}, variable)
    found = _ADDRESS.match(known.url)
    if found is None or not found[3]:
        raise UsageError("the store's address is none", "give one like mongodb://HOST:27017/DATABASE or mongodb+srv://HOST/DATABASE")
    scheme, login, hosts, database, options = found.groups()
    database = unquote(database or "") or DATABASE
    if not _NAME.fullmatch(database):
        raise UsageError("the store's address names no database that MongoDB takes", "letters, digits, - and _ may be in it, 38 at most")
    shown = f"{scheme}://{hosts}/{database}"
    secrets = list(known.secrets)
    if login and ":" not in login and (secret := password(shown, unquote(login))):
        from urllib.parse import quote

        login, secrets = f"{login}:{quote(secret, safe='')}", [*secrets, secret]
    uri = f"{scheme}://{login + '@' if login else ''}{hosts}/{database}{'?' + options if options else ''}"
    return Address(uri, database, masked(shown), tuple(secrets))


def is_local(text: str) -> bool:
    """Whether an address leads to this machine and nowhere else: every host of it, and no option that might."""
    found = _ADDRESS.match(text)
    if found is None or found[1] != "mongodb" or "${" in text:
        return False
    hosts = [host.rpartition(":")[0] if re.search(r":\d+\Z", host) else host for host in found[3].split(",")]
    options = {name.lower() for name, _ in parse_qsl(found[5] or "", keep_blank_values=True)}
    return bool(hosts) and all(host in _THIS_MACHINE for host in hosts) and options <= _HARMLESS


def hides(text: str) -> str:
    """An address as it may be shown."""
    found = _ADDRESS.match(text)
    if found is None:
        return masked(text)
    return f"{found[1]}://{HIDDEN + '@' if found[2] else ''}{found[3]}{'/' + found[4] if found[4] else ''}"
