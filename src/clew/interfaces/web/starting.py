"""How is a server put together? Folders and options in, a server that listens out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from clew.adapters.signed_tokens import SignedTokens
from clew.adapters.signing_keys import SigningKeys
from clew.assembly import open_service
from clew.assembly_mounts import this_user
from clew.core.access import Principal
from clew.errors import UsageError
from clew.interfaces.cli.output import note
from clew.interfaces.web.app import Web
from clew.interfaces.web.entering import Anybody, Bearers, Entrance
from clew.interfaces.web.running import Listening, address, allowed_hosts, serve
from clew.serving.configured import Serving, configured
from clew.settings import load_settings, user_config_folder, user_section
from clew.stores.tokens import NAME, TokenFile


def start(
    paths: Sequence[str],
    listen: str,
    *,
    auth: bool | None = None,
    tokens: Path | None = None,
    certificate: str = "",
    key: str = "",
    proxies: str = "",
    hosts: Sequence[str] = (),
) -> None:
    """Serve these projects until told to stop. Raises UsageError for what cannot be served so."""
    serving = configured(user_section("serve"), str(user_config_folder() / "config.toml"))
    serving = replace(serving, hosts=tuple(hosts) or serving.hosts)
    where = Listening(*address(listen), certificate, key, proxies)
    kept = TokenFile(tokens or user_config_folder() / NAME)
    entrance, is_open = _entrance(where, serving, kept, auth)
    with open_service(paths, hides_places=not is_open, keeps_text=serving.audit_text) as service:
        service.refuse_unready()
        serve(Web(service, entrance, serving, allowed_hosts(where, serving.hosts)), where)


def _entrance(where: Listening, serving: Serving, kept: TokenFile, auth: bool | None) -> tuple[Entrance, bool]:
    """Who may ask, and whether that is this machine's user without more."""
    wanted = bool(kept.all()) or serving.identity is not None if auth is None else auth
    if wanted:
        if not kept.all() and serving.identity is None:
            raise UsageError("there is no token, so that nobody could ask", "make one: clew token create NAME")
        return Bearers(kept, _signed(serving)), False
    if not where.is_loopback:
        raise UsageError(
            f"{where.host} can be reached from other machines, and nobody would have to say who they are",
            "make tokens (clew token create NAME), or listen on 127.0.0.1",
        )
    if where.proxies:
        raise UsageError(
            "behind a proxy others can reach it, and nobody would have to say who they are", "make tokens: clew token create NAME"
        )
    note("no token is asked for: whoever is on this machine is answered as its user")
    return Anybody(this_user(load_settings(Path.cwd()))), True


def _signed(serving: Serving) -> Callable[[str], Principal | None] | None:
    """What checks tokens of another maker, where one is trusted. Raises what hinders that."""
    if serving.identity is None:
        return None
    keys = SigningKeys(serving.identity.jwks, user_config_folder())
    keys.refuse_unreadable()
    return SignedTokens(serving.identity, keys).principal
