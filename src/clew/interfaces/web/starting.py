"""How is a server put together? Folders and options in, a server that listens out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from clew.access.door import Audit, Entry
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
from clew.serving.journal import Journal, audited
from clew.serving.measures import Measures
from clew.serving.telemetry import Telemetry
from clew.serving.timing import Timing
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
    measures = Measures(Telemetry() if serving.telemetry else None) if serving.metrics or serving.telemetry else None
    timing = Timing(measures) if measures is not None else None
    with ExitStack() as stack:
        audit = _audit(serving, stack, measures)
        opened = open_service(paths, audit, hides_places=not is_open, keeps_text=serving.audit_text, timing=timing, measures=measures)
        service = stack.enter_context(opened)
        service.refuse_unready()
        serve(Web(service, entrance, serving, allowed_hosts(where, serving.hosts), measures, timing), where)


def _audit(serving: Serving, stack: ExitStack, measures: Measures | None) -> Audit | None:
    """What writes down who did what, where that is asked for. A line that cannot be written is said, and costs nobody an answer."""
    if not serving.audit:
        return None
    journal = Journal(user_config_folder() / Path(serving.audit).expanduser(), serving.audit_bytes, serving.audit_kept)
    stack.callback(journal.close)

    def written(entry: Entry) -> None:
        try:
            audited(journal, entry)
        except OSError as fault:
            if measures is not None:
                measures.count("clew_audit_faults_total", {})
            note(f"clew: a line of the audit log could not be written: {fault.strerror or fault}")

    return written


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
