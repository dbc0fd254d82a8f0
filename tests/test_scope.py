"""Can a store be asked without saying who may see what? It does not type-check, and it does not run."""

from __future__ import annotations

from pathlib import Path

import pytest
from mypy import api

from clew.core import query
from clew.core.query import Filters
from clew.testing import MemoryStore

WITH = """
from clew.core.protocols import ChunkStore
from clew.core.query import Filters, Scope

def ask(store: ChunkStore, scope: Scope) -> None:
    store.keywords({}["term"], Filters(), 5)
    store.named({}["name"], Filters(), 5)
    store.names({})
"""


def test_a_question_without_a_scope_does_not_type_check(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(WITH.format("scope, ", "scope, ", "scope"))
    (tmp_path / "wrong.py").write_text(WITH.format("", "", ""))
    flags = ["--follow-imports=skip", "--config-file=", "--cache-dir", str(tmp_path / "cache"), "--no-error-summary"]
    core = Path(query.__file__).parent
    files = (core / "query.py", core / "protocols.py", tmp_path / "right.py", tmp_path / "wrong.py")
    said, _, status = api.run([*flags, *map(str, files)])
    assert status == 1 and "right.py" not in said
    refused = {int(line.split(":")[1]) for line in said.splitlines() if "wrong.py" in line and ": error:" in line}
    assert refused == {6, 7, 8}


def test_a_question_without_a_scope_does_not_run() -> None:
    store = MemoryStore()
    for call in (
        lambda: store.keywords(["term"], Filters(), 5),  # type: ignore[call-arg, arg-type]
        lambda: store.named(["name"], Filters(), 5),  # type: ignore[call-arg, arg-type]
        lambda: store.outlines(),  # type: ignore[call-arg]  # noqa: PLW0108 - called without what it needs
    ):
        with pytest.raises(TypeError):
            call()
