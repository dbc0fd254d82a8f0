"""Are registrations kept, and secrets apart from them, for their owner alone?"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.core.schema.protocols import Wishes
from clew.core.schema.registry import Registration
from clew.errors import IndexUnusable
from clew.stores.datasources import FileRegistry

SHOP = Registration("shop", "postgresql://u:***@h/db", Wishes(schemas=("a", "b"), statistics=True, timeout_s=2.5))


@pytest.fixture
def registry(tmp_path: Path) -> FileRegistry:
    return FileRegistry(tmp_path / ".clew" / "databases", tmp_path / "home" / "clew" / "databases.json")


def test_a_registration_comes_back_as_it_was(registry: FileRegistry) -> None:
    assert registry.all() == {}
    registry.put(SHOP, {"password": "s3cret"})
    registry.put(Registration("forum", "sqlite:///forum.db"), {})
    assert registry.all() == {"forum": Registration("forum", "sqlite:///forum.db"), "shop": SHOP}
    assert registry.secrets("shop") == {"password": "s3cret"}
    assert registry.secrets("forum") == {}


def test_secrets_are_in_the_users_file_alone_and_only_he_may_read_it(registry: FileRegistry, tmp_path: Path) -> None:
    registry.put(SHOP, {"password": "s3cret"})
    assert [path for path in tmp_path.rglob("*") if path.is_file() and b"s3cret" in path.read_bytes()] == [Path(registry.vault)]
    assert Path(registry.vault).stat().st_mode & 0o777 == 0o600
    assert Path(registry.vault).parent.stat().st_mode & 0o077 == 0


def test_two_projects_share_the_file_and_not_the_secrets(registry: FileRegistry, tmp_path: Path) -> None:
    other = FileRegistry(tmp_path / "other", Path(registry.vault))
    registry.put(SHOP, {"password": "one"})
    other.put(SHOP, {"password": "two"})
    assert (registry.secrets("shop"), other.secrets("shop")) == ({"password": "one"}, {"password": "two"})
    registry.remove("shop")
    assert (registry.secrets("shop"), other.secrets("shop")) == ({}, {"password": "two"})


def test_a_secret_that_is_given_no_more_is_forgotten(registry: FileRegistry) -> None:
    registry.put(SHOP, {"password": "s3cret"})
    registry.put(SHOP, {})
    assert "s3cret" not in Path(registry.vault).read_text()


def test_what_was_registered_at_once_is_all_there(registry: FileRegistry, tmp_path: Path) -> None:
    def add(number: int) -> None:
        one = FileRegistry(tmp_path / ".clew" / "databases", tmp_path / "home" / "clew" / "databases.json")
        one.put(Registration(f"db{number}", f"mysql://h/{number}"), {"password": f"p{number}"})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(add, range(24)))
    assert set(registry.all()) == {f"db{number}" for number in range(24)}
    assert all(registry.secrets(f"db{number}") == {"password": f"p{number}"} for number in range(24))


def test_git_does_not_see_any_of_it(registry: FileRegistry, tmp_path: Path) -> None:
    registry.put(SHOP, {})
    assert (tmp_path / ".clew" / "databases" / ".gitignore").read_text() == "*\n"


@pytest.mark.parametrize("content", ["{", "[]", '{"shop": 1}', '{"shop": {}}', '{"shop": {"url": "x", "wishes": {"no": 1}}}', "\udcff"])
def test_what_is_damaged_says_what_to_do(registry: FileRegistry, tmp_path: Path, content: str) -> None:
    registry.put(SHOP, {})
    (tmp_path / ".clew" / "databases" / "datasources.json").write_text(content, "utf-8", "surrogateescape")
    with pytest.raises(IndexUnusable, match="damaged") as raised:
        registry.all()
    assert "clew db add NAME URL --replace" in raised.value.hint
    (aside,) = registry.set_aside()
    assert Path(aside).read_bytes() == content.encode("utf-8", "surrogateescape")
    assert registry.all() == {}
    registry.put(SHOP, {"password": "s3cret"})
    assert registry.set_aside() == ()
    assert registry.all() == {"shop": SHOP}


def test_one_damaged_registration_costs_no_other(registry: FileRegistry, tmp_path: Path) -> None:
    registry.put(SHOP, {})
    file = tmp_path / ".clew" / "databases" / "datasources.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "bad": {"url": "sqlite:///b.db", "wishes": {"timeout_s": "x"}}}))
    with pytest.raises(IndexUnusable, match="bad cannot be read"):
        registry.all()
    registry.set_aside()
    assert registry.all() == {"shop": SHOP}


@pytest.mark.parametrize("content", ["{", "[]", '{"x": 3}', '{"x": {"shop": "s"}}'])
def test_a_damaged_file_of_secrets_stops_only_what_has_secrets(registry: FileRegistry, content: str) -> None:
    registry.put(SHOP, {"password": "s3cret"})
    Path(registry.vault).write_text(content)
    registry.put(Registration("forum", "sqlite:///forum.db"), {})
    registry.remove("forum")
    for refused in (lambda: registry.secrets("shop"), lambda: registry.remove("shop"), lambda: registry.put(SHOP, {"password": "new"})):
        with pytest.raises(IndexUnusable, match="damaged"):
            refused()
    assert "shop" in registry.all()
    registry.set_aside()
    registry.put(SHOP, {"password": "new"})
    assert registry.secrets("shop") == {"password": "new"}


def test_only_wishes_that_are_not_the_usual_ones_are_written(registry: FileRegistry, tmp_path: Path) -> None:
    registry.put(SHOP, {})
    written = json.loads((tmp_path / ".clew" / "databases" / "datasources.json").read_text())
    assert written["shop"]["wishes"] == {"schemas": ["a", "b"], "statistics": True, "timeout_s": 2.5}
