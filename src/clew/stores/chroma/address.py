"""Where is a Chroma: in a folder, or behind an address? What a setting says, with secrets kept out of what is shown."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from clew.errors import UsageError

_PORTS = {"http": 8000, "https": 443}


class Server(NamedTuple):
    """An HTTP server; `headers` may hold a secret, `shown` never does."""

    host: str
    port: int
    is_encrypted: bool
    headers: dict[str, str]

    @property
    def shown(self) -> str:
        """The address without user and password."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http{'s' if self.is_encrypted else ''}://{name}:{self.port}"


def place(text: str, folder: Path) -> Path | Server:
    """What `text` means to the index in a folder: nothing is `chunks.chroma` in it, an http address a server, all else a path.

    Raises UsageError for an address that means nothing.
    """
    if not text:
        return folder / "chunks.chroma"
    if not text.startswith(("http://", "https://")):
        return folder / Path(text).expanduser()
    try:
        parts = urlsplit(text)
        port = parts.port or _PORTS[parts.scheme]
    except ValueError as fault:
        raise _meaningless() from fault
    if not parts.hostname or parts.path.strip("/") or parts.query or parts.fragment:
        raise _meaningless()
    headers = {}
    if parts.username is not None:
        secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = "Basic " + base64.b64encode(secret.encode()).decode()
    return Server(parts.hostname, port, parts.scheme == "https", headers)


def _meaningless() -> UsageError:
    return UsageError("the address of the Chroma server is none", "give one like chroma:http://localhost:8000")
