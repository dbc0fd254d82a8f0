"""Does `clew models` tell what can be used, and ask nobody unless it is told to?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.provider_server import KEY, provider_server

Run = Callable[..., Any]


def of(told: Any, role: str) -> Any:
    (one,) = [model for model in told["models"] if model["role"] == role]
    return one


def test_the_shipped_model_is_ready_and_its_speed_is_measured(project: Path, clew: Run) -> None:
    done = clew("models", "--json")
    assert done.code == 0
    static = of(done.json, "embedder")
    assert (static["name"], static["state"], static["dims"], static["price"]) == ("static:", "ready", 256, 0.0)
    assert static["texts_a_second"] > 0
    names = [one["provider"] for one in done.json["providers"]]
    assert names == ["static", "onnx", "voyage", "gemini", "openai", "cohere", "llm"]
    assert clew("models").out.startswith("embedder    static:  ready, 256 dimensions, on this machine, ")
    assert not (project / ".clew").exists(), "looking makes no index"


def test_a_remote_model_is_asked_only_when_that_is_said(project: Path, clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with provider_server() as server:
        monkeypatch.setenv("VOYAGE_API_KEY", KEY)
        monkeypatch.setenv("VOYAGE_BASE_URL", f"{server.address}/voyage/v1")
        monkeypatch.setenv("CLEW_EMBEDDER", "voyage:voyage-code-3@256")
        ready = of(clew("models", "--json").json, "embedder")
        assert (ready["state"], ready["dims"], ready["texts_a_second"]) == ("ready", 256, None) and ready["price"] > 0
        assert server.seen == []
        asked = of(clew("models", "--json", "--check").json, "embedder")
        assert asked["state"] == "reachable" and asked["texts_a_second"] > 0
        assert {one.body["input_type"] for one in server.seen} == {"query", "document"}
    assert KEY not in clew("models").out


def test_what_cannot_be_used_is_said_with_what_to_do(project: Path, clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VOYAGE_API_KEY", raising=False)
    monkeypatch.setenv("CLEW_EMBEDDER", "voyage:voyage-4")
    monkeypatch.setenv("CLEW_RERANKER", "onnx:/nowhere")
    done = clew("models", "--json")
    assert done.code == 1
    assert "key" in of(done.json, "embedder")["state"] and "VOYAGE_API_KEY" in of(done.json, "embedder")["hint"]
    assert of(done.json, "fallback")["state"] == "ready"
    assert "/nowhere" in of(done.json, "reranker")["state"]
    text = clew("models")
    assert text.code == 1 and "VOYAGE_API_KEY" in text.err


@pytest.mark.parametrize("key", ["sk-one\nsk-two", "sk one", "sk-\u201cquoted\u201d"])
def test_a_key_that_no_request_can_carry_is_said_to_be_one_and_not_shown(
    project: Path, clew: Run, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", key)
    monkeypatch.setenv("CLEW_EMBEDDER", "voyage:voyage-4")
    monkeypatch.setenv("CLEW_RERANKER", "voyage:rerank-2.5")
    told = clew("models", "--json")
    assert told.code == 1
    for role in ("embedder", "reranker"):
        assert "line break" in of(told.json, role)["state"] and "VOYAGE_API_KEY" in of(told.json, role)["hint"]
    assert "sk" not in told.out + clew("index").err
