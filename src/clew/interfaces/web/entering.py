"""Who asks? Whoever a token says; where there is no authentication, the user whose machine it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from clew.core.access import Principal
from clew.interfaces.web.faults import unauthenticated
from clew.stores.tokens import TokenFile

LONGEST_TOKEN = 16_384


class Entrance(Protocol):
    """How a request's Authorization header becomes a principal."""

    @property
    def is_slow(self) -> bool:
        """Whether it may wait for something."""
        ...

    def principal(self, authorization: str | None) -> Principal:
        """Who asks. Raises HttpFault 401 for who may not."""
        ...


class Anybody:
    """No authentication: on an address that this machine alone reaches, everybody is its user."""

    is_slow = False

    def __init__(self, user: Principal) -> None:
        self._user = user

    def principal(self, authorization: str | None) -> Principal:
        """The user."""
        return self._user


class Bearers:
    """Tokens of clew's own, and those that somebody else signs; which one it is, its form tells."""

    def __init__(self, tokens: TokenFile, signed: Callable[[str], Principal | None] | None = None) -> None:
        self._tokens = tokens
        self._signed = signed

    @property
    def is_slow(self) -> bool:
        """Keys may have to be fetched."""
        return self._signed is not None

    def principal(self, authorization: str | None) -> Principal:
        """The bearer of the token. Every refusal is the same."""
        kind, _, token = (authorization or "").partition(" ")
        token = token.strip()
        if kind.lower() != "bearer" or not token or len(token) > LONGEST_TOKEN:
            raise unauthenticated()
        found = self._signed(token) if self._signed is not None and token.count(".") == 2 else self._own(token)
        if found is None:
            raise unauthenticated()
        return found

    def _own(self, token: str) -> Principal | None:
        kept = self._tokens.bearer(token)
        return kept.principal if kept is not None else None
