"""Whose is a token that somebody else has signed? JSON Web Tokens, as of OpenID Connect: checked by the keys of the one issuer that is trusted, for this audience alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from clew.adapters.signing_keys import SigningKeys
from clew.core.access import ROLES, Principal, Role
from clew.core.credentials import Identity
from clew.errors import ClewError

LEAST_RSA_BITS = 2_048
LONGEST_NAME = 200
MOST_TEAMS = 1_000


class SignedTokens:
    """Checks tokens against what is set up. What is wrong with one is not said: to whoever shows it, every token that is not good is the same."""

    def __init__(self, identity: Identity, keys: SigningKeys) -> None:
        self._identity = identity
        self._keys = keys

    def principal(self, token: str) -> Principal | None:
        """Who shows it; None where it is not good. Raises Unreachable where no key is known because none can be had."""
        import jwt  # an extra

        try:
            return self._checked(token)
        except ClewError:
            raise
        except (jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
            return None

    def _checked(self, token: str) -> Principal | None:
        """The principal. Raises what jwt raises, and ValueError for what it does not look at."""
        import jwt

        identity = self._identity
        header = jwt.get_unverified_header(token)
        algorithm, number = header.get("alg"), header.get("kid")
        if algorithm not in identity.algorithms or not isinstance(number, str) or not number:
            return None
        made = self._keys.named(number)
        if made is None or made.get("use", "sig") != "sig" or made.get("alg", algorithm) != algorithm or made.get("kty") == "oct":
            return None
        key = jwt.PyJWK(dict(made), algorithm)
        if getattr(key.key, "key_size", LEAST_RSA_BITS) < LEAST_RSA_BITS and made.get("kty") == "RSA":
            return None
        claims = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=list(identity.audience),
            issuer=identity.issuer,
            leeway=identity.leeway,
            options={"require": ["exp", "iss", "aud"], "strict_aud": False},
        )
        return self._bearer(claims)

    def _bearer(self, claims: Mapping[str, Any]) -> Principal | None:
        identity = self._identity
        name = _claim(claims, identity.name_claim)
        if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
            return None
        teams = frozenset(_several(_claim(claims, identity.teams_claim))[:MOST_TEAMS])
        known: dict[str, Role] = {one: one for one in ROLES}
        given = [known[identity.roles[one]] for one in _several(_claim(claims, identity.role_claim)) if one in identity.roles]
        return Principal(name, max(given, key=ROLES.index, default=identity.role), teams)


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """A claim by its name, or by its way through claims that hold others (`realm_access.roles`); None where there is none."""
    if not name or name in claims:
        return claims.get(name)
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _several(value: Any) -> Sequence[str]:
    """A claim as a list of words: it may be one, or text with blanks."""
    if isinstance(value, str):
        return value.split()
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
