"""Are tokens kept so that nobody gets in by the file, and nobody whose token was taken back?"""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from clew.core.credentials import Credential
from clew.errors import UsageError
from clew.stores.tokens import TokenFile

ANN = Credential("", "ann", "", "developer", ("red",), ("shop",), ("search",))


@pytest.fixture
def tokens(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "deep" / "tokens.json")


def test_a_token_lets_in_whom_it_was_made_for_and_is_not_kept(tokens: TokenFile, tmp_path: Path) -> None:
    kept, token = tokens.create(ANN)
    found = tokens.bearer(token)
    assert found == kept
    assert found is not None
    assert (found.principal.name, found.principal.role, found.principal.namespaces) == ("ann", "developer", {"shop"})
    assert found.principal.permissions == {"search"}
    path = tmp_path / "deep" / "tokens.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert token.rpartition("_")[2] not in path.read_text()
    assert len(token.split("_", 2)[2]) == 43, "256 bits"
    assert tokens.create(ANN)[1] != token


def test_what_is_not_the_whole_token_lets_nobody_in(tokens: TokenFile) -> None:
    _, token = tokens.create(ANN)
    other = tokens.create(ANN)[1]
    mixed = "_".join((*token.split("_", 2)[:2], other.split("_", 2)[2]))
    for wrong in (
        "",
        "clew",
        "clew__",
        token[:-1],
        token + "a",
        token.upper(),
        token[5:],
        f"x{token}",
        mixed,
        f"clew_{'0' * 12}_",
        "clew_\ud800_\ud800",
    ):
        assert tokens.bearer(wrong) is None, wrong


def test_a_token_that_was_taken_back_counts_no_more_for_whoever_has_the_file_open(tokens: TokenFile, tmp_path: Path) -> None:
    reader = TokenFile(tmp_path / "deep" / "tokens.json")
    kept, token = tokens.create(ANN)
    second, more = tokens.create(ANN)
    _, others = tokens.create(Credential("", "bob", ""))
    assert reader.bearer(token) == kept
    assert tokens.revoke(kept.id) == (kept,)
    assert reader.bearer(token) is None
    assert reader.bearer(more) == second
    assert tokens.revoke("ann") == (second,)
    assert reader.bearer(more) is None
    assert reader.bearer(others) is not None
    assert tokens.revoke("ann") == ()
    (tmp_path / "deep" / "tokens.json").unlink()
    assert reader.bearer(others) is None


def test_a_token_ends_when_its_time_is_over(tokens: TokenFile) -> None:
    kept, token = tokens.create(Credential("", "ann", "", expires=1_000))
    assert tokens.bearer(token, 999.9) == kept
    assert tokens.bearer(token, 1_000.0) is None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"tokens": 1}',
        '{"tokens": [{}]}',
        json.dumps(
            {
                "tokens": [
                    {
                        "id": "a",
                        "name": "ann",
                        "digest": "x",
                        "role": "king",
                        "teams": [],
                        "namespaces": None,
                        "permissions": None,
                        "created": 0,
                        "expires": 0,
                    }
                ]
            }
        ),
        json.dumps(
            {
                "tokens": [
                    {
                        "id": "a",
                        "name": "ann",
                        "digest": "x",
                        "role": "viewer",
                        "teams": [],
                        "namespaces": None,
                        "permissions": ["all"],
                        "created": 0,
                        "expires": 0,
                    }
                ]
            }
        ),
        "[" * 100_000,
    ],
)
def test_a_damaged_file_lets_nobody_in_and_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokens.json"
    path.write_text(content)
    path.chmod(0o600)
    with pytest.raises(UsageError, match="is damaged"):
        TokenFile(path).bearer("clew_a_b")


def test_a_file_that_others_can_read_is_not_trusted(tokens: TokenFile, tmp_path: Path) -> None:
    _, token = tokens.create(ANN)
    (tmp_path / "deep" / "tokens.json").chmod(0o640)
    with pytest.raises(UsageError, match="can be read by others"):
        TokenFile(tmp_path / "deep" / "tokens.json").bearer(token)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be"):
        TokenFile(tmp_path / "file" / "tokens.json").create(ANN)


def test_two_processes_that_make_tokens_at_once_lose_none(tmp_path: Path) -> None:
    children = []
    for _ in range(3):
        child = os.fork()
        if not child:
            for _ in range(20):
                TokenFile(tmp_path / "tokens.json").create(ANN)
            os._exit(0)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    assert len(TokenFile(tmp_path / "tokens.json").all()) == 60
