"""Does the doctor really try every model that is set?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests import rerank_server
from tests.interfaces.conftest import Done
from tests.provider_server import KEY, provider_server


def test_every_model_that_is_set_is_tried(project: Path, clew: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> None:
    assert rerank_server.SERVED
    with provider_server() as server:
        for name, value in {
            "VOYAGE_API_KEY": KEY,
            "CO_API_KEY": KEY,
            "VOYAGE_BASE_URL": f"{server.address}/voyage/v1",
            "CO_API_URL": f"{server.address}/cohere",
            "CLEW_EMBEDDER": "voyage:voyage-4",
            "CLEW_RERANKER": "cohere:rerank-v3.5",
        }.items():
            monkeypatch.setenv(name, value)
        checks = {check["name"]: check for check in clew("doctor", "--json").json["checks"]}
        assert [checks[name]["state"] for name in ("embedder", "fallback static:", "reranker")] == ["ok"] * 3
        assert "tells two texts apart" in checks["reranker"]["detail"]
        assert {seen.path for seen in server.seen} == {"/voyage/v1/embeddings", "/cohere/v2/rerank"}
        server.always = 401
        refused = {check["name"]: check for check in clew("doctor", "--json").json["checks"]}
        assert (refused["embedder"]["state"], refused["reranker"]["state"]) == ("failed", "warning")
        assert KEY not in str(refused)
