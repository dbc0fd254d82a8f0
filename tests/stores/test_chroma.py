"""Is Chroma a home for vectors: what is in it, what is lost with it, and does it stay silent?"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.servers import chroma_server, free_port

from clew.core.query import Filters, PathFilter, Scope
from clew.errors import IndexUnusable, UsageError
from clew.stores.chroma import ChromaHome, chroma_home
from clew.stores.chroma.address import Server, place
from clew.stores.embedded import EmbeddedStore, Limits
from clew.stores.vector_homes import Rows
from clew.testing import HashingEmbedder, a_change, a_chunk, a_file

from .conftest import EMBEDDER, project

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SEEN = Scope(("home",))
NOTHING = Filters()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with chroma_server(tmp_path_factory.mktemp("chroma")) as address:
        yield address


def opened(folder: Path, address: str = "", **limits: int) -> EmbeddedStore:
    return EmbeddedStore.open(folder, limits=Limits(**{"rows": 1} | limits), home=chroma_home(address))


def filled(folder: Path, address: str = "", files: int = 20, **limits: int) -> EmbeddedStore:
    store = opened(folder, address, **limits)
    store.apply(a_change("home", *project(files), embedder=EMBEDDER))
    store.settle()
    return store


def rows(folder: Path, address: str = "", name: str = "chunks") -> dict[str, dict[str, Any]]:
    """What Chroma itself has, by id."""
    home = ChromaHome(folder, address)
    with home.connected() as client:
        collection = client.get_collection(home._collection(name), embedding_function=None)
        found = collection.get(include=["embeddings", "documents", "metadatas"])
    each = zip(found["ids"], found["documents"], found["metadatas"], found["embeddings"], strict=True)
    return {key: {"text": text, "vector": vector, **metadata} for key, text, metadata, vector in each}


def near(store: EmbeddedStore, question: str, limit: int = 9) -> list[tuple[str, float]]:
    leg = store.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query(question), NOTHING, limit)
    return [(hit.id, hit.score) for hit in leg.hits]


def lacking(store: EmbeddedStore) -> int:
    return store.counts("home", EMBEDDER.space).unembedded


def test_a_row_holds_the_chunk_and_its_vector(folder: Path) -> None:
    filled(folder, files=3).close()
    update = project(3)[1]
    chunk = update.chunks[0]
    found = rows(folder)
    assert len(found) == 6
    row = found[f"home/{chunk.id}"]
    assert (row["text"], row["filepath"], row["symbol_name"], row["line_start"]) == (chunk.text, chunk.filepath, chunk.symbol_name, 1)
    assert (row["model"], row["visibility"], row["checksum"]) == (EMBEDDER.space.fingerprint, "private", chunk.checksum)
    assert row["vector"] == pytest.approx(update.vectors[0], abs=1e-6)


def test_what_changes_is_replaced_by_key_and_what_goes_is_deleted(folder: Path) -> None:
    store = filled(folder)
    changed = replace(project(1)[0].chunks[0], code="def f():\n    return changed\n")
    store.apply(a_change("home", a_file("src/p0/m0.py", changed, embedder=EMBEDDER), embedder=EMBEDDER, deleted=("src/p1/m1.py",)))
    store.settle()
    found = rows(folder)
    assert len(found) == 37
    assert "changed" in found[f"home/{changed.id}"]["text"]
    assert found[f"home/{changed.id}"]["vector"] == pytest.approx(EMBEDDER.embed_documents([changed.text])[0], abs=1e-6)
    assert not any(row["filepath"] == "src/p1/m1.py" for row in found.values())


def test_vectors_come_back_from_chroma_when_the_snapshot_is_lost(folder: Path) -> None:
    store = filled(folder)
    before = near(store, "user socket")
    store.close()
    shutil.rmtree(folder / "snapshot")
    with opened(folder) as again:
        again.settle()
        assert lacking(again) == 0
        assert near(again, "user socket") == before


@pytest.mark.parametrize("loss", ["its folder", "its collection", "some rows"])
def test_what_chroma_loses_is_fed_again_without_an_embedding(folder: Path, loss: str) -> None:
    store = filled(folder)
    before = near(store, "user socket")
    home = ChromaHome(folder)
    if loss == "its folder":
        shutil.rmtree(folder / "chunks.chroma")
    with home.connected() as client:
        if loss == "its collection":
            client.delete_collection(home._collection("chunks"))
        if loss == "some rows":
            client.get_collection(home._collection("chunks"), embedding_function=None).delete(where={"filepath": "src/p2/m2.py"})
    assert near(store, "user socket") == before
    store.apply(a_change("home", a_file("new.py", a_chunk("new.py", "f", "new"), embedder=EMBEDDER), embedder=EMBEDDER))
    store.settle()
    assert len(rows(folder)) == 41 and lacking(store) == 0


def test_a_lost_folder_is_said_with_each_answer_until_it_is_repaired(folder: Path) -> None:
    filled(folder).close()
    shutil.rmtree(folder / "chunks.chroma")
    with opened(folder) as store:
        leg = store.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query("user"), NOTHING, 3)
        assert len(leg.hits) == 3 and "the vector table chunks is lost" in leg.warnings[0]


def test_a_server_that_is_gone_costs_no_answer_and_says_so_when_it_is_written(folder: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    with chroma_server(data) as address:
        store = filled(folder, address)
        before = near(store, "user socket")
    assert near(store, "user socket") == before
    store.apply(a_change("home", a_file("new.py", a_chunk("new.py", "f", "new socket"), embedder=EMBEDDER), embedder=EMBEDDER))
    with pytest.raises(IndexUnusable, match="could not be written") as fault:
        store.settle()
    assert "Chroma" in fault.value.hint
    assert len(near(store, "user socket", 99)) == 41
    with chroma_server(data) as address:
        store.close()
        with opened(folder, address) as again:
            again.settle()
            assert len(rows(folder, address)) == 41 and lacking(again) == 0


def test_nobody_answering_is_a_fault_that_names_no_password(folder: Path) -> None:
    address = f"http://user:s3cr%40t@127.0.0.1:{free_port()}"
    store = opened(folder, address)
    store.apply(a_change("home", *project(2), embedder=EMBEDDER))
    with pytest.raises(IndexUnusable) as fault:
        store.settle()
    shown = f"{fault.value.message} {fault.value.hint} {ChromaHome(folder, address).listing('chunks')}"
    assert "127.0.0.1" in shown and "s3cr" not in shown and "user" not in shown


def test_more_rows_than_chroma_takes_at_once_go_in_parts(folder: Path) -> None:
    folder.mkdir()
    home = ChromaHome(folder)
    with home.connected() as client:
        most = client.get_max_batch_size()
    count = most + 100
    text = [f"t{number}" for number in range(count)]
    names = (
        "filepath", "symbol_name", "symbol_type", "language", "signature", "parent", "docstring", "visibility", "checksum", "model", "text",
    )  # fmt: skip
    columns: dict[str, list[Any]] = dict.fromkeys(names, text)
    columns |= {"namespace": ["home"] * count, "id": text, "imports": [[]] * count, "calls": [["a"]] * count}
    columns |= {name: [1] * count for name in ("line_start", "line_end", "indexed_at")}
    vectors = np.eye(8, dtype=np.float32)[np.arange(count) % 8]
    table = home.table("chunks", 8)
    table.rewrite([Rows(columns, vectors)], index_above=0)
    assert table.is_whole()
    read = [checksum for some, _ in table.vectors() for checksum in some]
    assert sorted(read) == sorted(text)
    table.update([("home", one) for one in text[:-1]], iter(()), index_above=0)
    assert [some for some, _ in table.vectors()] == [[text[-1]]]


@pytest.mark.parametrize("where", ["folder", "server"])
def test_above_the_limit_chroma_proposes_and_scores_stay_exact(folder: Path, request: pytest.FixtureRequest, where: str) -> None:
    address = request.getfixturevalue("server") if where == "server" else ""
    exact = near(filled(folder / "exact", files=300), "token cache", 10)
    proposed = filled(folder / "proposed", address, files=300, exact=100)
    kept = proposed._home.table("chunks", 16).opened()
    assert len(kept.propose(EMBEDDER.embed_query("token"), SEEN, 7)) == 7 == len(kept.propose(EMBEDDER.embed_query("token"), None, 7))
    assert kept.propose(EMBEDDER.embed_query("token"), Scope(()), 7) == []
    found = near(proposed, "token cache", 10)
    assert [score for _, score in found] == pytest.approx([score for _, score in exact], abs=1e-6)


def test_a_copy_of_a_project_has_a_collection_of_its_own_on_a_shared_server(tmp_path: Path, server: str) -> None:
    first, copy = tmp_path / "first", tmp_path / "copy"
    filled(first, server).close()
    shutil.copytree(first, copy)
    with opened(copy, server) as store:
        store.apply(a_change("home", deleted=tuple(f"src/p{n % 7}/m{n}.py" for n in range(5)), embedder=EMBEDDER))
        store.settle()
    assert len(rows(first, server)) == 40 and len(rows(copy, server)) == 30


def test_a_folder_moves_with_its_project(tmp_path: Path) -> None:
    filled(tmp_path / "before").close()
    shutil.copytree(tmp_path / "before", tmp_path / "after")
    with opened(tmp_path / "after") as store:
        assert store.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query("user"), NOTHING, 3).warnings == ()


def test_an_index_goes_from_lancedb_to_chroma_and_back_without_an_embedding(folder: Path) -> None:
    with EmbeddedStore.open(folder, limits=Limits(rows=1)) as store:
        store.apply(a_change("home", *project(9), embedder=EMBEDDER))
        store.settle()
    with opened(folder) as store:
        store.settle()
        assert len(rows(folder)) == 18 and lacking(store) == 0
        store.thin("home", {EMBEDDER.space.fingerprint})
    assert not (folder / "chunks.lance").exists()
    with EmbeddedStore.open(folder, limits=Limits(rows=1)) as store:
        store.settle()
        assert lacking(store) == 0 and (folder / "chunks.lance").is_dir()


def test_a_model_that_is_forgotten_takes_its_collection_along(folder: Path) -> None:
    other = HashingEmbedder(24, name="other")
    store = filled(folder, files=3)
    texts = {c.checksum: c.text for c in store.unembedded("home", other.space, 99)}
    store.add_vectors("home", other.space, dict(zip(texts, other.embed_documents(list(texts.values())), strict=True)))
    store.settle()
    home = ChromaHome(folder)
    with home.connected() as client:
        assert len(client.list_collections()) == 2
    store.thin("home", {EMBEDDER.space.fingerprint})
    with home.connected() as client:
        assert [one.name for one in client.list_collections()] == [home._collection("chunks")]


def test_nothing_is_downloaded_or_sent_and_no_env_file_of_the_project_is_read(
    folder: Path, tmp_path: Path, run_python: Callable[[str], str]
) -> None:
    (tmp_path / ".env").write_text("CHROMA_API_IMPL=nowhere.Nothing\nANONYMIZED_TELEMETRY=True\n")
    out = run_python(
        f"""
        import os, sys
        from pathlib import Path
        from tests.stores.test_chroma import filled, near
        os.chdir({str(tmp_path)!r})
        told = []
        sys.addaudithook(lambda event, given: told.append(event) if event in ("socket.connect", "socket.getaddrinfo", "urllib.Request") else None)
        store = filled(Path({str(folder)!r}), files=3)
        assert near(store, "user")
        print(told, sorted(os.listdir(os.environ["HOME"])), "onnxruntime" in sys.modules)
        """
    )
    assert out.strip() == "[] [] False"


def test_without_its_client_the_extra_to_install_is_named(folder: Path, run_python: Callable[[str], str]) -> None:
    out = run_python(
        f"""
        import sys
        sys.modules["chromadb"] = None
        from pathlib import Path
        from clew.errors import MissingExtra
        from tests.stores.test_chroma import filled
        try:
            filled(Path({str(folder)!r}), files=3)
        except MissingExtra as fault:
            print(fault.hint)
        """
    )
    assert out.strip() == "pip install 'clew[chroma]'"


def test_a_search_does_not_import_chroma(folder: Path, run_python: Callable[[str], str]) -> None:
    filled(folder).close()
    out = run_python(
        f"""
        import sys
        from pathlib import Path
        from tests.stores.test_chroma import near, opened
        assert near(opened(Path({str(folder)!r})), "user")
        print("chromadb" in sys.modules, "lancedb" in sys.modules)
        """
    )
    assert out.split() == ["False", "False"]


def test_an_address_is_a_folder_or_a_server(tmp_path: Path) -> None:
    assert place("", tmp_path) == tmp_path / "chunks.chroma"
    assert place("vectors", tmp_path) == tmp_path / "vectors" and place("/data/c", tmp_path).__fspath__() == "/data/c"  # type: ignore[union-attr]
    assert place("http://localhost", tmp_path) == Server("localhost", 8000, False, {})
    secret = place("https://me:p%40ss@db.example:9000/", tmp_path)
    assert isinstance(secret, Server) and secret.shown == "https://db.example:9000"
    assert secret.headers == {"Authorization": "Basic bWU6cEBzcw=="}
    assert place("http://[::1]:8001", tmp_path).shown == "http://[::1]:8001"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text", ["http://", "http://host:port", "http://host:1/a/b", "http://host:99999", "https://host?x=1", "http://[::1"]
)
def test_an_address_that_means_nothing_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(UsageError, match="Chroma"):
        place(text, tmp_path)


def test_filters_hold_where_chroma_proposes(folder: Path) -> None:
    store = filled(folder, files=100, exact=10)
    paths = Filters(paths=(PathFilter("src/p3"),))
    leg = store.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query("user"), paths, 50)
    assert leg.hits and all(hit.filepath.startswith("src/p3/") for hit in leg.hits)


KILLED = """
import os, signal, sys
from pathlib import Path
from clew.stores.chroma import chroma_home, collection
from clew.stores.embedded import EmbeddedStore, Limits
from clew.testing import a_change
from tests.stores.conftest import EMBEDDER, project
folder, step = Path(sys.argv[1]), sys.argv[2]
def reached(name):
    if name == step:
        os.kill(os.getpid(), signal.SIGKILL)
if step == "writing":
    write = collection.ChromaTable._write
    collection.ChromaTable._write = lambda *given: (write(*given), os.kill(os.getpid(), signal.SIGKILL))
store = EmbeddedStore.open(folder, limits=Limits(rows=1), home=chroma_home(""), reached=reached)
store.apply(a_change("home", *project(9, offset=20), embedder=EMBEDDER, deleted=("src/p1/m1.py",)))
store.settle()
"""


@pytest.mark.parametrize("step", ["committed", "feeding", "writing", "fed", "synced"])
def test_a_process_that_is_killed_while_it_feeds_chroma_costs_nothing(folder: Path, step: str) -> None:
    filled(folder).close()
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder), step], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == -9, done.stderr
    with opened(folder) as store:
        assert len(near(store, "user socket", 99)) == 56 and lacking(store) == 0
        store.settle()
    assert len(rows(folder)) == 56


def test_a_process_that_has_a_collection_open_sees_what_another_one_feeds(folder: Path) -> None:
    store = filled(folder, exact=0)
    assert len(near(store, "user socket", 99)) == 40
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder), "never"], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert len(near(store, "user socket", 99)) == 56 and len(rows(folder)) == 56
    store.apply(a_change("home", deleted=("src/p2/m2.py",), embedder=EMBEDDER))
    store.settle()
    assert len(rows(folder)) == 54 == len(near(store, "user socket", 99))
