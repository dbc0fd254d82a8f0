"""Does a namespace arrive in another store as it was, also when the copy is ended half-way and begun again?"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np
import pytest
from tests.mongo.proxy import mongodb

from clew.core.query import Filters, Scope
from clew.core.words import query_terms
from clew.errors import NoIndex, UsageError, WriterBusy
from clew.stores.copying import Copied, Portable, copy
from clew.stores.embedded import EmbeddedStore
from clew.stores.mongodb import MongoStore
from clew.stores.mongodb.address import place
from clew.testing import HashingEmbedder, a_change, a_chunk, a_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIRST, SECOND = HashingEmbedder(16), HashingEmbedder(24, name="other")
NAMES = ("home", "shop-db")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with mongodb(tmp_path_factory.mktemp("mongo")) as (address, _, _):
        yield address


@pytest.fixture
def address(server: str, request: pytest.FixtureRequest) -> str:
    return server.replace("/clew?", f"/c{crc32(request.node.nodeid.encode())}?")


@pytest.fixture
def source(tmp_path: Path) -> Iterator[EmbeddedStore]:
    store = EmbeddedStore.open(tmp_path / "source")
    fill(store)
    yield store
    store.close()


def fill(store: Portable, files: int = 70) -> None:
    """Two namespaces, two models, skipped files, names and texts that are no Unicode, chunks without a vector."""
    updates = [
        a_file(
            f"src/f{n}.py",
            a_chunk(f"src/f{n}.py", f"f{n}", f"def f{n}(): return {n}"),
            a_chunk(f"src/f{n}.py", "twin", "twin = 1", line=9),
            embedder=FIRST,
        )
        for n in range(files)
    ]
    odd = a_chunk(
        "bad\udcff.py",
        "s\u00fc\udcff",
        "text \x00 \udcff \U0010fffd end",
        docstring="d",
        imports=("a", "b\udcff"),
        calls=("c",),
        indexed_at=12,
        visibility="public",
    )
    skipped = replace(a_file("big.bin"), record=replace(a_file("big.bin").record, skipped="binary", mtime_ns=2**70))
    store.apply(a_change("home", *updates, skipped, embedder=FIRST, facts={"root": "/x\udcff", "complete": "yes", "mode": "hybrid"}))
    store.apply(a_change("home", a_file("bad\udcff.py", odd), a_file("empty.py")))
    some = store.unembedded("home", SECOND.space, 40)
    store.add_vectors(
        "home", SECOND.space, dict(zip((c.checksum for c in some), SECOND.embed_documents([c.text for c in some]), strict=True))
    )
    table = a_chunk("shop.users", "users", "CREATE TABLE users (id int)", symbol_type="table", language="Postgres")
    store.apply(a_change("shop-db", replace(a_file("shop.users", table), vectors=(np.zeros(16, np.float32),)), embedder=FIRST))
    store.settle()


def whole(store: Portable, namespace: str) -> Any:
    """All that a store tells of a namespace."""
    scope, paths = Scope((namespace,)), store.files(namespace)
    stored = store.stored(namespace, list(paths))
    return {
        "records": paths,
        "facts": store.facts(namespace),
        "spaces": store.spaces(namespace),
        "chunks": {path: sorted(one.update.chunks, key=lambda chunk: chunk.id) for path, one in stored.items()},
        "outlines": {path: (one.update.definitions, one.update.references) for path, one in stored.items()},
        "vectors": {path: {f: {c: v.tolist() for c, v in some.items()} for f, some in one.vectors.items()} for path, one in stored.items()},
        "counts": [replace(store.counts(namespace, space), generation=0, unsynced=0) for space in (None, FIRST.space, SECOND.space)],
        "words": [hit._replace(score=0) for hit in store.keywords(scope, query_terms("return f7 users twin"), Filters(), 20).hits],
        "near": [  # but for what has no direction: MongoDB's cosine knows no such vector
            hit._replace(score=round(hit.score, 5))
            for hit in store.nearest(scope, FIRST.space, FIRST.embed_query("def f9"), Filters(), 5).hits
            if hit.score
        ],
        "names": store.names(scope),
    }


def there(address: str, tmp_path: Path) -> MongoStore:
    return MongoStore(place(address, {}.get), tmp_path / "there")


def test_there_and_back_again_is_the_identity(source: EmbeddedStore, address: str, tmp_path: Path) -> None:
    mongo, back = there(address, tmp_path), EmbeddedStore.open(tmp_path / "back")
    for name in NAMES:
        before = whole(source, name)
        assert copy(source, mongo, name).there == 0
        assert whole(mongo, name) == before
        assert copy(mongo, back, name).there == 0
        assert whole(back, name) == before
    again = copy(source, mongo, "home")
    assert (again.files, again.there, again.chunks, again.deleted) == (0, 73, 0, 0)
    mongo.close()
    back.close()


def test_a_copy_that_is_ended_goes_on_where_it_was(source: EmbeddedStore, address: str, tmp_path: Path) -> None:
    mongo = there(address, tmp_path)

    class Ended(Exception):
        pass

    def end(done: int, total: int) -> None:
        if done >= 64:
            raise Ended

    with pytest.raises(Ended):
        copy(source, mongo, "home", end)
    assert mongo.facts("home")["complete"] == "no" and len(mongo.files("home")) == 64
    assert copy(source, mongo, "home").there == 64
    assert whole(mongo, "home") == whole(source, "home")
    mongo.close()


@pytest.mark.parametrize(("into", "after"), [("mongodb", 0), ("mongodb", 64), ("folder", 64)])
def test_a_copy_that_is_killed_half_way_is_whole_after_the_next(
    source: EmbeddedStore, address: str, tmp_path: Path, after: int, into: str
) -> None:
    mongo = there(address, tmp_path)
    copy(source, mongo, "home")
    before = whole(source, "home")
    target = address.replace("?", f"x{after}?") if into == "mongodb" else str(tmp_path / "target")
    origin = str(tmp_path / "source") if into == "mongodb" else address
    script = (
        "import os, signal, sys; from pathlib import Path; from clew.assembly_stores import copy_store\n"
        "def end(name, done, total):\n    if done >= int(sys.argv[3]): os.kill(os.getpid(), signal.SIGKILL)\n"
        "copy_store(Path('.'), sys.argv[1], sys.argv[2], ['home'], end)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    killed = subprocess.run([sys.executable, "-c", script, origin, target, str(after)], cwd=tmp_path, env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    done = subprocess.run(
        [sys.executable, "-m", "clew", "store", "copy", origin, target, "--namespace", "home", "--json"],
        cwd=tmp_path, env=environment, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (report,) = json.loads(done.stdout)["namespaces"]
    assert (report["files"], report["there"]) == (73 - after, after)
    opened: Portable = there(target, tmp_path) if into == "mongodb" else EmbeddedStore.open(tmp_path / "target")
    assert whole(opened, "home") == before
    opened.close()
    mongo.close()


def test_what_the_source_no_longer_has_goes_and_what_changed_is_copied(source: EmbeddedStore, address: str, tmp_path: Path) -> None:
    mongo = there(address, tmp_path)
    copy(source, mongo, "home")
    source.apply(
        a_change(
            "home", a_file("src/f1.py", a_chunk("src/f1.py", "new", "new = 2"), embedder=FIRST), embedder=FIRST, deleted=("src/f2.py",)
        )
    )
    assert (copied := copy(source, mongo, "home")) and (copied.files, copied.deleted) == (1, 1)
    assert whole(mongo, "home") == whole(source, "home")
    mongo.close()


def test_what_cannot_be_copied_is_said(source: EmbeddedStore, address: str, tmp_path: Path) -> None:
    mongo = there(address, tmp_path)
    with pytest.raises(NoIndex, match="no namespace never-there"):
        copy(source, mongo, "never-there")
    assert mongo.namespaces() == ()

    def meddle(done: int, total: int) -> None:
        if done == 64:
            source.apply(a_change("home", a_file("late.py", a_chunk("late.py", "late", "late = 1"))))

    with pytest.raises(WriterBusy, match="changed while it was copied"):
        copy(source, mongo, "home", meddle)
    from clew.assembly_stores import copy_store

    with pytest.raises(UsageError, match="not copied into itself"):
        copy_store(tmp_path, address, address, [])
    with pytest.raises(NoIndex, match="there is no index in"):
        copy_store(tmp_path, str(tmp_path / "nothing"), address, [])
    assert isinstance(copy(source, mongo, "home"), Copied)
    mongo.close()
