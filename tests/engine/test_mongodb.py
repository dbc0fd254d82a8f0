"""Does an engine run on a MongoDB as on a folder? Index, search, graph, status, gc and following, over a real socket."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from zlib import crc32

import pytest
from tests.mongo.proxy import mongodb

from clew import Engine, open_engine
from clew.core.answer import Question
from clew.errors import NoIndex, Unreachable, UsageError, WriterBusy
from clew.search.searcher import WEAK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.mongo.executor import Executor


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Executor]]:
    with mongodb(tmp_path_factory.mktemp("mongo")) as (address, executor, _):
        yield address, executor


@pytest.fixture
def store(server: tuple[str, Executor], request: pytest.FixtureRequest) -> str:
    """A database of its own for each test."""
    return server[0].replace("/clew?", f"/e{crc32(request.node.nodeid.encode())}?")


def shown(engine: Engine, text: str, **more: Any) -> list[tuple[str, str, float]]:
    answer = engine.search(Question(text, **more))
    assert set(answer.warnings) <= {WEAK}
    return [(one.chunk.filepath, one.chunk.symbol_name, round(one.score, 5)) for one in answer.results]


def test_answers_are_those_of_an_index_in_a_folder(project: Path, store: str) -> None:
    asked = ("cancel order", "only_in_7", "where is mail sent", "part1/file4.py", "who calls send_mail")
    with open_engine(project, {"store": store}) as there:
        report = there.index()
        assert report.complete and report.warnings == () and report.chunks_embedded == report.chunks_added > 0
        in_mongo = [shown(there, text) for text in asked]
        graph = there.callers("retry_upload"), there.callees("only_in_2"), there.symbol("parse_header"), there.outlines()
        state = there.status()
    with open_engine(project, {"store": "embedded"}) as here:
        here.index()
        assert in_mongo == [shown(here, text) for text in asked] and all(in_mongo)
        assert graph == (here.callers("retry_upload"), here.callees("only_in_2"), here.symbol("parse_header"), here.outlines())
        same = here.status()
    assert (state.files, state.chunks, state.languages, state.complete, state.behind) == (same.files, same.chunks, same.languages, True, 0)
    assert (state.warnings == () and state.bytes > 0 and not (project / ".clew" / "catalog.db").exists()) or same.chunks


def test_an_edit_is_in_the_next_answer_and_a_deleted_file_is_not(project: Path, store: str) -> None:
    with open_engine(project, {"store": store, "freshness_ms": -1}) as engine:
        engine.index()
        (project / "part0" / "file0.py").write_text("def brand_new():\n    return 'unheard'\n")
        (project / "part1" / "file1.py").unlink()
        assert shown(engine, "brand_new")[0][:2] == ("part0/file0.py", "brand_new")
        assert not any(path == "part1/file1.py" for path, *_ in shown(engine, "cancel order"))
        again = engine.index()
        assert (again.indexed, again.chunks_embedded, again.unchanged) == (0, 0, 11)


def test_an_index_is_made_anew_while_others_see_the_old_one(project: Path, store: str) -> None:
    with open_engine(project, {"store": store}) as engine, open_engine(project, {"store": store}) as reader:
        engine.index()
        before = shown(reader, "cancel order")
        seen: list[Any] = []

        def progress(_: object) -> None:
            seen.append(reader.status().chunks)

        report = engine.index(rebuild=True, progress=progress)
        assert report.complete and set(seen) == {reader.status().chunks}
        assert shown(reader, "cancel order") == before


def test_a_second_writer_is_told_who_writes(project: Path, store: str) -> None:
    with open_engine(project, {"store": store}) as first, open_engine(project, {"store": store}) as second:
        first.index()
        with first._store.writer(), pytest.raises(WriterBusy, match=rf"process {os.getpid()} on .* is writing"):
            second.index()
        assert second.index().complete


def test_no_index_is_made_unasked_and_none_is_found_where_there_is_none(project: Path, store: str) -> None:
    with pytest.raises(NoIndex, match="there is no index"):
        open_engine(project, {"store": store}, create=False)
    with open_engine(project, {"store": store}) as engine:
        engine.index()
    with open_engine(project, {"store": store}, create=False) as engine:
        assert engine.status().complete


def test_thinning_forgets_the_vectors_of_former_models(project: Path, store: str) -> None:
    with open_engine(project, {"store": store, "vector_dims": 64}) as engine:
        engine.index()
    with open_engine(project, {"store": store, "vector_dims": 128}) as engine:
        engine.index()
        assert shown(engine, "where is mail sent", mode="semantic")
        assert len(engine.gc().forgotten) == 1
        assert shown(engine, "where is mail sent", mode="semantic")
        assert engine.index().chunks_embedded == 0


def test_changes_are_followed(project: Path, store: str) -> None:
    with open_engine(project, {"store": store}) as engine, open_engine(project, {"store": store, "freshness_ms": 0}) as reader:
        engine.index()
        stop, taken = Event(), Event()
        thread = Thread(target=engine.follow, args=(stop, lambda followed: taken.set() if followed.indexed else None))
        thread.start()
        try:
            (project / "part2" / "late.py").write_text("def latecomer():\n    return 1\n")
            assert taken.wait(30)
        finally:
            stop.set()
            thread.join(30)
        assert reader.search("latecomer").results[0].chunk.filepath == "part2/late.py"


def test_the_command_line_keeps_an_index_there(project: Path, store: str) -> None:
    def run(*words: str) -> Any:
        script = "import sys; from clew.interfaces.cli.main import main; sys.exit(main(sys.argv[1:]))"
        environment = {**os.environ, "CLEW_STORE": store, "PYTHONPATH": os.pathsep.join(sys.path)}
        done = subprocess.run(
            [sys.executable, "-c", script, *words, "--json"], cwd=project, env=environment, capture_output=True, text=True, check=False
        )
        return done.returncode, json.loads(done.stdout)

    assert run("status")[0] == 3
    code, report = run("index")
    assert code == 0 and report["complete"]
    code, answer = run("search", "only_in_3")
    assert code == 0 and answer["results"][0]["symbol_name"] == "only_in_3"
    code, state = run("status")
    assert code == 0 and state["chunks"]["total"] == report["chunks"]["added"]
    assert run("gc")[0] == 0 and not (project / ".clew").exists()


@pytest.mark.parametrize(
    "address",
    [
        "mongodb://db.example/clew",
        "mongodb+srv://localhost/clew",
        "mongodb://localhost:27017,db.example/clew",
        "mongodb://user:${AWS_SECRET_ACCESS_KEY}@localhost/clew",
        "mongodb://localhost/clew?proxyHost=db.example",
        "mongodb://localhost@db.example/clew",
    ],
)
def test_a_projects_own_file_sends_nothing_elsewhere(project: Path, address: str) -> None:
    (project / "clew.toml").write_text(f"store = {json.dumps(address)}\n")
    with pytest.raises(UsageError, match="that is for you to say"):
        open_engine(project)


def test_a_server_that_is_away_is_named_without_its_password(project: Path) -> None:
    from tests.servers import free_port

    address = f"mongodb://user:s3cr3t-w0rd@127.0.0.1:{free_port()}/clew?serverSelectionTimeoutMS=300"
    with pytest.raises(Unreachable) as fault, open_engine(project, {"store": address}) as engine:
        engine.index()
    assert "127.0.0.1" in fault.value.message and "s3cr3t" not in fault.value.message + fault.value.hint
    with pytest.raises(UsageError) as wrong:
        open_engine(project, {"store": f"mongodb://user:s3cr3t-w0rd@host/{'x' * 4_000}"})
    assert "s3cr3t" not in wrong.value.message + wrong.value.hint
