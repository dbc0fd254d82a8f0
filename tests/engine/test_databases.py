"""What do the databases of a project answer when they are there, change, break, lie or are gone?"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from clew.assembly import open_databases
from clew.assembly_databases import FOLDER, SCHEMAS, VALUES, VAULT, StoredChunks
from clew.assembly_stores import open_folder
from clew.core.schema.answer import SchemaQuestion
from clew.core.schema.contracts import Column, ForeignKey, Snapshot, Table, Unread
from clew.core.schema.meaning import Meanings
from clew.core.schema.protocols import Wishes
from clew.databases import Databases, Meant
from clew.errors import NoIndex, Unreachable, UsageError
from clew.index.schema_enrichment import Enriched
from clew.index.schema_upkeep import SchemaUpkeep
from clew.settings import load_settings
from clew.stores.datasources import FileRegistry
from clew.stores.held_values import SqliteValues
from clew.stores.meanings import SavedMeanings
from clew.stores.schemas import SqliteSchemas
from clew.testing.hashing_embedder import HashingEmbedder

CUSTOMERS = Table(name="customers", columns=(Column(name="id", dtype="int"), Column(name="email", dtype="text")), primary_key=("id",))
ORDERS = Table(
    name="orders",
    columns=(Column(name="id", dtype="int"), Column(name="customer_id", dtype="int"), Column(name="total", dtype="numeric")),
    primary_key=("id",),
    foreign_keys=(ForeignKey(columns=("customer_id",), referred_schema="", referred_table="customers", referred_columns=("id",)),),
)
POSTS = Table(name="posts", columns=(Column(name="id", dtype="int"), Column(name="karma", dtype="int")))
NOTED = ORDERS.model_copy(update={"columns": (*ORDERS.columns, Column(name="note", dtype="text"))})


class Server:
    """Databases by name, each a tuple of tables or what happens instead; `asked` are the URLs that were connected to."""

    def __init__(self) -> None:
        self.tables: dict[str, tuple[Table, ...] | Exception] = {}
        self.unread: tuple[Unread, ...] = ()
        self.warnings: tuple[str, ...] = ()
        self.asked: list[str] = []

    def __call__(self, name: str, url: str, wishes: Wishes) -> Snapshot:
        self.asked.append(url)
        tables = self.tables[name]
        if isinstance(tables, Exception):
            raise tables
        return Snapshot(datasource=name, dialect="postgres", tables=tables, unread=self.unread, warnings=self.warnings, taken_at=10**9)


class NoCode:
    """A project of which no code is indexed."""

    def opened(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing to give back."""


class Place:
    """A project with databases whose servers are scripted."""

    def __init__(self, root: Path, home: Path) -> None:
        self.root = root
        self.folder = root / ".clew" / FOLDER
        self.server = Server()
        self.variables: dict[str, str] = {}
        self._home = home

    def open(self) -> Databases:
        """The databases, as a process that begins now sees them."""
        settings = load_settings(self.root)
        registry = FileRegistry(self.folder, self._home / VAULT)
        schemas = SqliteSchemas(self.folder / SCHEMAS, 10)
        chunks = StoredChunks(
            self.folder / "chunks", lambda place: open_folder(place, settings), HashingEmbedder, SavedMeanings(self.folder / "meanings.db")
        )
        meant = Meant(Meanings())
        values = SqliteValues(self.folder / VALUES)
        upkeep = SchemaUpkeep(
            self.root,
            registry,
            schemas,
            schemas,
            self.server,
            lambda one: chunks.refresh(one, Meanings(), schemas.versions(one.datasource)),
            self.variables.get,
            lambda _: Enriched(),
            values.keep,
        )
        return Databases(self.root, settings, registry, schemas, upkeep, lambda: meant, lambda _, added: added, chunks, NoCode(), values)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "project").mkdir()
    return Place(tmp_path / "project", tmp_path / "home")


@pytest.fixture
def shop(place: Place) -> Databases:
    place.server.tables = {"shop": (CUSTOMERS, ORDERS), "forum": (POSTS,)}
    databases = place.open()
    databases.add("shop", "postgresql://reader:s3cret@shop.example/app")
    databases.add("forum", "postgresql://reader@forum.example/app")
    return databases


def found(databases: Databases, text: str, *names: str) -> list[tuple[str, str]]:
    return [(one.datasource, one.table.name) for one in databases.search(SchemaQuestion(text, names)).tables]


def test_all_are_read_before_the_call_returns_and_told_one_by_one(shop: Databases) -> None:
    told: list[str] = []
    readings = shop.index(progress=lambda one: told.append(one.name))
    assert told == [one.name for one in readings] == ["forum", "shop"]
    shop.index(["shop"], statistics=True)
    assert [one.registration.wishes.statistics for one in shop.listed()] == [False, True]


def test_another_url_is_read_by_the_next_question(shop: Databases, place: Place) -> None:
    assert found(shop, "karma", "forum") == [("forum", "posts")]
    place.server.tables["forum"] = (ORDERS,)
    shop.add("forum", "postgresql://reader@elsewhere.example/app", replaced=True)
    assert shop.status(["forum"], live=False)[0].drifted == "another URL was given"
    assert found(shop, "orders", "forum") == [("forum", "orders")]
    assert shop.search("orders", datasources=("forum",)).warnings == ()
    place.server.tables["forum"] = Unreachable("forum does not answer")
    shop.add("forum", "postgresql://reader@third.example/app", replaced=True)
    assert any("another URL was given" in one for one in shop.search("orders", datasources=("forum",)).warnings)


def test_a_question_of_a_megabyte_is_read_as_far_as_it_can_matter(shop: Databases) -> None:
    answer = shop.search("orders of customers " * 50_000)
    assert {one.table.name for one in answer.tables} >= {"orders", "customers"}
    assert any("the first 4,000 characters" in one for one in answer.warnings)


def test_a_question_takes_its_options_by_name(shop: Databases) -> None:
    assert len(shop.search("orders of customers", datasources=("shop",), limit=1).tables) == 1
    assert shop.search(SchemaQuestion("orders"), max_tokens=30) == shop.search(SchemaQuestion("orders", max_tokens=30))


def test_what_was_never_read_is_read_by_the_first_question(shop: Databases, place: Place) -> None:
    assert found(shop, "total of orders")[0] == ("shop", "orders")
    assert found(shop, "karma", "forum") == [("forum", "posts")]
    assert place.server.asked == ["postgresql://reader@forum.example/app", "postgresql://reader:s3cret@shop.example/app"]
    assert found(place.open(), "total of orders")[0] == ("shop", "orders")
    assert len(place.server.asked) == 2


def test_a_second_reading_changes_nothing_and_a_changed_table_makes_a_version(shop: Databases, place: Place) -> None:
    assert [one.outcome for one in shop.index()] == ["new", "new"]
    again = list(shop.index())
    assert [one.outcome for one in again] == ["unchanged", "unchanged"]
    assert [one.refreshed.embedded for one in again if one.refreshed] == [0, 0]
    place.server.tables["shop"] = (CUSTOMERS, NOTED)
    changed = next(iter(shop.index(["shop"])))
    assert changed.outcome == "changed"
    assert changed.refreshed is not None
    assert 0 < changed.refreshed.embedded < changed.refreshed.chunks
    assert len(shop.listed()[1].kept) == 2
    assert "note" in [one.column.name for one in shop.search("note of an order").tables[0].columns]
    before, after = shop.listed()[1].kept
    assert "note" not in str(shop.search(SchemaQuestion("note of an order", schema_version=before)).ddl)
    assert [change.name for table in shop.diff(before, after).tables for change in table.changes] == ["note"]


def test_a_database_that_is_gone_is_answered_from_its_last_snapshot_with_reason_and_age(shop: Databases, place: Place) -> None:
    list(shop.index())
    place.server.tables["shop"] = Unreachable("shop.example refused the connection", "is it running?")
    reading = next(iter(shop.index(["shop"])))
    assert (reading.outcome, reading.fault.message if reading.fault else "") == ("failed", "shop.example refused the connection")
    assert reading.snapshot is not None
    answer = place.open().search(SchemaQuestion("total of orders", ("shop",)))
    assert answer.tables[0].table.name == "orders"
    said = "shop could not be read just now (shop.example refused the connection): answered from its snapshot, taken just now"
    assert said in answer.warnings
    place.server.tables["shop"] = (CUSTOMERS, ORDERS)
    list(shop.index(["shop"]))
    assert place.open().search(SchemaQuestion("total of orders", ("shop",))).warnings == ()


def test_a_bad_database_costs_the_others_nothing(shop: Databases, place: Place) -> None:
    for fault in (
        Unreachable("refused"),
        RuntimeError("a driver's own"),
        RecursionError(),
        UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"),
    ):
        place.server.tables["forum"] = fault
        readings = {one.name: one for one in shop.index()}
        assert readings["forum"].outcome == "failed"
        assert readings["shop"].fault is None
        answer = place.open().search("total of orders")
        assert answer.tables[0].table.name == "orders"
        assert [one for one in answer.warnings if one.startswith("forum is left out, it was never read: ")]


def test_when_none_can_be_read_the_question_says_why(shop: Databases, place: Place) -> None:
    place.server.tables["forum"] = Unreachable("forum.example refused")
    with pytest.raises(Unreachable, match="refused"):
        shop.search(SchemaQuestion("karma", ("forum",)))
    place.server.tables["forum"] = (POSTS,)
    assert found(shop, "karma", "forum") == [("forum", "posts")]


@pytest.mark.parametrize("password", ["s3cret", "p@ss:w%rd/1", "50%", "x"])
def test_whatever_a_driver_says_no_password_gets_out(place: Place, password: str) -> None:
    databases = place.open()
    databases.add("shop", f"postgresql://reader:{password}@shop.example/app")
    place.server.tables["shop"] = (CUSTOMERS,)
    place.server.warnings = (f"connected with {password}",)
    place.server.unread = (Unread(name="locked", reason=f"reader with {password!r} may not"),)
    reading = next(iter(databases.index()))
    said = [*reading.warnings, *(one.reason for one in reading.snapshot.unread)] if reading.snapshot else []
    for fault in (RuntimeError, Unreachable):
        place.server.tables["shop"] = fault(f"no connection with postgresql://reader:{password}@shop.example/app ({password})")
        reading = next(iter(databases.index()))
        assert reading.fault is not None
        assert reading.fault.__cause__ is None
        said += [str(reading.fault), reading.fault.hint]
    said += place.open().search("email").warnings
    assert len(said) >= 6
    assert not [one for one in said if password in one.split()]
    assert not [one for one in said if len(password) > 1 and password in one]
    if len(password) > 1:
        assert not [path for path in place.root.rglob("*") if path.is_file() and password.encode() in path.read_bytes()]


def test_a_variable_is_filled_in_whenever_it_is_needed(place: Place) -> None:
    databases = place.open()
    place.server.tables["shop"] = (CUSTOMERS,)
    databases.add("shop", "postgresql://reader:${SHOP_PASSWORD}@shop.example/app")
    reading = next(iter(databases.index()))
    assert reading.fault is not None
    assert "SHOP_PASSWORD is not set" in reading.fault.message
    for password in ("one", "t@o"):
        place.variables["SHOP_PASSWORD"] = password
        assert next(iter(databases.index())).fault is None
    assert place.server.asked == ["postgresql://reader:one@shop.example/app", "postgresql://reader:t%40o@shop.example/app"]


def test_drift_is_noticed_and_said(shop: Databases, place: Place) -> None:
    list(shop.index())
    assert [one.drift.tables for one in shop.status() if one.drift is not None] == [(), ()]
    place.server.tables["shop"] = (CUSTOMERS, NOTED, POSTS)
    state = next(iter(shop.status(["shop"])))
    assert state.drift is not None
    assert [(one.full_name, one.verb) for one in state.drift.tables] == [("orders", "changed"), ("posts", "added")]
    warnings = place.open().search(SchemaQuestion("orders", ("shop",))).warnings
    assert warnings == ("shop was another than its snapshot just now (added posts; changed orders): clew db index shop takes it in",)
    list(shop.index())
    assert place.open().search(SchemaQuestion("orders", ("shop",))).warnings == ()
    assert [one.drift for one in shop.status(live=False)] == [None, None]


def test_the_same_once_more_changes_nothing(shop: Databases) -> None:
    assert shop.add("shop", "postgresql://reader:s3cret@shop.example/app").outcome == "unchanged"
    assert shop.add("new", "sqlite:///x.db").outcome == "added"
    for url in ("postgresql://reader:0ther@shop.example/app", "postgresql://reader:s3cret@elsewhere/app"):
        with pytest.raises(UsageError, match=re.escape("URL: postgresql://reader:***@shop.example/app")) as raised:
            shop.add("shop", url)
        assert "0ther" not in raised.value.message
        assert shop.add("shop", url, replaced=True).outcome == "replaced"
    assert shop.names() == ("forum", "new", "shop")


@pytest.mark.parametrize("name", ["", "a b", "a.b", "a@b", "../x", "-", "x" * 64, "a\nb", "postgresql://u:pw@h/db"])
def test_a_name_must_be_plain(shop: Databases, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be a database's name") as raised:
        shop.add(name, "sqlite:///x.db")
    assert ":pw@" not in raised.value.message


@pytest.mark.parametrize("url", ["", "shop.db", "ddl:", "postgresql://", "://x", "postgresql://u:***@h/db"])
def test_an_address_must_be_one(shop: Databases, url: str) -> None:
    with pytest.raises(UsageError):
        shop.add("other", url)


def test_what_is_removed_is_gone_whole_and_nothing_else(shop: Databases, place: Place) -> None:
    list(shop.index())
    shop.remove("shop")
    assert shop.names() == ("forum",)
    assert found(shop, "orders") == [("forum", "posts")]
    assert "s3cret" not in Path(shop.vault).read_text()
    with pytest.raises(UsageError, match="no database is called 'shop'"):
        shop.remove("shop")
    shop.remove("forum")
    with pytest.raises(NoIndex, match="no database is registered"):
        shop.search("orders")


def test_a_name_that_is_unknown_gets_the_nearest(shop: Databases) -> None:
    with pytest.raises(UsageError) as raised:
        shop.search(SchemaQuestion("orders", ("shpo",)))
    assert raised.value.hint == "did you mean shop?"
    list(shop.index())
    with pytest.raises(UsageError) as raised:
        shop.show("shop.order")
    assert raised.value.hint.startswith("did you mean orders")
    assert [one.name for one in shop.show("shop.ORDERS").tables] == ["orders"]


def test_a_lost_or_damaged_vector_store_costs_no_answer(shop: Databases, place: Place) -> None:
    list(shop.index())
    shop.close()
    (place.folder / "chunks" / "catalog.db").write_bytes(b"damaged" * 1_000)
    answer = place.open().search(SchemaQuestion("total of orders", ("shop",)))
    assert answer.tables[0].table.name == "orders"
    assert [one for one in answer.warnings if "words alone" in one]
    again = place.open()
    reading = next(iter(again.index(["shop"])))
    assert [one for one in reading.warnings if "words alone" in one]
    again.discard()
    assert [(one.fault, one.warnings) for one in again.index()] == [(None, ()), (None, ())]
    assert place.open().search(SchemaQuestion("total of orders", ("shop",))).warnings == ()


@pytest.mark.parametrize("stop", ["reflecting", "registered", "embedding"])
def test_a_process_that_is_killed_while_it_reads_leaves_no_half_version(tmp_path: Path, stop: str) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "shop.sql").write_text("CREATE TABLE orders (id int PRIMARY KEY, total numeric);")
    with open_databases(root) as databases:
        databases.add("shop", "ddl:shop.sql?dialect=postgres", base=root)
        before = next(iter(databases.index())).snapshot
    assert before is not None
    (root / "shop.sql").write_text("CREATE TABLE orders (id int PRIMARY KEY, total numeric, note text);")
    done = subprocess.run([sys.executable, "-c", KILLED, str(root), stop], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    with open_databases(root) as databases:
        kept = databases.listed()[0].kept
        assert kept[0] == before.version
        assert len(kept) == (1 if stop == "reflecting" else 2)
        assert all(databases.snapshot("shop", version).tables for version in kept)
        answer = databases.search("note of orders")
        assert [one.column.name for one in answer.tables[0].columns if one.column.name == "note"] == ["note"]
        assert next(iter(databases.index())).fault is None
        assert databases.search("note of orders").warnings == ()


KILLED = """
import os, signal, sys
from pathlib import Path
import clew.assembly_databases as assembly
from clew.assembly import open_databases
root, stop = Path(sys.argv[1]), sys.argv[2]
die = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
if stop == "reflecting":
    assembly.reflect = die
elif stop == "registered":
    assembly.StoredChunks.refresh = die
else:
    from clew.adapters.embedders.static import StaticEmbedder
    StaticEmbedder.embed_documents = die
with open_databases(root) as databases:
    list(databases.index())
"""


def write_ddl(root: Path, columns: str) -> None:
    (root / "shop.sql").write_text(f"CREATE TABLE orders ({columns});")


def test_a_file_that_changed_is_read_again_by_the_next_question(tmp_path: Path) -> None:
    write_ddl(tmp_path, "id int")
    with open_databases(tmp_path) as databases:
        databases.add("shop", "ddl:shop.sql?dialect=postgres", base=tmp_path)
        first = databases.search("orders").schema_versions["shop"]
        write_ddl(tmp_path, "id int, note text")
        second = databases.search("orders").schema_versions["shop"]
        assert second != first
        write_ddl(tmp_path, "id int, note  text")
        assert databases.search("orders").schema_versions["shop"] == second
        (tmp_path / "shop.sql").unlink()
        answer = databases.search("orders")
        assert answer.tables[0].table.name == "orders"
        assert [one for one in answer.warnings if one.startswith("shop could not be read just now")]
        write_ddl(tmp_path, "id int, note text")
        assert databases.search("orders").warnings == ()


def test_a_project_may_be_moved_with_its_files(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.mkdir()
    write_ddl(old, "id int")
    with open_databases(old) as databases:
        databases.add("shop", "ddl:shop.sql?dialect=postgres", base=old)
        list(databases.index())
    old.rename(new)
    write_ddl(new, "id int, note text")
    with open_databases(new) as databases:
        assert databases.search("note").warnings == ()
        assert "note" in databases.search("note").ddl


def test_fifty_times_the_same_question_is_the_same_answer(shop: Databases, place: Place) -> None:
    list(shop.index())
    answers = {str(place.open().search("customers who paid most")) for _ in range(3)} | {
        str(shop.search("customers who paid most")) for _ in range(50)
    }
    assert len(answers) == 1


def test_an_empty_question_is_refused(shop: Databases) -> None:
    with pytest.raises(UsageError, match="empty"):
        shop.search("  \n")
