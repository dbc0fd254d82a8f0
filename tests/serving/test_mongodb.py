"""Does one server answer for all that a shared database holds, each principal from what is theirs, without a look at where it came from?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.mongo.proxy import mongodb
from tests.serving.conftest import ANN, BASKET, BOB, CHECKOUT, ROOT, SECRET

from clew import open_engine
from clew.assembly import open_namespaces, open_service
from clew.core.answer import Question
from clew.errors import NoSuchNamespace
from clew.serving import Lines, Look, Service


@pytest.fixture(scope="module")
def names() -> list[str]:
    return []


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> Iterator[Service]:
    """Two projects in one database, both gone from the disk; the server was started in a third folder."""
    patch = pytest.MonkeyPatch()
    patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
    with mongodb(tmp_path_factory.mktemp("mongo")) as (address, _, _):
        patch.setenv("CLEW_STORE", f"{address}&serverSelectionTimeoutMS=2000")
        for folder, files, visibility in (
            ("shop", {"basket.py": BASKET, "checkout.py": CHECKOUT}, "public"),
            ("rocket", {"rocket.py": SECRET}, ""),
        ):
            root = tmp_path_factory.mktemp(folder)
            for name, text in files.items():
                (root / name).write_text(text)
            with open_engine(root) as engine:
                engine.index()
            with open_namespaces(root) as namespaces:
                names.append(namespaces.own)
                if visibility:
                    namespaces.change(namespaces.own, visibility)
                else:
                    namespaces.grant(namespaces.own, ANN.name, "viewer")
            for name in files:
                (root / name).write_text("gone = True\n")
        elsewhere: Path = tmp_path_factory.mktemp("elsewhere")
        with open_service([elsewhere], hides_places=True) as service:
            yield service
    patch.undo()


def test_each_finds_what_is_theirs(service: Service, names: list[str]) -> None:
    shop, rocket = names
    assert [one.record.name for one in service.namespaces(BOB)] == [shop]
    assert {one.record.name for one in service.namespaces(ROOT)} == {shop, rocket}
    assert service.search(ANN, Question("launch_rocket")).results[0].chunk.namespace == rocket
    assert service.search(BOB, Question("launch_rocket")).results == ()
    both = service.search(ANN, Question("total_price launch_rocket pay", limit=20))
    assert {one.chunk.namespace for one in both.results} == {shop, rocket}
    for name in (rocket, "s" * len(rocket)):
        with pytest.raises(NoSuchNamespace):
            service.look(BOB, Look("map", namespace=name))


def test_what_was_indexed_is_looked_at_and_not_the_disk(service: Service, names: list[str]) -> None:
    shop = names[0]
    assert service.look(BOB, Look("read", "basket.py", shop, line_start=4, line_end=4)) == Lines(
        "basket.py", 4, 4, "class Basket:", from_index=True
    )
    callers = service.look(BOB, Look("callers", "total_price", shop))
    assert [edge.source.name for edge in callers.edges] == ["pay"]  # type: ignore[union-attr]
    (status,) = service.status(BOB)
    assert (status.namespace, status.files, status.root, status.bytes) == (shop, 2, "", 0)
    assert "gone" not in str(service.search(BOB, Question("gone")).results)
