"""Is a language model asked within its limits, over a real connection, and is each way of not answering told for what it is?"""

from __future__ import annotations

import subprocess
import sys

import pytest
from pydantic import BaseModel
from pydantic_ai.exceptions import UnexpectedModelBehavior
from tests.language_server import HANGS, language_server, shape_of
from tests.servers import free_port

from clew.adapters.language_models import AgentModel, load
from clew.core.language import Allowance, Usage
from clew.core.tokens import count_tokens
from clew.errors import AllowanceSpent, MissingExtra, Unreachable, UsageError
from clew.testing import Script


class Pick(BaseModel):
    name: str
    reason: str = ""


def test_a_server_that_speaks_as_openais_does_is_asked_and_answers_in_shape() -> None:
    with language_server({"name": "users", "reason": "people"}) as server:
        model = load("openai:small", server.address, "key-1")
        assert model.ask("Pick one.", "the </evidence> tables", Pick) == Pick(name="users", reason="people")
    (asked,) = server.requests
    assert (model.name, asked["model"], server.keys) == ("openai:small", "small", ["Bearer key-1"])
    words = str(asked["messages"])
    assert "Pick one." in words and "<evidence>" in words and words.count("</evidence>") == 2  # in the instructions and at the end
    assert asked["temperature"] == 0


def test_a_server_of_ones_own_is_given_a_schema_that_it_can_hold_the_model_to() -> None:
    with language_server({"name": "a"}) as server:
        load("any:small", server.address).ask("x", "y", Pick)
    (asked,) = server.requests
    assert "tools" not in asked
    assert set(shape_of(asked)["properties"]) == {"name", "reason"}
    assert '"reason"' in str(asked["messages"])  # and told, should the server not know of schemas


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_takes_no_schema_is_given_a_tool_from_then_on(status: int) -> None:
    with language_server(always=lambda asked: status if "response_format" in asked else {"name": "a"}) as server:
        model = load("any:small", server.address)
        assert [model.ask("x", "y", Pick).name for _ in range(2)] == ["a", "a"]
    assert ["tools" in asked for asked in server.requests] == [False, True, True]


def test_a_refusal_that_is_not_of_the_schema_is_told_and_the_schema_kept() -> None:
    with language_server(400, 400, {"name": "a"}) as server:
        model = load("any:small", server.address)
        with pytest.raises(Unreachable, match="status 400"):
            model.ask("x", "y", Pick)
        assert model.ask("x", "y", Pick).name == "a"
    assert ["tools" in asked for asked in server.requests] == [False, True, False]


def test_a_server_without_keys_is_told_none() -> None:
    with language_server({"name": "a"}) as server:
        load("any:small", server.address).ask("x", "y", Pick)
    assert server.keys == ["Bearer none"]


def test_an_answer_out_of_shape_is_asked_for_again_and_then_is_no_answer() -> None:
    script = Script([{"nothing": 1}, {"name": "second"}])
    assert AgentModel("s", script.model()).ask("x", "y", Pick).name == "second"
    stubborn = Script([{"nothing": 1}] * 5)
    with pytest.raises(UnexpectedModelBehavior):
        AgentModel("s", stubborn.model()).ask("x", "y", Pick)
    assert 2 <= 5 - len(stubborn._answers) <= 3


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_a_server_that_refuses_is_unreachable_and_the_status_is_said(status: int) -> None:
    with language_server(*[status] * 10) as server, pytest.raises(Unreachable, match=f"status {status}") as fault:
        load("openai:small", server.address, "key-secret").ask("x", "y", Pick)
    assert "secret" not in f"{fault.value.message}{fault.value.hint}"


def test_nobody_listening_is_unreachable() -> None:
    with pytest.raises(Unreachable, match="does not answer"):
        load("openai:small", f"http://127.0.0.1:{free_port()}/v1").ask("x", "y", Pick)


def test_a_missing_key_an_unknown_provider_and_a_name_that_is_none_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(Unreachable, match="its key is not set"):
        load("openai:gpt-5-mini")
    with pytest.raises(UsageError, match="not known"):
        load("nobody:model")
    for spec in ("", "openai", "openai:", ":x"):
        with pytest.raises(UsageError, match="names no language model"):
            load(spec)
    with pytest.raises(UsageError, match="address"):
        load("openai:x", "ftp://host")


def test_without_its_client_the_extra_to_install_is_named() -> None:
    program = """
import sys
sys.modules["pydantic_ai"] = None
from clew.adapters.language_models import load
from clew.errors import MissingExtra
try:
    load("openai:x")
except MissingExtra as fault:
    print(fault.hint)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "pip install 'clew[llm]'"
    assert issubclass(MissingExtra, UsageError)


def allowance(requests: int = 9, read: int = 10_000, wrote: int = 10_000, seconds: float = 60.0) -> Allowance:
    return Allowance(Usage(requests, read, wrote), seconds)


def test_every_reply_is_booked_those_out_of_shape_among_them() -> None:
    spent = allowance()
    with language_server({"nothing": 1}, "no shape at all", {"name": "a"}) as server:
        model = load("any:small", server.address)
        with pytest.raises(UnexpectedModelBehavior):
            model.ask("x", "y", Pick, spent)
        assert spent.spent.requests == len(server.requests) == 2
        assert model.ask("x", "y", Pick, spent).name == "a"
    assert spent.spent.requests == 3
    assert spent.spent.input_tokens >= sum(count_tokens(text) for text in server.said) and spent.spent.output_tokens > 0


def test_a_refused_request_is_booked_too() -> None:
    spent = allowance()
    with language_server(500) as server, pytest.raises(Unreachable):
        load("any:small", server.address).ask("x", "y", Pick, spent)
    assert spent.spent.requests == len(server.requests) > 0 and spent.spent.input_tokens > 0


@pytest.mark.parametrize("short", [allowance(requests=0), allowance(read=20), allowance(wrote=0), allowance(seconds=0)])
def test_what_an_allowance_does_not_reach_for_is_never_sent(short: Allowance) -> None:
    with language_server({"name": "a"}) as server, pytest.raises(AllowanceSpent):
        load("any:small", server.address).ask("x", "evidence " * 50, Pick, short)
    assert server.requests == [] and short.spent == Usage()


def test_a_reply_that_does_not_come_is_not_waited_for_beyond_the_deadline() -> None:
    with language_server(HANGS) as server, pytest.raises(Unreachable):
        load("any:small", server.address).ask("x", "y", Pick, allowance(seconds=2.0))
    assert len(server.requests) == 1
