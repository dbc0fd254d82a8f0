"""Which secrets does the user's keyring keep for clew? Where the package keyring is installed, and the system has one."""

from __future__ import annotations

from contextlib import suppress

SERVICE = "clew"


def kept_secret(account: str) -> str | None:
    """What `keyring set clew ACCOUNT` put there; None where nothing was, or there is no keyring."""
    with suppress(ImportError):
        import keyring
        from keyring.errors import KeyringError

        with suppress(KeyringError):
            found: str | None = keyring.get_password(SERVICE, account)
            return found
    return None
