"""Does every search command keep to MongoDB's documentation, and to the scope of the question?"""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.mongo.listening import Captured, captured

import clew.stores.mongodb
from clew.core.query import Filters, PathFilter, Scope
from clew.stores.mongodb.documents import ALIVE
from clew.stores.mongodb.indexes import vector_index, words_index
from clew.stores.mongodb.sight import Names, Sight
from clew.testing import HashingEmbedder, a_change, a_chunk, a_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clew.stores.mongodb import MongoStore

EMBEDDER, OTHER = HashingEmbedder(16), HashingEmbedder(24, name="other")
PACKAGE = Path(clew.stores.mongodb.__file__).parent


@pytest.fixture
def sent(opened: Callable[..., MongoStore]) -> Iterator[tuple[MongoStore, Captured]]:
    """A store with two namespaces and two models, and what it sends from its first command on."""
    with captured() as commands:
        store = opened(exact=5, files=1)
        for name in ("home", "mine"):
            files = [
                a_file(f"{name}{n}.py", a_chunk(f"{name}{n}.py", f"f{n}", f"def f{n}(): needle", visibility="team"), embedder=EMBEDDER)
                for n in range(9)
            ]
            store.apply(a_change(name, *files, embedder=EMBEDDER))
        lacking = store.unembedded("home", OTHER.space, 3)
        store.add_vectors("home", OTHER.space, {chunk.checksum: OTHER.embed_documents([chunk.text])[0] for chunk in lacking})
        store.settle()
        yield store, commands


def ask_everything(store: MongoStore, scope: Scope) -> None:
    for filters in (
        Filters(),
        Filters(languages=("Python",), symbol_types=("function",)),
        Filters(paths=(PathFilter("home1.py"),)),
        Filters(paths=(PathFilter("*.py", is_glob=True), PathFilter("mine0.py"))),
    ):
        for limit in (1, 7, 600):
            store.keywords(scope, ["needl", "def", "f"], filters, limit)
            store.nearest(scope, EMBEDDER.space, EMBEDDER.embed_query("needle"), filters, limit)
            store.nearest(scope, OTHER.space, OTHER.embed_query("needle"), filters, limit)
    store.statistics(scope, ["needl", "def", "absent", "\ufdfa"])
    store.holding(scope, "needle f1")


def test_every_search_command_is_one_that_the_documentation_allows(sent: tuple[MongoStore, Captured]) -> None:
    store, commands = sent
    ask_everything(store, Scope(("home", "mine")))
    ask_everything(store, Scope(("home",), ("team",)))
    store.setup()
    assert commands.refused == []
    assert {next(iter(command)) for command in commands.commands} == {"createSearchIndexes", "aggregate"}
    assert all(commands.stages(name) for name in ("$search", "$searchMeta", "$vectorSearch", "$listSearchIndexes"))
    assert commands.stages("$rankFusion") == []  # decision 0013


def test_every_search_asks_for_its_scope_first_and_again(sent: tuple[MongoStore, Captured]) -> None:
    store, commands = sent
    commands.commands.clear()
    ask_everything(store, Scope(("home", "never-there"), ("team", "public")))
    asked = [{"namespace_id": {"$in": ["home", "never-there"]}}, {"visibility": {"$in": ["team", "public"]}}]
    for said in commands.stages("$vectorSearch"):
        if "$in" not in said["filter"]["$and"][1].get("file_path", {}):  # all but the look whether the index has caught up
            assert all(one in said["filter"]["$and"] for one in asked)
    clauses = [
        {"in": {"path": "namespace_id", "value": ["home", "never-there"]}},
        {"in": {"path": "visibility", "value": ["team", "public"]}},
    ]
    for said in commands.stages("$search"):
        assert all(one in said["compound"]["filter"] for one in clauses)
    searching = [command for command in commands.commands if next(iter(command["pipeline"][0])) in ("$search", "$vectorSearch")]
    again = [command for command in searching if len(command["pipeline"]) > 2]
    assert again and all('"visibility": {"$in": ["team", "public"]}' in json.dumps(command["pipeline"][1]["$match"]) for command in again)
    assert all('"namespace_id": "home"' in json.dumps(command["pipeline"][1]["$match"]) for command in again)


def test_neighbours_are_exact_up_to_a_size_and_considered_by_the_score_above(sent: tuple[MongoStore, Captured]) -> None:
    store, commands = sent
    question = EMBEDDER.embed_query("needle")
    found = {}
    for limit in (1, 50, 400, 9_000):
        commands.commands.clear()
        store.nearest(Scope(("home", "mine")), EMBEDDER.space, question, Filters(), limit)
        found[limit] = next((said["limit"], said["numCandidates"]) for said in commands.stages("$vectorSearch") if "numCandidates" in said)
    assert found == {1: (51, 1_020), 50: (100, 2_000), 400: (450, 9_000), 9_000: (9_050, 10_000)}
    commands.commands.clear()
    store.nearest(Scope(("home", "mine")), OTHER.space, OTHER.embed_query("x"), Filters(), 3)
    assert all("numCandidates" in said for said in commands.stages("$vectorSearch") if not said.get("exact"))


@pytest.mark.parametrize(
    ("chunks", "edges", "candidates"),
    [(0, 16, 100), (10_000, 16, 100), (10_001, 16, 200), (100_000, 16, 200), (1_000_000, 24, 300), (1_000_001, 32, 400)],
)
def test_the_graph_of_neighbours_is_made_for_the_number_of_chunks(chunks: int, edges: int, candidates: int) -> None:
    definition = vector_index(Names("other_name", "field"), 384, chunks)
    vector, *filters = definition["fields"]
    assert vector == {
        "type": "vector", "path": "field", "numDimensions": 384, "similarity": "cosine", "hnswOptions": {"maxEdges": edges, "numEdgeCandidates": candidates},
    }  # fmt: skip
    assert {one["path"] for one in filters} >= {"namespace_id", "visibility", "language", "symbol_type", "file_path"}
    assert words_index()["mappings"]["dynamic"] is False


def test_names_of_index_and_field_are_those_that_are_set(server: Any, tmp_path: Path, database: Any) -> None:
    from clew.stores.mongodb import MongoStore
    from clew.stores.mongodb.address import place

    store = MongoStore(place(server.address, {}.get), tmp_path, names=Names("my_vectors", "my_field"))
    store.apply(a_change("home", a_file("a.py", a_chunk("a.py", "f", "needle"), embedder=EMBEDDER), embedder=EMBEDDER))
    assert store.nearest(Scope(("home",)), EMBEDDER.space, EMBEDDER.embed_query("needle"), Filters(), 3).hits
    assert {one["name"] for one in database["chunks"].list_search_indexes()} == {"keyword_search_index", "my_vectors"}
    (document,) = database["chunks"].find()
    assert "my_field" in document and "embedding_vector" not in document
    store.close()


def test_a_document_has_the_form_that_others_may_read(sent: tuple[MongoStore, Captured], database: Any) -> None:
    document = database["chunks"].find_one({"namespace_id": "home", "symbol_name": "f3"})
    assert document["ast_metadata"] == {"function_name": "f3", "imports": [], "dependencies": []}
    expected = {
        "namespace_id": "home", "file_path": "home3.py", "start_line": 1, "end_line": 1, "content": "def f3(): needle", "visibility": "team",
        "symbol_type": "function", "language": "python", "signature": "", "parent": "", "docstring": "", "died": ALIVE, "model": EMBEDDER.space.fingerprint,
    }  # fmt: skip
    assert {name: document[name] for name in expected} == expected
    assert document["checksum"].startswith("sha256:") and len(document["embedding_vector"].as_vector().data) == 16
    (beside,) = [name for name in database.list_collection_names() if name.startswith("chunks__")]
    assert (
        beside == f"chunks__{OTHER.space.fingerprint[:8]}" and len(database[beside].find_one()["embedding_vector"].as_vector().data) == 24
    )


def test_what_a_build_shows_comes_with_one_change_of_one_document(opened: Callable[..., MongoStore], database: Any) -> None:
    store = opened()
    store.apply(a_change("home", a_file("a.py", a_chunk("a.py", "f", "needle")), facts={"n": "1"}))
    with database["namespaces"].watch(full_document="updateLookup") as changes:
        applied = store.apply(a_change("home", a_file("b.py", a_chunk("b.py", "g", "needle")), facts={"n": "2"}, deleted=("a.py",)))
        seen = []
        while (change := changes.try_next()) is not None or len(seen) < 3:
            if change is not None:
                seen.append(change)
    shown = [one for one in seen if "generation" in one.get("updateDescription", {}).get("updatedFields", {})]
    assert [one["updateDescription"]["updatedFields"]["generation"] for one in shown] == [applied.generation]
    assert {"facts"} <= shown[0]["updateDescription"]["updatedFields"].keys()


def test_no_other_module_makes_a_search() -> None:
    searching = {"$search", "$searchMeta", "$vectorSearch", "$rankFusion"}
    for path in PACKAGE.glob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        words = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        assert not words & searching or path.name == "sight.py", path.name
        calls = {node.func.attr for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
        if path.name in ("searching.py", "sampling.py"):
            assert not calls & {"aggregate", "find_one", "count_documents", "distinct"}, path.name


def test_a_question_without_a_scope_does_not_run(opened: Callable[..., MongoStore]) -> None:
    store = opened()
    with pytest.raises(TypeError):
        store.keywords(["needl"], Filters(), 5)  # type: ignore[call-arg, arg-type]
    with pytest.raises(TypeError):
        Sight(None, Names(), states=[])  # type: ignore[call-arg, arg-type]
    with pytest.raises(AttributeError):
        store.nearest(None, EMBEDDER.space, EMBEDDER.embed_query("x"), Filters(), 5)  # type: ignore[arg-type]
    assert store.keywords(Scope(()), ["needl"], Filters(), 5).hits == ()
