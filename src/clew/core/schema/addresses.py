"""Where is a database, and what in its address is secret? Pure: secrets are split off a URL, filled in at use, and struck out of any text.

A password ends at the last `@` of a URL: one that holds `@`, `:`, `/`, `?` or `%` is found whether it is URL-encoded or not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple
from urllib.parse import quote, quote_plus, unquote

from clew.errors import UsageError

HIDDEN = "***"
"""What stands in the place of a secret, in what is kept and shown."""
PASSWORD = "password"

_FILE_KINDS = re.compile(r"(?i)(?:ddl:|(?:sqlite|duckdb)(?:\+\w+)?:///)")
"""Addresses of files: an @ in them is part of a path."""
_AUTHORITY = re.compile(r"(?s)([A-Za-z][\w+.\-]*://)([^:/]*):(.*)@(.*)\Z")
_VARIABLE = re.compile(r"\$\{(\w+)\}")
_SECRET_KEYS = re.compile(r"(?i)passw|pwd|secret|token|passphrase|api_?key|access_?key|private_?key|credential|odbc_connect")
_IN_TEXT = re.compile(r"[A-Za-z][\w+.\-]*://[^\s'\"<>|]*")
_SCHEME = re.compile(r"(?i)(?:ddl:|[a-z][\w+.\-]*://|\$\{\w+\}).+", re.DOTALL)
_BEGINNING = re.compile(r"[A-Za-z][\w+.\-]*://")
_LONGEST_GREEDY = 4_096
_WITHHELD = "the message is withheld: it may hold the password"
_SHORTEST = 3
"""Shorter secrets are found in any text: a message that holds one is withheld as a whole."""


class Filled(NamedTuple):
    """A URL that a driver takes, and the secrets in it, as they are meant (not encoded)."""

    url: str
    secrets: tuple[str, ...]


_FORMS = (
    ((".db", ".sqlite", ".sqlite3", ".db3"), "sqlite:///{}"),
    ((".duckdb", ".ddb"), "duckdb:///{}"),
    ((".sql", ".ddl", ".sql.gz"), "ddl:{}"),
)
"""Endings of files, and the URL that each has."""


def checked_url(url: str) -> str:
    """The same URL, where it can be one of a database. Raises UsageError, which names no secret."""
    if not _SCHEME.fullmatch(url):
        raise UsageError(
            f"{masked_argument(url)[:80]!r} is no address of a database",
            _likely(url) or "give a URL like postgresql://user@host/db, sqlite:///file.db, or ddl:schema.sql?dialect=postgres",
        )
    if f":{HIDDEN}@" in url or f"={HIDDEN}" in url:
        raise UsageError(f"{HIDDEN} stands in the place of a secret", "write the secret itself, or ${VARIABLE}")
    return url


def _likely(path: str) -> str:
    """What the URL of a file is, where its name says what it holds."""
    form = next((form for endings, form in _FORMS if path.lower().endswith(endings)), "")
    return f"if it is a file: {form.format(path)}" if form and "@" not in path else ""


def split_secrets(url: str) -> tuple[str, dict[str, str]]:
    """The URL with `***` in the place of each literal secret, and those secrets by place (`password`, or a parameter's name); `${…}` stays."""
    if _FILE_KINDS.match(url):
        return _split_parameters(url)
    found = _AUTHORITY.match(url)
    if found is None:
        return _split_parameters(url)
    scheme, user, password, rest = found.groups()
    rest, secrets = _split_parameters(rest)
    if not password or password == HIDDEN or _is_variable(password):
        return f"{scheme}{user}:{password}@{rest}", secrets
    return f"{scheme}{user}:{HIDDEN}@{rest}", {PASSWORD: unquote(password), **secrets}


def filled(bare: str, secrets: Mapping[str, str], variable: Callable[[str], str | None]) -> Filled:
    """The URL with secrets and variables in their places, encoded as a URL wants it; a variable may also hold a whole URL.

    Raises UsageError, naming it, for a variable that is not set or a secret that is not known.
    """
    whole = _VARIABLE.fullmatch(bare.strip())
    if whole is not None:
        bare, secrets = split_secrets(_value(whole[1], variable))
    used: list[str] = []
    found = None if _FILE_KINDS.match(bare) else _AUTHORITY.match(bare)
    if found is None:
        url = _fill_parameters(bare, secrets, variable, used)
    else:
        scheme, user, password, rest = found.groups()
        word = _secret(PASSWORD, secrets) if password == HIDDEN else _substituted(password, variable, is_part=True)
        used.append(word)
        rest = _fill_parameters(rest, secrets, variable, used)
        url = f"{scheme}{_substituted(user, variable, is_part=True, encoded=True)}:{quote(word, safe='')}@{rest}"
    return Filled(url, tuple(dict.fromkeys(filter(None, (*used, *split_secrets(url)[1].values())))))


def redacted(text: str, secrets: Iterable[str]) -> str:
    """A text without these secrets in any of the forms in which a driver may repeat them, nor passwords of URLs in it."""
    known = [one for one in secrets if one]
    for secret in sorted(known, key=len, reverse=True):
        for form in sorted(_forms(secret), key=len, reverse=True):
            if len(form) >= _SHORTEST:
                text = text.replace(form, HIDDEN)
            elif re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text):
                return _WITHHELD
    return masked(text)


def masked(text: str) -> str:
    """A text in which the password of every URL is struck out that ends at a blank."""
    return _IN_TEXT.sub(lambda found: _masked_url(found[0]), text) if "://" in text else text


def masked_argument(argument: str) -> str:
    """A word of a command line, in which everything from the beginning of a URL on is that URL."""
    found = _BEGINNING.search(argument)
    return argument[: found.start()] + _masked_url(argument[found.start() :]) if found else argument


def secrets_of(arguments: Iterable[str]) -> list[str]:
    """The secrets in the URLs of a command line, as they are meant and as they are written."""
    found: list[str] = []
    for argument in arguments:
        beginning = _BEGINNING.search(argument)
        if beginning is None:
            continue
        url = argument[beginning.start() :]
        found += split_secrets(url)[1].values()
        authority = _AUTHORITY.match(url)
        found += [authority[3]] if authority else []
    return found


def _masked_url(url: str) -> str:
    return split_secrets(url)[0] if len(url) <= _LONGEST_GREEDY else f"{url[: url.index('://')]}://{HIDDEN}"


def _forms(secret: str) -> set[str]:
    encoded = {quote(secret, safe=""), quote(secret), quote_plus(secret), secret, unquote(secret)}
    escaped = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1], secret.replace("'", "''")}
    return {*encoded, *(one.lower() for one in encoded if "%" in one), *escaped} - {""}


def _is_variable(text: str) -> bool:
    """Whether a password is named and not given: nothing but variables."""
    return not _VARIABLE.sub("", text)


def _substituted(text: str, variable: Callable[[str], str | None], *, is_part: bool, encoded: bool = False) -> str:
    """A text with its variables' values. One `part` of a URL is what it means, a variable's value taken as it is, unless it is to stay `encoded`."""
    parts: list[str] = []
    for number, piece in enumerate(_VARIABLE.split(text)):
        meant = _value(piece, variable) if number % 2 else unquote(piece) if is_part else piece
        parts.append(quote(meant, safe="") if encoded else meant)
    return "".join(parts)


def _value(name: str, variable: Callable[[str], str | None]) -> str:
    value = variable(name)
    if value is None:
        raise UsageError(f"the environment variable {name} is not set", f"set {name}, which the database's URL names")
    return value


def _secret(place: str, secrets: Mapping[str, str]) -> str:
    if place not in secrets:
        raise UsageError(
            f"the {place.removeprefix('?')} is not known on this machine",
            "give it again: clew db add NAME URL --replace, or write ${VARIABLE} in the URL",
        )
    return secrets[place]


def _split_parameters(text: str) -> tuple[str, dict[str, str]]:
    """A text with a query, secrets hidden; each under its parameter's name behind a `?`."""
    secrets: dict[str, str] = {}

    def hidden(key: str, value: str) -> str:
        if not value or _is_variable(value) or value == HIDDEN or not _SECRET_KEYS.search(key):
            return value
        secrets[f"?{key}"] = unquote(value)
        return HIDDEN

    return _with_parameters(text, hidden), secrets


def _fill_parameters(text: str, secrets: Mapping[str, str], variable: Callable[[str], str | None], used: list[str]) -> str:
    def meant(key: str, value: str) -> str:
        if not _SECRET_KEYS.search(key):
            return _substituted(value, variable, is_part=False)
        word = _secret(f"?{key}", secrets) if value == HIDDEN else _substituted(value, variable, is_part=True)
        used.append(word)
        return quote(word, safe="")

    head, mark, query = text.partition("?")
    return _substituted(head, variable, is_part=False) + _with_parameters(mark + query, meant)


def _with_parameters(text: str, exchanged: Callable[[str, str], str]) -> str:
    """A text whose query has other values; a parameter without one counts as a value without a name."""
    head, mark, query = text.partition("?")
    parts = []
    for part in query.split("&") if mark else ():
        key, sign, value = part.partition("=")
        parts.append(f"{key}={exchanged(key, value)}" if sign else exchanged("", part))
    return head + mark + "&".join(parts)


def file_of(url: str) -> str:
    """The path in an address of a file, `ddl:FILE`, `sqlite:///FILE` or `duckdb:///FILE`; empty for one of memory, of a server, or with a URI of its own."""
    return _file_parts(url)[1]


def with_file(url: str, path: str) -> str:
    """A file's address with another path."""
    before, _, after = _file_parts(url)
    return f"{before}{path}{after}"


def _file_parts(url: str) -> tuple[str, str, str]:
    found = _FILE_KINDS.match(url)
    if found is None:
        return url, "", ""
    path, mark, query = url[found.end() :].partition("?")
    if not path or path.startswith((":", "file:", "md:", "${")):
        return url, "", ""
    return found[0], path, mark + query


def variables(text: str) -> tuple[str, ...]:
    """The names of the variables that a URL, or a part of it, is filled from."""
    return tuple(found[1] for found in _VARIABLE.finditer(text))
