"""Are Anthropic's and Google's models asked as their documentation says, with keys from where they may come from, and is a busy one asked again as it says?"""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel
from tests.adapters.language_models.provider_servers import anthropic, gemini, serving
from tests.language_server import BREAKS, Refusal, language_server

from clew.adapters.keyring import kept_secret
from clew.adapters.language_models import load
from clew.adapters.language_models.agent import FAILURES
from clew.core.language import Allowance, Usage
from clew.errors import Unreachable


class Pick(BaseModel):
    name: str


def allowance(requests: int = 9, seconds: float = 60.0) -> Allowance:
    return Allowance(Usage(requests, 10_000, 10_000), seconds)


@pytest.mark.parametrize(
    ("spec", "answering"), [("anthropic:claude-x", anthropic), ("gemini:gemini-x", gemini), ("google:gemini-x", gemini)]
)
def test_another_providers_model_answers_in_shape_and_its_tokens_are_booked(spec: str, answering: Any) -> None:
    spent = allowance()
    with serving(answering({"name": "a"}, "key-1")) as (address, requests):
        assert load(spec, address, "key-1").ask("Pick one.", "x", Pick, spent) == Pick(name="a")
    assert len(requests) == 1 and spent.spent == Usage(1, 321, 12)


@pytest.mark.parametrize(("spec", "answering"), [("anthropic:claude-x", anthropic), ("gemini:gemini-x", gemini)])
def test_a_wrong_key_is_told_and_never_repeated(spec: str, answering: Any) -> None:
    with serving(answering({"name": "a"}, "right")) as (address, requests), pytest.raises(Unreachable, match=r"status 40[13]") as fault:
        load(spec, address, "wrong-key").ask("x", "y", Pick)
    assert len(requests) == 1 and "wrong-key" not in f"{fault.value.message}{fault.value.hint}"


def test_a_key_is_looked_for_in_the_keyring_where_the_environment_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring
    from keyring.backend import KeyringBackend

    class Kept(KeyringBackend):
        priority = 1

        def get_password(self, service: str, username: str) -> str | None:
            return {("clew", "anthropic"): "key-1"}.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            raise NotImplementedError

    before = keyring.get_keyring()
    keyring.set_keyring(Kept())
    try:
        monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        with serving(anthropic({"name": "a"}, "key-1")) as (address, _):
            monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
            assert load("anthropic:claude-x", kept=kept_secret).ask("x", "y", Pick).name == "a"
        with pytest.raises(Unreachable, match="its key is not set") as fault:
            load("openai:gpt-x", kept=kept_secret)
        assert "keyring set clew openai" in fault.value.hint
    finally:
        keyring.set_keyring(before)


@pytest.mark.parametrize("busy", [Refusal(429, {"Retry-After": "0"}), Refusal(503), 500, BREAKS])
def test_what_may_pass_is_asked_again_and_each_time_is_booked(busy: Any) -> None:
    spent = allowance()
    with language_server(busy, {"name": "a"}) as server:
        assert load("any:small", server.address).ask("x", "y", Pick, spent).name == "a"
    assert spent.spent.requests == len(server.requests) == 2


@pytest.mark.parametrize("status", [401, 403, 404])
def test_what_will_not_pass_is_asked_once(status: int) -> None:
    with language_server(always=status) as server, pytest.raises(Unreachable):
        load("any:small", server.address).ask("x", "y", Pick)
    assert len(server.requests) == 1


@pytest.mark.parametrize("later", ["3600", "Fri, 31 Dec 2100 23:59:59 GMT"])
def test_a_server_that_wants_to_be_asked_after_the_deadline_is_not_waited_for(later: str) -> None:
    with language_server(always=Refusal(429, {"Retry-After": later})) as server, pytest.raises(Unreachable, match="429"):
        load("any:small", server.address).ask("x", "y", Pick, allowance(seconds=30))
    assert len(server.requests) == 1


@pytest.mark.parametrize("odd", ["soon", "-5", "Thu, 01 Jan 1970 00:00:00 GMT"])
def test_a_retry_after_that_says_nothing_or_the_past_is_no_obstacle(odd: str) -> None:
    with language_server(Refusal(429, {"Retry-After": odd}), {"name": "a"}) as server:
        assert load("any:small", server.address).ask("x", "y", Pick).name == "a"


def test_no_attempt_is_made_beyond_the_allowance_and_the_refusal_is_what_is_told() -> None:
    with language_server(always=Refusal(429, {"Retry-After": "0"})) as server, pytest.raises(Unreachable, match="429"):
        load("any:small", server.address).ask("x", "y", Pick, allowance(requests=2))
    assert len(server.requests) == 2


def test_a_model_that_never_answers_is_left_alone_and_one_that_talks_nonsense_is_not() -> None:
    with language_server(always=401) as server:
        model = load("any:small", server.address)
        for _ in range(FAILURES):
            with pytest.raises(Unreachable, match="401"):
                model.ask("x", "y", Pick)
        with pytest.raises(Unreachable, match="left alone"):
            model.ask("x", "y", Pick)
    assert len(server.requests) == FAILURES
    with language_server(always="nonsense") as server:
        model = load("any:small", server.address)
        for _ in range(FAILURES + 2):
            with pytest.raises(Exception, match=r"(?i)output|retries"):
                model.ask("x", "y", Pick)
    assert len(server.requests) == 2 * (FAILURES + 2)
