"""Does only a token let in that the trusted maker signed, for this audience, and whose time it is?"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.signing import AUDIENCE, ISSUER, Maker, bad, by_hand, key_server, maker, part

from clew.adapters.signed_tokens import SignedTokens
from clew.adapters.signing_keys import AGAIN_S, FRESH_S, KEPT_S, SigningKeys
from clew.core.credentials import Identity
from clew.errors import Unreachable, UsageError

KEYS = maker()
ROLES = {"clew-admins": "admin", "clew-developers": "developer"}


@pytest.fixture(scope="module")
def tokens(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SignedTokens]:
    folder = tmp_path_factory.mktemp("keys")
    (folder / "keys.json").write_text(json.dumps(KEYS.key_set()))
    yield checking(folder, leeway=5, role_claim="realm.roles", teams_claim="groups", roles=ROLES)


def checking(folder: Path, place: str = "keys.json", now: Any = time.monotonic, **others: Any) -> SignedTokens:
    return SignedTokens(Identity(ISSUER, (AUDIENCE,), place, **others), SigningKeys(place, folder, now))


@pytest.mark.parametrize("name", ["rsa", "curve", "edwards"])
def test_a_good_token_says_who_shows_it(tokens: SignedTokens, name: str) -> None:
    who = tokens.principal(KEYS.signed(name, groups=["red", "blue"], realm={"roles": ["clew-developers", "others", "clew-admins"]}))
    assert who is not None
    assert (who.name, who.role, who.teams, who.namespaces, who.permissions) == ("ann", "admin", {"red", "blue"}, None, None)
    plain = tokens.principal(KEYS.signed(name, groups="red blue", realm={"roles": "admin"}, aud=["other", AUDIENCE]))
    assert plain is not None
    assert (plain.role, plain.teams) == ("viewer", {"red", "blue"})


BAD = bad(KEYS)


@pytest.mark.parametrize("what", BAD)
def test_every_other_token_lets_nobody_in(tokens: SignedTokens, what: str) -> None:
    assert tokens.principal(KEYS.signed()) is not None
    assert tokens.principal(BAD[what]) is None


def test_a_small_key_is_not_trusted(tmp_path: Path) -> None:
    small = Maker({"rsa": ("RS256", rsa.generate_private_key(65_537, 1_024))})
    (tmp_path / "keys.json").write_text(json.dumps(small.key_set()))
    assert checking(tmp_path).principal(small.signed()) is None


def test_a_shared_secret_among_the_keys_is_not_used(tmp_path: Path) -> None:
    secret = {"kty": "oct", "kid": "rsa", "k": part(b"secret" * 8), "alg": "HS256"}
    (tmp_path / "keys.json").write_text(json.dumps({"keys": [secret]}))
    assert checking(tmp_path).principal(by_hand({"alg": "HS256", "kid": "rsa"}, KEYS.usual(), b"secret" * 8)) is None


@given(
    st.text(max_size=60).map(lambda text: text.replace("\r", ""))
    | st.binary(max_size=60).map(lambda raw: f"{part(raw)}.{part(raw)}.{part(raw)}")
)
@settings(max_examples=60, deadline=None)
def test_garbage_lets_nobody_in(tokens: SignedTokens, garbage: str) -> None:
    assert tokens.principal(garbage) is None


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_changed_letter_lets_nobody_in(tokens: SignedTokens, data: st.DataObject) -> None:
    good = data.draw(st.sampled_from([GOOD_RSA, GOOD_CURVE]))
    at = data.draw(st.integers(0, len(good) - 2))  # the last letter holds bits that count for nothing
    letter = data.draw(st.sampled_from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.="))
    changed = f"{good[:at]}{letter}{good[at + 1 :]}"
    assert (tokens.principal(changed) is not None) == (changed == good)


GOOD_RSA, GOOD_CURVE = KEYS.signed(exp=int(time.time()) + 3_600), KEYS.signed("curve", exp=int(time.time()) + 3_600)


def test_a_new_key_counts_once_it_is_there_and_an_old_one_no_more(tmp_path: Path) -> None:
    old, new = maker(), maker()
    new.private["next"] = new.private.pop("rsa")
    (tmp_path / "keys.json").write_text(json.dumps(old.key_set()))
    tokens = checking(tmp_path)
    assert tokens.principal(old.signed()) is not None
    assert tokens.principal(new.signed("next")) is None
    (tmp_path / "keys.json").write_text(json.dumps(new.key_set(), indent=1))
    assert tokens.principal(new.signed("next")) is not None
    assert tokens.principal(old.signed()) is None


def test_keys_are_fetched_seldom_and_kept_while_their_maker_is_away(tmp_path: Path) -> None:
    now = [0.0]
    with key_server(KEYS.key_set()) as server:
        tokens = checking(tmp_path, server.address, lambda: now[0])
        for _ in range(5):
            assert tokens.principal(KEYS.signed()) is not None
        assert server.asked == 1
        for _ in range(5):
            assert tokens.principal(KEYS.signed(header={"kid": "unknown"})) is None
        assert server.asked == 1, "nobody makes it ask by naming keys"
        now[0] = AGAIN_S
        assert tokens.principal(KEYS.signed(header={"kid": "unknown"})) is None
        assert server.asked == 2
        server.status = 500
        now[0] = AGAIN_S + FRESH_S
        assert tokens.principal(KEYS.signed()) is not None
        assert server.asked == 3
        now[0] = AGAIN_S + KEPT_S
        with pytest.raises(Unreachable, match="cannot be fetched"):
            tokens.principal(KEYS.signed())


@pytest.mark.parametrize(("said", "status"), [({"keys": []}, 302), ({"keys": "none"}, 200), ([], 200), ({"keys": ["x" * 1_100_000]}, 200)])
def test_what_is_no_key_set_is_none_and_leads_nowhere(tmp_path: Path, said: Any, status: int) -> None:
    with key_server(said) as server:
        server.status = status
        with pytest.raises(Unreachable):
            checking(tmp_path, server.address).principal(KEYS.signed())
        with pytest.raises((Unreachable, UsageError)):
            SigningKeys(server.address, tmp_path).refuse_unreadable()


@pytest.mark.parametrize("place", ["http://id.example/keys", "ftp://127.0.0.1/keys", "file:///etc/passwd"])
def test_keys_are_fetched_by_a_safe_way_alone(tmp_path: Path, place: str) -> None:
    with pytest.raises(UsageError, match="cannot be fetched"):
        SigningKeys(place, tmp_path)


def test_a_file_that_is_missing_or_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        SigningKeys("none.json", tmp_path).refuse_unreadable()
    (tmp_path / "keys.json").write_text("{}")
    with pytest.raises(UsageError, match="holds no keys"):
        SigningKeys("keys.json", tmp_path).refuse_unreadable()
