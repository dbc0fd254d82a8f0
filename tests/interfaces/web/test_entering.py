"""Is everybody refused in the same bytes who shows no good token?"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.interfaces.web.conftest import Asking, Reply, Team, token_for
from tests.serving.conftest import ANN, BOB
from tests.signing import AUDIENCE, ISSUER, bad, key_server, maker

from clew.adapters.signed_tokens import SignedTokens
from clew.adapters.signing_keys import SigningKeys
from clew.core.credentials import Identity
from clew.interfaces.web.entering import Bearers
from clew.stores.tokens import TokenFile

Starting = Callable[..., Any]


def seen(reply: Reply) -> tuple[int, bytes, dict[str, str]]:
    return reply.status, reply.raw, {**reply.headers, "date": "", "x-request-id": ""}


def test_every_bad_token_is_refused_in_the_same_bytes(serving: Starting, tmp_path: Path) -> None:
    keys, tokens = maker(), TokenFile(tmp_path / "tokens.json")
    over = token_for(tokens, ANN, expires=1)
    revoked = token_for(tokens, BOB)
    tokens.revoke(BOB.name)
    (tmp_path / "keys.json").write_text(json.dumps(keys.key_set()))
    identity = Identity(ISSUER, (AUDIENCE,), "keys.json", leeway=5)
    entrance = Bearers(tokens, SignedTokens(identity, SigningKeys("keys.json", tmp_path)).principal)
    with serving(entrance) as (asking, _):
        assert asking.named(keys.signed()).get("/v1/namespaces").status == 200
        expected = seen(asking.get("/v1/namespaces"))
        assert expected[0] == 401
        assert expected[2]["www-authenticate"] == "Bearer"
        for token in (over, revoked, "x" * 20_000, *(one for one in bad(keys).values() if one.isascii())):
            assert seen(asking.named(token).get("/v1/namespaces")) == expected, token[:80]
        for header in ("", "Bearer", "Bearer ", "Basic YTpi", f"Token {keys.signed()}", keys.signed(), "Bearer \xff", "bearer  ,"):
            assert seen(asking.ask("GET", "/v1/namespaces", headers={"Authorization": header})) == expected, header
        assert seen(asking.named(over).ask("POST", "/v1/search", raw=b"{")) == expected, "before anything else is looked at"


@given(st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=80))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_garbage_lets_nobody_in(team: Team, garbage: str) -> None:
    for token in (garbage, f"clew_{garbage}", f"{team.ann.token}{garbage}"):
        if token != team.ann.token:
            assert team.anybody.named(token).get("/v1/namespaces").status == 401


def test_a_maker_that_cannot_be_asked_is_said_as_that(serving: Starting, tmp_path: Path) -> None:
    keys = maker()
    with key_server(keys.key_set()) as server:
        server.status = 500
        identity = Identity(ISSUER, (AUDIENCE,), server.address)
        entrance = Bearers(TokenFile(tmp_path / "tokens.json"), SignedTokens(identity, SigningKeys(server.address, tmp_path)).principal)
        with serving(entrance) as (asking, _):
            found = asking.named(keys.signed()).get("/v1/namespaces")
            assert (found.status, found.code) == (503, "unreachable")
            assert asking.named("nothing").get("/v1/namespaces").status == 401


def test_a_token_file_that_cannot_be_trusted_lets_nobody_in(serving: Starting, tmp_path: Path) -> None:
    tokens = TokenFile(tmp_path / "tokens.json")
    token = token_for(tokens, ANN)
    with serving(Bearers(tokens)) as (asking, _):
        asking: Asking
        assert asking.named(token).get("/v1/namespaces").status == 200
        (tmp_path / "tokens.json").write_text("{")
        found = asking.named(token).get("/v1/namespaces")
        assert (found.status, found.code) == (500, "internal")
        assert str(tmp_path) not in found.raw.decode()
