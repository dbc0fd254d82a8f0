"""Does every store keep the promises of `ChunkStore`? A new store is added to STORES, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import pytest
from tests.mongo.proxy import mongodb
from tests.servers import chroma_server

from clew.core.catalog import FileRecord, Space
from clew.core.document import Definition, Reference
from clew.core.query import Filters, PathFilter, Scope
from clew.core.words import query_terms
from clew.stores.chroma import chroma_home
from clew.stores.embedded import EmbeddedStore, Limits
from clew.stores.mongodb import MongoStore
from clew.stores.mongodb.address import place as mongo_place
from clew.stores.mongodb.limits import Limits as MongoLimits
from clew.testing import HashingEmbedder, MemoryStore, a_change, a_chunk, a_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from clew.core.protocols import ChunkStore

STORES: dict[str, Callable[[Path, Callable[[str], str]], ChunkStore]] = {
    "memory": lambda folder, server: MemoryStore(),
    "embedded": lambda folder, server: EmbeddedStore.open(folder),
    "embedded, renewed at each step": lambda folder, server: EmbeddedStore.open(folder, limits=Limits(rows=1)),
    "Chroma in its folder": lambda folder, server: EmbeddedStore.open(folder, limits=Limits(rows=1), home=chroma_home("")),
    "Chroma on a server": lambda folder, server: EmbeddedStore.open(folder, limits=Limits(rows=1), home=chroma_home(server("chroma"))),
    "MongoDB": lambda folder, server: MongoStore(mongo_place(server("mongo"), {}.get), folder),
    "MongoDB, as if it were large": lambda folder, server: MongoStore(
        mongo_place(server("mongo"), {}.get), folder, limits=MongoLimits(exact=0, files=0, grace_s=0)
    ),
}

EMBEDDER = HashingEmbedder(16)
OTHER = HashingEmbedder(24, name="other")
HOME = "home"
ALL = Filters()
SEEN = Scope((HOME,))
FUNCTION = a_chunk("src/users.py", "load_users", "def load_users(path):\n    return parse(path)", docstring="Load all users.")
METHOD = a_chunk("src/users.py", "Store.save", "def save(self, user):\n    write(user)", line=5, symbol_type="method")
TABLE = a_chunk("shop.public.users", "users", "CREATE TABLE users (id int)", symbol_type="table", language="postgres")
RUST = a_chunk(
    "lib/net/socket.rs", "connect", "fn connect() { open_socket() }", language="rust", imports=("std::net",), calls=("open_socket",)
)


@pytest.fixture(scope="module")
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with chroma_server(tmp_path_factory.mktemp("chroma")) as address:
        yield address


@pytest.fixture(scope="module")
def mongo_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with mongodb(tmp_path_factory.mktemp("mongo")) as (address, _, _):
        yield address


@pytest.fixture
def mongo(mongo_server: str, request: pytest.FixtureRequest) -> str:
    """A database of its own for each test."""
    return mongo_server.replace("/clew?", f"/t{crc32(request.node.nodeid.encode())}?")


@pytest.fixture(params=STORES.values(), ids=STORES.keys())
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ChunkStore]:
    opened: ChunkStore = request.param(tmp_path / "store", request.getfixturevalue)
    yield opened
    opened.close()


def fill(store: ChunkStore) -> None:
    """A function, a method and a Rust function at home, a table in another namespace."""
    store.apply(a_change(HOME, a_file("src/users.py", FUNCTION, METHOD, embedder=EMBEDDER), embedder=EMBEDDER, facts={"root": "/x\udcff"}))
    store.apply(a_change(HOME, a_file("lib/net/socket.rs", RUST, embedder=EMBEDDER), embedder=EMBEDDER))
    store.apply(a_change("shop-db", a_file("shop.public.users", TABLE, embedder=EMBEDDER), embedder=EMBEDDER))
    store.settle()


def found(store: ChunkStore, question: str, scope: Scope = SEEN, filters: Filters = ALL, limit: int = 10) -> list[str]:
    return [hit.symbol_name for hit in store.keywords(scope, query_terms(question), filters, limit).hits]


def near(store: ChunkStore, question: str, scope: Scope = SEEN, filters: Filters = ALL, limit: int = 10) -> list[str]:
    return [hit.symbol_name for hit in store.nearest(scope, EMBEDDER.space, EMBEDDER.embed_query(question), filters, limit).hits]


def test_an_empty_store_answers_everything_with_nothing(store: ChunkStore) -> None:
    assert found(store, "anything") == []
    assert near(store, "anything") == []
    assert store.named(SEEN, ["x"], ALL, 5) == ()
    assert store.statistics(SEEN, ["x"]).total == 0
    assert store.files(HOME) == {} and store.facts(HOME) == {} and store.spaces(HOME) == ()
    assert store.counts(HOME, EMBEDDER.space).chunks == 0
    assert store.missing(HOME, EMBEDDER.space, {FUNCTION.checksum}) == {FUNCTION.checksum}
    store.settle()


def test_what_was_applied_is_found_by_words_by_vector_and_by_name(store: ChunkStore) -> None:
    fill(store)
    assert found(store, "load users")[0] == "load_users"
    assert near(store, FUNCTION.text)[0] == "load_users"
    assert [hit.symbol_name for hit in store.named(SEEN, ["save"], ALL, 5)] == ["Store.save"]


def test_chunks_come_back_as_they_were_given(store: ChunkStore) -> None:
    fill(store)
    keys = [(HOME, RUST.id), (HOME, METHOD.id), ("shop-db", TABLE.id), (HOME, "absent")]
    whole = store.chunks(Scope((HOME, "shop-db")), keys)
    assert whole == {
        keys[0]: replace(RUST, namespace=HOME),
        keys[1]: replace(METHOD, namespace=HOME),
        keys[2]: replace(TABLE, namespace="shop-db"),
    }


def test_a_hit_tells_where_its_chunk_stands(store: ChunkStore) -> None:
    fill(store)
    hit = store.keywords(SEEN, query_terms("socket connect"), ALL, 1).hits[0]
    assert (hit.key, hit.filepath, hit.symbol_type, hit.language, hit.line_start, hit.line_end) == (
        (HOME, RUST.id), "lib/net/socket.rs", "function", "rust", 1, 1,
    )  # fmt: skip
    assert hit.score > 0


def test_nothing_outside_the_scope_is_seen_by_any_call(store: ChunkStore) -> None:
    fill(store)
    store.apply(
        a_change(
            HOME,
            a_file("secret.py", a_chunk("secret.py", "hidden", "users secret", visibility="private"), embedder=EMBEDDER),
            embedder=EMBEDDER,
        )
    )
    store.apply(
        a_change(
            HOME, a_file("open.py", a_chunk("open.py", "shown", "users open", visibility="public"), embedder=EMBEDDER), embedder=EMBEDDER
        )
    )
    public = Scope((HOME, "shop-db"), ("public",))
    assert found(store, "users secret open", public) == ["shown"]
    assert near(store, "users secret open", public) == ["shown"]
    assert [h.symbol_name for h in store.named(public, ["hidden", "shown", "users"], ALL, 9)] == ["shown"]
    assert store.statistics(public, ["user"]).frequency == {"user": 1} and store.statistics(public, ["user"]).total == 1
    assert store.outline(public, "secret.py") == () and store.references(public, "secret.py") == ()
    assert store.chunks(public, [(HOME, FUNCTION.id), ("shop-db", TABLE.id)]) == {}
    assert found(store, "users", Scope(("elsewhere",))) == [] == near(store, "users", Scope(()))
    assert found(store, "users", Scope(("shop-db",))) == ["users"]


def test_a_table_and_a_function_are_found_together(store: ChunkStore) -> None:
    fill(store)
    both = Scope((HOME, "shop-db"))
    assert {"users", "load_users"} <= set(found(store, "users", both))
    assert {"users", "load_users"} <= set(near(store, "users", both))


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        (Filters(languages=("Rust",)), {"connect"}),
        (Filters(languages=("rust", "python")), {"connect", "load_users", "Store.save"}),
        (Filters(symbol_types=("METHOD",)), {"Store.save"}),
        (Filters(paths=(PathFilter("src"),)), {"load_users", "Store.save"}),
        (Filters(paths=(PathFilter("src/users.py"),)), {"load_users", "Store.save"}),
        (Filters(paths=(PathFilter("sr"),)), set()),
        (Filters(paths=(PathFilter("src/users"),)), set()),
        (Filters(paths=(PathFilter("*.rs", is_glob=True),)), {"connect"}),
        (Filters(paths=(PathFilter("lib/*.rs", is_glob=True),)), set()),
        (Filters(paths=(PathFilter("lib/**/*.rs", is_glob=True),)), {"connect"}),
        (Filters(paths=(PathFilter("lib/**", is_glob=True), PathFilter("src"))), {"connect", "load_users", "Store.save"}),
        (Filters(paths=(PathFilter("%"), PathFilter("s_c"), PathFilter("'; --"))), set()),
        (Filters(languages=("python",), symbol_types=("function",), paths=(PathFilter("src"),)), {"load_users"}),
    ],
)
def test_filters_restrict_every_leg(store: ChunkStore, filters: Filters, names: set[str]) -> None:
    fill(store)
    assert set(found(store, "load users save socket connect", filters=filters)) == names
    assert set(near(store, "load users", filters=filters)) == names
    assert {h.symbol_name for h in store.named(SEEN, ["connect", "save", "load_users"], filters, 9)} == names


def test_filters_come_before_the_limit(store: ChunkStore) -> None:
    many = [a_file(f"a{n}.py", a_chunk(f"a{n}.py", f"f{n}", "needle needle needle"), embedder=EMBEDDER) for n in range(30)]
    last = a_file("z.rs", a_chunk("z.rs", "last", "needle and much else that makes it a worse match", language="rust"), embedder=EMBEDDER)
    store.apply(a_change(HOME, *many, last, embedder=EMBEDDER))
    rust = Filters(languages=("rust",))
    assert found(store, "needle", filters=rust, limit=1) == ["last"] == near(store, "needle", filters=rust, limit=1)


def test_paths_compare_in_one_unicode_form(store: ChunkStore) -> None:
    store.apply(a_change(HOME, a_file("cafe\u0301/a.py", a_chunk("cafe\u0301/a.py", "f", "espresso"))))
    assert found(store, "espresso", filters=Filters(paths=(PathFilter("caf\u00e9"),))) == ["f"]
    assert list(store.files(HOME)) == ["cafe\u0301/a.py"]


@pytest.mark.parametrize(
    "name",
    [
        "q'uote\".py",
        "per%cent_.py",
        "new\nline.py",
        "bad\udcff.py",
        "nul\x00.py",
        "-dash.py",
        "e\x1b[31m.py",
        "ls\u2028.py",
        "ü/ß.py",
        "a\\b.py",
    ],
)
def test_odd_file_names_and_texts_survive(store: ChunkStore, name: str) -> None:
    code = f"needle {name} \r\n end"
    chunk = a_chunk(name, f"sym{name}", code, docstring=name, signature=name, imports=(name,), calls=(name,))
    store.apply(a_change(HOME, a_file(name, chunk, embedder=EMBEDDER, note=name), embedder=EMBEDDER, facts={"root": name}))
    store.settle()
    assert store.chunks(SEEN, [(HOME, chunk.id)]) == {(HOME, chunk.id): replace(chunk, namespace=HOME)}
    assert store.files(HOME)[name].note == name and store.facts(HOME) == {"root": name}
    assert found(store, "needle", filters=Filters(paths=(PathFilter(name),))) == [f"sym{name}"]
    assert near(store, "needle", filters=Filters(paths=(PathFilter(name),))) == [f"sym{name}"]
    assert store.outline(SEEN, name)[0].qualified_name == f"sym{name}"
    store.apply(a_change(HOME, deleted=(name,)))
    assert store.files(HOME) == {} and found(store, "needle") == [] == near(store, "needle")


@pytest.mark.parametrize(
    "asked", [['"'], ["a\x00b"], ["\udcff"], ["OR"], ["*"], ["name:x"], ["'; DROP TABLE chunks; --"], [""], ["NEAR(a"], ["ab c"]]
)
def test_hostile_terms_find_nothing_and_break_nothing(store: ChunkStore, asked: list[str]) -> None:
    fill(store)
    store.keywords(SEEN, asked, ALL, 5)
    store.statistics(SEEN, asked)
    assert found(store, "load users")[0] == "load_users"


def test_a_repeated_term_counts_as_often_as_it_is_asked(store: ChunkStore) -> None:
    fill(store)
    store.apply(a_change(HOME, *(a_file(f"n{n}.py", a_chunk(f"n{n}.py", "x", "noise")) for n in range(9))))
    once = store.keywords(SEEN, ["socket"], ALL, 1).hits[0].score
    assert math.isclose(store.keywords(SEEN, ["socket", "socket"], ALL, 1).hits[0].score, 2 * once, rel_tol=1e-6)


def test_equal_scores_are_ordered_by_key(store: ChunkStore) -> None:
    files = [a_file(f"{n}.py", a_chunk(f"{n}.py", "same", "twin text", header=""), embedder=EMBEDDER) for n in range(20)]
    store.apply(a_change(HOME, *files[::2], embedder=EMBEDDER))
    store.settle()
    store.apply(a_change(HOME, *files[1::2], embedder=EMBEDDER))
    twins = Filters(paths=(PathFilter("*.py", is_glob=True),))
    for hits in (
        store.keywords(SEEN, ["twin"], twins, 7).hits,
        store.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query("twin"), twins, 7).hits,
        store.named(SEEN, ["same"], twins, 7),
    ):
        assert [hit.key for hit in hits] == sorted((HOME, update.chunks[0].id) for update in files)[:7]


def test_a_chunk_that_moves_keeps_its_embedding(store: ChunkStore) -> None:
    fill(store)
    moved = a_chunk("src/users.py", "load_users", FUNCTION.code, line=40, docstring=FUNCTION.docstring)
    applied = store.apply(a_change(HOME, a_file("src/users.py", moved, METHOD), embedder=EMBEDDER))
    assert (applied.added, applied.kept, applied.deleted) == (0, 2, 0)
    assert store.unembedded(HOME, EMBEDDER.space, 9) == []
    hit = store.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query(moved.text), ALL, 1).hits[0]
    assert (hit.id, hit.line_start) == (moved.id, 40)
    assert store.chunks(SEEN, [(HOME, FUNCTION.id)]) == {}


def test_chunks_that_change_places_keep_their_embeddings(store: ChunkStore) -> None:
    one = a_chunk("a.py", "f", "first body", line=1, header="h")
    two = a_chunk("a.py", "f", "second body", line=9, header="h")
    store.apply(a_change(HOME, a_file("a.py", one, two, embedder=EMBEDDER), embedder=EMBEDDER))
    store.settle()
    swapped = (replace(two, id=one.id, line_start=1, line_end=1), replace(one, id=two.id, line_start=9, line_end=9))
    store.apply(a_change(HOME, a_file("a.py", *swapped), embedder=EMBEDDER))
    for text, place in (("second body", 1), ("first body", 9)):
        assert store.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query(f"h\n{text}"), ALL, 1).hits[0].line_start == place
    store.settle()
    assert store.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query("h\nsecond body"), ALL, 1).hits[0].line_start == 1
    assert {chunk.code for chunk in store.chunks(SEEN, [(HOME, one.id), (HOME, two.id)]).values()} == {"first body", "second body"}


def test_a_renamed_file_needs_no_embedding(store: ChunkStore) -> None:
    kept = a_chunk("old.py", "f", "some body", header="no path")
    store.apply(a_change(HOME, a_file("old.py", kept, embedder=EMBEDDER), embedder=EMBEDDER))
    store.settle()
    assert store.missing(HOME, EMBEDDER.space, {kept.checksum}) == set()
    renamed = a_chunk("new.py", "f", "some body", header="no path")
    store.apply(a_change(HOME, a_file("new.py", renamed), embedder=EMBEDDER, deleted=("old.py",)))
    assert store.unembedded(HOME, EMBEDDER.space, 9) == []
    assert [hit.filepath for hit in store.nearest(SEEN, EMBEDDER.space, EMBEDDER.embed_query("some body"), ALL, 9).hits] == ["new.py"]


def test_two_chunks_with_one_text_share_an_embedding(store: ChunkStore) -> None:
    twins = [a_chunk(f"{n}.py", "f", "some body", header="no path") for n in range(3)]
    first = a_file("0.py", twins[0], embedder=EMBEDDER)
    store.apply(a_change(HOME, first, a_file("1.py", twins[1]), embedder=EMBEDDER))
    store.apply(a_change("elsewhere", a_file("2.py", twins[2]), embedder=EMBEDDER))
    assert store.unembedded(HOME, EMBEDDER.space, 9) == [] == store.unembedded("elsewhere", EMBEDDER.space, 9)


def test_an_unembedded_chunk_is_found_by_words_and_listed_until_it_has_a_vector(store: ChunkStore) -> None:
    store.apply(a_change(HOME, a_file("src/users.py", FUNCTION, METHOD)))
    store.settle()
    assert found(store, "load users") and near(store, "load users") == []
    waiting = store.unembedded(HOME, EMBEDDER.space, 9)
    assert waiting == sorted((replace(c, namespace=HOME) for c in (FUNCTION, METHOD)), key=lambda c: c.id)
    assert store.unembedded(HOME, EMBEDDER.space, 1) == waiting[:1]
    assert store.unembedded(HOME, EMBEDDER.space, 9, waiting[0].id) == waiting[1:]
    assert store.unembedded(HOME, EMBEDDER.space, 9, waiting[-1].id) == []
    assert store.counts(HOME, EMBEDDER.space).unembedded == 2
    vectors = dict(zip((c.checksum for c in waiting), EMBEDDER.embed_documents([c.text for c in waiting]), strict=True))
    assert store.add_vectors(HOME, EMBEDDER.space, vectors) == 2 and store.add_vectors(HOME, EMBEDDER.space, vectors) == 0
    assert store.unembedded(HOME, EMBEDDER.space, 9) == [] and store.counts(HOME, EMBEDDER.space).unembedded == 0
    assert near(store, FUNCTION.text)[0] == "load_users"
    store.settle()
    assert near(store, FUNCTION.text)[0] == "load_users"


def test_a_search_by_vector_says_how_many_chunks_it_cannot_find(store: ChunkStore) -> None:
    store.apply(a_change(HOME, a_file("a.py", a_chunk("a.py", "one", "def one(): pass"), embedder=EMBEDDER), embedder=EMBEDDER))
    question = EMBEDDER.embed_query("one")
    assert store.nearest(SEEN, EMBEDDER.space, question, ALL, 10).warnings == ()
    store.apply(a_change(HOME, a_file("b.py", a_chunk("b.py", "two", "def two(): pass"), a_chunk("b.py", "six", "six = 6", line=2))))
    store.apply(a_change("elsewhere", a_file("c.py", a_chunk("c.py", "three", "def three(): pass"))))
    (warning,) = store.nearest(SEEN, EMBEDDER.space, question, ALL, 10).warnings
    assert warning.startswith("2 chunks have no vector")
    (warning,) = store.nearest(Scope((HOME, "elsewhere")), EMBEDDER.space, question, ALL, 10).warnings
    assert warning.startswith("3 chunks")
    lacking = store.unembedded(HOME, EMBEDDER.space, 10)
    vectors = EMBEDDER.embed_documents([chunk.text for chunk in lacking])
    store.add_vectors(HOME, EMBEDDER.space, dict(zip([chunk.checksum for chunk in lacking], vectors, strict=True)))
    assert store.nearest(SEEN, EMBEDDER.space, question, ALL, 10).warnings == ()


def test_two_spaces_are_kept_apart(store: ChunkStore) -> None:
    fill(store)
    texts = {c.checksum: c.text for c in store.unembedded(HOME, OTHER.space, 99)}
    assert len(texts) == 3
    store.add_vectors(HOME, OTHER.space, dict(zip(texts, OTHER.embed_documents(list(texts.values())), strict=True)))
    store.settle()
    assert store.spaces(HOME) == (EMBEDDER.space, OTHER.space) and store.spaces("shop-db") == (EMBEDDER.space,)
    leg = store.nearest(SEEN, OTHER.space, OTHER.embed_query(METHOD.text), ALL, 9)
    assert leg.hits[0].id == METHOD.id and len(leg.hits) == 3
    assert near(store, METHOD.text)[0] == "Store.save"
    moved = a_chunk("src/users.py", "Store.save", METHOD.code, line=70, symbol_type="method")
    store.apply(a_change(HOME, a_file("src/users.py", moved), embedder=EMBEDDER))
    assert store.unembedded(HOME, OTHER.space, 9) == []
    assert store.nearest(SEEN, Space("cd" * 32, "never seen", 16), EMBEDDER.embed_query("x"), ALL, 9).hits == ()


def test_cosine_is_exact_and_the_baseline_is_the_median_of_files(store: ChunkStore) -> None:
    words = ["alpha", "beta", "gamma", "delta", "alpha beta"]
    files = [
        a_file(f"{n}.py", *(a_chunk(f"{n}.py", f"f{line}", f"{word} {n}", line=line) for line in (1, 5)), embedder=EMBEDDER)
        for n, word in enumerate(words)
    ]
    store.apply(a_change(HOME, *files[:3], embedder=EMBEDDER))
    store.settle()
    store.apply(a_change(HOME, *files[3:], embedder=EMBEDDER))
    question = EMBEDDER.embed_query("alpha beta")
    leg = store.nearest(SEEN, EMBEDDER.space, question, ALL, 4)
    cosine = {(u.record.filepath, c.line_start): float(v @ question) for u in files for c, v in zip(u.chunks, u.vectors, strict=True)}
    expected = sorted(cosine.values(), reverse=True)[:4]
    assert [hit.score for hit in leg.hits] == pytest.approx(expected, abs=1e-6)
    best = [max(s for (path, _), s in cosine.items() if path == u.record.filepath) for u in files]
    assert leg.baseline == pytest.approx(float(np.median(best)), abs=1e-6)


def test_the_average_of_a_hits_file_is_over_all_of_its_chunks(store: ChunkStore) -> None:
    words = ["alpha", "beta", "gamma alpha", "delta", "epsilon"]
    files = [
        a_file(f"{n}.py", *(a_chunk(f"{n}.py", f"f{i}", f"{words[(n + i) % 5]} {n}", line=i + 1) for i in range(n + 1)), embedder=EMBEDDER)
        for n in range(5)
    ]
    store.apply(a_change(HOME, *files[:3], embedder=EMBEDDER))
    store.settle()
    store.apply(a_change(HOME, *files[3:], embedder=EMBEDDER))
    question = EMBEDDER.embed_query("alpha gamma")
    leg = store.nearest(SEEN, EMBEDDER.space, question, ALL, 3)
    means = {update.record.filepath: float(np.mean([v @ question for v in update.vectors])) for update in files}
    hit = {found.filepath for found in leg.hits}
    assert leg.averages == pytest.approx({(HOME, path): mean for path, mean in means.items() if path in hit}, abs=2e-6)
    assert leg.average == pytest.approx(float(np.median(list(means.values()))), abs=2e-6)


def test_nothing_is_near_a_question_without_direction(store: ChunkStore) -> None:
    fill(store)
    assert store.nearest(SEEN, EMBEDDER.space, np.zeros(16, np.float32), ALL, 5).hits == ()
    assert near(store, "users", limit=0) == [] == found(store, "users", limit=0)


def test_names_are_found_whatever_their_case_and_equal_case_first(store: ChunkStore) -> None:
    upper = a_chunk("a.py", "Save", "class Save: pass", symbol_type="class")
    block = a_chunk("a.py", "a.py:9-20", "save", line=9, symbol_type="block")
    store.apply(a_change(HOME, a_file("a.py", upper, block), a_file("src/users.py", METHOD)))
    assert [(h.symbol_name, h.score) for h in store.named(SEEN, ["save"], ALL, 9)] == [("Store.save", 1.0), ("Save", 0.5)]
    assert [(h.symbol_name, h.score) for h in store.named(SEEN, ["store.SAVE"], ALL, 9)] == [("Store.save", 0.5)]
    assert [h.symbol_name for h in store.named(SEEN, ["Store.save", "Save"], ALL, 1)] == [
        min((upper, METHOD), key=lambda c: c.id).symbol_name
    ]
    assert store.named(SEEN, ["a.py:9-20", "sav", "%", "x.save"], ALL, 9) == ()


def test_statistics_are_those_of_the_living(store: ChunkStore) -> None:
    fill(store)
    assert store.statistics(SEEN, ["user", "absent"]).frequency == {"user": 2}
    store.apply(a_change(HOME, deleted=("src/users.py",)))
    after = store.statistics(SEEN, {"user", "socket"})
    assert (after.total, after.frequency) == (1, {"socket": 1})


def test_scores_after_an_update_are_those_of_a_rebuild(store: ChunkStore, tmp_path: Path) -> None:
    fill(store)
    store.apply(
        a_change(HOME, a_file("more.py", a_chunk("more.py", "g", "users users socket noise"), embedder=EMBEDDER), embedder=EMBEDDER)
    )
    store.apply(a_change(HOME, a_file("src/users.py", METHOD, embedder=EMBEDDER), embedder=EMBEDDER))
    store.apply(a_change(HOME, deleted=("lib/net/socket.rs",)))
    rebuilt = MemoryStore()
    rebuilt.apply(a_change(HOME, a_file("src/users.py", METHOD), a_file("more.py", a_chunk("more.py", "g", "users users socket noise"))))
    rebuilt.apply(a_change("shop-db", a_file("shop.public.users", TABLE)))
    both = Scope((HOME, "shop-db"))  # all that there is: a store that others share weighs words by what is seen, others by what they hold
    for asked in (["user"], ["socket", "user"], ["save", "nois", "user"]):
        theirs, ours = rebuilt.keywords(both, asked, ALL, 9).hits, store.keywords(both, asked, ALL, 9).hits
        assert [h._replace(score=0) for h in ours] == [h._replace(score=0) for h in theirs]
        assert [h.score for h in ours] == pytest.approx([h.score for h in theirs], abs=1e-6)


def test_a_file_is_replaced_as_a_whole(store: ChunkStore) -> None:
    fill(store)
    new = a_chunk("src/users.py", "drop_users", "def drop_users(): erase()")
    applied = store.apply(a_change(HOME, a_file("src/users.py", new, METHOD, embedder=EMBEDDER), embedder=EMBEDDER))
    assert (applied.added, applied.kept, applied.deleted) == (1, 1, 1)
    assert found(store, "load") == [] and found(store, "erase") == ["drop_users"]
    assert [d.name for d in store.outline(SEEN, "src/users.py")] == ["drop_users", "save"]
    assert [r.name for r in store.references(SEEN, "src/users.py")] == ["drop_users", "Store.save"]
    assert store.named(SEEN, ["load_users"], ALL, 9) == ()


def test_records_of_skipped_and_touched_files_are_kept(store: ChunkStore) -> None:
    fill(store)
    skipped = FileRecord("big.bin", 2**40, 2**70, "", "text", skipped="binary")
    store.apply(a_change(HOME, replace(a_file("big.bin"), record=skipped)))
    touched = replace(store.files(HOME)["src/users.py"], mtime_ns=99, note="seen")
    store.apply(a_change(HOME, touched=(touched, replace(touched, filepath="never.py"))))
    assert store.files(HOME)["big.bin"] == skipped and store.files(HOME)["src/users.py"] == touched
    counted = store.counts(HOME, EMBEDDER.space)
    assert (counted.files, counted.skipped, counted.chunks, counted.unembedded) == (2, 1, 3, 0)
    assert counted.languages == {"python": (1, 1), "rust": (1, 1)}
    assert found(store, "load users")[0] == "load_users" and "never.py" not in store.files(HOME)


def test_a_change_that_is_refused_changes_nothing(store: ChunkStore) -> None:
    fill(store)
    before = (store.files(HOME), store.counts(HOME, EMBEDDER.space), found(store, "load users"))
    wrong = replace(a_file("bad.py", a_chunk("bad.py", "f", "text")), vectors=(np.zeros(3, np.float32),))
    with pytest.raises(ValueError, match="3"):
        store.apply(
            a_change(HOME, a_file("src/users.py", RUST), wrong, embedder=EMBEDDER, deleted=("lib/net/socket.rs",), facts={"root": "new"})
        )
    after = (store.files(HOME), store.counts(HOME, EMBEDDER.space), found(store, "load users"))
    assert after[0] == before[0] and after[2] == before[2] and after[1].generation == before[1].generation
    assert store.facts(HOME) == {"root": "/x\udcff"}


def test_every_change_is_a_new_generation_and_legs_tell_it(store: ChunkStore) -> None:
    fill(store)
    generation = store.counts(HOME).generation
    applied = store.apply(a_change(HOME, a_file("a.py", a_chunk("a.py", "f", "text"))))
    assert applied.generation > generation
    assert store.counts(HOME).generation == applied.generation == store.keywords(SEEN, ["text"], ALL, 1).generation


def test_a_forgotten_namespace_leaves_the_others_alone(store: ChunkStore) -> None:
    fill(store)
    store.forget(HOME)
    store.forget("never-there")
    both = Scope((HOME, "shop-db"))
    assert found(store, "users socket", both) == ["users"] == near(store, "users", both)
    assert (store.files(HOME), store.facts(HOME), store.spaces(HOME), store.counts(HOME).chunks) == ({}, {}, (), 0)
    assert store.statistics(both, ["user"]).total == 1
    store.settle()
    assert near(store, "users", both) == ["users"]


def test_deleted_and_replaced_in_one_change_is_replaced(store: ChunkStore) -> None:
    fill(store)
    store.apply(a_change(HOME, a_file("src/users.py", METHOD), deleted=("src/users.py", "never.py")))
    assert [d.qualified_name for d in store.outline(SEEN, "src/users.py")] == ["Store.save"]


def test_letters_that_fold_to_several_words_are_found(store: ChunkStore) -> None:
    ligature = "\ufdfa"
    store.apply(
        a_change(HOME, a_file("a.py", a_chunk("a.py", "f", f"text {ligature} größe 東京都")), a_file("b.py", a_chunk("b.py", "g", "else")))
    )
    for question in (ligature, "GRÖSSE größe", "東京"):
        assert found(store, question) == ["f"], question
    terms = set(query_terms(ligature))
    assert store.statistics(SEEN, terms).frequency == dict.fromkeys(terms, 1)


def test_chunks_are_found_by_the_line_they_hold_and_by_the_end_of_a_path(store: ChunkStore) -> None:
    one = [
        a_chunk("src/app.py", "first", "def first():\n    pass", line=4),
        a_chunk("src/app.py", "second", "def second():\n    pass", line=8),
    ]
    store.apply(a_change(HOME, a_file("src/app.py", *one), a_file("app.py", a_chunk("app.py", "top", "def top():\n    pass", line=1))))
    store.apply(a_change(HOME, a_file("myapp.py", a_chunk("myapp.py", "other", "def other():\n    pass", line=1))))

    def names(path: str, line: int, filters: Filters = ALL) -> list[str]:
        return [hit.symbol_name for hit in store.at(SEEN, path, line, filters)]

    assert names("src/app.py", 5) == ["first"]
    assert names("src/app.py", 9) == ["second"]
    assert names("src/app.py", 1) == ["first"]
    assert names("src/app.py", 7) == []
    assert names("app.py", 5) == ["first"]
    assert names("app.py", 1) == ["top", "first"]
    assert names("app.py", 1, Filters(paths=(PathFilter("src"),))) == ["first"]
    assert names("absent.py", 1) == []
    assert names("%.py", 1) == []
    assert store.at(Scope(("elsewhere",)), "app.py", 1, ALL) == ()


def test_the_files_that_hold_a_word_are_named_whatever_field_it_stands_in(store: ChunkStore) -> None:
    fill(store)
    assert store.holding(SEEN, "load_users") == ("src/users.py",)
    assert store.holding(SEEN, "open_socket") == ("lib/net/socket.rs",)
    assert store.holding(SEEN, "users") == ("src/users.py",)
    assert store.holding(Scope(("shop-db",)), "users") == ("shop.public.users",)
    assert store.holding(SEEN, "absent") == ()
    assert store.holding(SEEN, "()") == store.holding(SEEN, "") == store.holding(SEEN, 'a" OR "b') == ()
    assert store.holding(Scope((HOME,), ("public",)), "users") == ()


def test_names_are_those_of_living_definitions(store: ChunkStore) -> None:
    fill(store)
    assert store.names(SEEN) == ("connect", "load_users", "save")
    store.apply(a_change(HOME, deleted=("src/users.py",)))
    assert store.names(SEEN) == ("connect",)
    assert store.holding(SEEN, "load_users") == ()


def test_outlines_are_those_of_the_files_that_are_shown(store: ChunkStore) -> None:
    definition, reference = Definition("f", "f", "function", 1, 2), Reference("call", "g", 2)
    for path in ("b.py", "a.py"):
        update = replace(a_file(path, a_chunk(path, "f", "def f():\n    g()")), definitions=(definition,), references=(reference,))
        store.apply(a_change(HOME, update))
    assert list(store.outlines(SEEN)) == [("a.py", (definition,), (reference,)), ("b.py", (definition,), (reference,))]
    assert list(store.outlines(Scope((HOME,), ("public",)))) == []
    store.apply(a_change(HOME, deleted=("a.py",)))
    assert [path for path, *_ in store.outlines(Scope((HOME, "elsewhere")))] == ["b.py"]


def test_a_path_in_several_namespaces_has_the_outline_of_the_first_even_where_that_is_empty(store: ChunkStore) -> None:
    definition = Definition("f", "f", "function", 1, 2)
    with_one = replace(a_file("a.py", a_chunk("a.py", "f", "def f(): ...")), definitions=(definition,))
    store.apply(a_change(HOME, a_file("a.py")))
    store.apply(a_change("other", with_one))
    for namespaces, found in (((HOME, "other"), ()), (("other", HOME), (definition,))):
        assert store.outline(Scope(namespaces), "a.py") == found
        assert [(path, outline) for path, outline, _ in store.outlines(Scope(namespaces))] == ([("a.py", found)] if found else [])
