"""Are snapshots kept whole, in order, the last few of each, by several processes, whatever becomes of those?"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from clew.core.schema.contracts import Column, ColumnStatistics, Snapshot, Table
from clew.core.schema.identity import fingerprint
from clew.core.schema.registry import Standing
from clew.errors import IndexUnusable
from clew.stores.schemas import SqliteSchemas

SOURCES = Path(__file__).resolve().parents[2] / "src"


def snapshot(*columns: str, datasource: str = "shop", taken_at: int = 1_000_000_000, **more: object) -> Snapshot:
    table = Table(name="orders", columns=tuple(Column(name=name, dtype="int") for name in columns))
    return Snapshot(**{"datasource": datasource, "dialect": "sqlite", "tables": (table,), "taken_at": taken_at, **more})


@pytest.fixture
def schemas(tmp_path: Path) -> SqliteSchemas:
    return SqliteSchemas(tmp_path / "databases" / "schemas.db", 3)


def test_a_structure_is_registered_once(schemas: SqliteSchemas) -> None:
    first = schemas.register(snapshot("id"))
    again = schemas.register(snapshot("id", taken_at=2_000_000_000))
    assert first.version == again.version == f"20010909014640_{fingerprint(first)[:8]}"
    assert schemas.versions("shop") == (first.version,)
    assert schemas.latest("shop") == first.model_copy(update={"taken_at": schemas.latest("shop").taken_at})  # type: ignore[union-attr]


def test_texts_and_statistics_are_renewed_under_the_same_version(schemas: SqliteSchemas) -> None:
    first = schemas.register(snapshot("id"))
    before = schemas.marks()["shop"]
    told = (
        snapshot("id")
        .tables[0]
        .model_copy(update={"description": "Orders", "columns": (Column(name="id", dtype="int", statistics=ColumnStatistics(distinct=4)),)})
    )
    again = schemas.register(snapshot("id").model_copy(update={"tables": (told,)}))
    assert again.version == first.version
    assert schemas.latest("shop") == again
    assert schemas.marks()["shop"] != before


def test_another_structure_is_another_version_and_the_old_one_stays_as_it_was(schemas: SqliteSchemas) -> None:
    first = schemas.register(snapshot("id"))
    second = schemas.register(snapshot("id", "note"))
    assert schemas.versions("shop") == (first.version, second.version)
    assert schemas.get("shop", first.version) == first
    assert schemas.latest("shop") == second
    assert schemas.get("shop", "20010909014640_00000000") is None


def test_a_structure_that_comes_back_is_the_latest_again(schemas: SqliteSchemas) -> None:
    versions = [schemas.register(snapshot(*columns)).version for columns in (("id",), ("id", "note"), ("id",))]
    assert len(set(versions)) == 3
    assert schemas.versions("shop") == tuple(versions)
    assert schemas.latest("shop").version == versions[-1]  # type: ignore[union-attr]


def test_the_last_few_of_each_datasource_are_kept(schemas: SqliteSchemas) -> None:
    other = schemas.register(snapshot("id", datasource="forum"))
    versions = [schemas.register(snapshot(*"abcdefg"[:size])).version for size in range(1, 6)]
    assert schemas.versions("shop") == tuple(versions[-3:])
    assert schemas.versions("forum") == (other.version,)
    assert schemas.datasources() == ("forum", "shop")


def test_what_is_forgotten_is_gone_and_nothing_else(schemas: SqliteSchemas) -> None:
    schemas.forget("shop")
    other = schemas.register(snapshot("id", datasource="forum"))
    schemas.register(snapshot("id"))
    schemas.note("shop", Standing(fault="refused"))
    schemas.forget("shop")
    assert (schemas.latest("shop"), schemas.versions("shop"), schemas.standing("shop")) == (None, (), Standing())
    assert schemas.latest("forum") == other


def test_how_a_datasource_stands_is_kept(schemas: SqliteSchemas) -> None:
    standing = Standing(1, 2, "refused", 0.5, "12@34", "added note", 3)
    assert schemas.standing("shop") == Standing()
    schemas.note("shop", standing)
    assert schemas.standing("shop") == standing


def test_names_of_any_kind_come_back(schemas: SqliteSchemas) -> None:
    odd = ('a"b', "x\0y", "\u2028", "'; DROP TABLE snapshots; --", "ünï", "\x1b[31m", "")
    kept = schemas.register(snapshot(*odd))
    assert schemas.latest("shop") == kept


def test_what_is_damaged_says_how_it_is_repaired(schemas: SqliteSchemas, tmp_path: Path) -> None:
    schemas.register(snapshot("id"))
    file = tmp_path / "databases" / "schemas.db"
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE snapshots SET content = x'00'")
    connection.close()
    with pytest.raises(IndexUnusable, match="damaged") as raised:
        schemas.latest("shop")
    assert "clew db index --rebuild" in raised.value.hint
    file.write_bytes(b"no database at all" * 100)
    with pytest.raises(IndexUnusable):
        schemas.versions("shop")
    schemas.discard()
    assert schemas.latest("shop") is None
    assert schemas.register(snapshot("id")).version


def test_a_newer_format_is_refused(schemas: SqliteSchemas, tmp_path: Path) -> None:
    schemas.register(snapshot("id"))
    with sqlite3.connect(tmp_path / "databases" / "schemas.db") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(IndexUnusable, match="newer clew"):
        schemas.latest("shop")


def test_many_threads_register_one_structure_once(schemas: SqliteSchemas) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda number: schemas.register(snapshot("id", taken_at=1_000_000_000 + number)).version, range(24)))
    assert len(set(made)) == 1
    assert schemas.versions("shop") == (made[0],)


REGISTERING = """
import sys
from pathlib import Path
from clew.core.schema.contracts import Column, Snapshot, Table
from clew.stores.schemas import SqliteSchemas
schemas = SqliteSchemas(Path(sys.argv[1]), 1000)
print("begun", flush=True)
for number in range(1000):
    columns = tuple(Column(name=f"c{one}", dtype="int") for one in range(2000 + number))
    tables = tuple(Table(name=f"t{one}", columns=columns) for one in range(3))
    schemas.register(Snapshot(datasource="big", dialect="sqlite", tables=tables, taken_at=number))
    print(number, flush=True)
"""


@pytest.fixture
def registering(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    script = tmp_path / "registering.py"
    script.write_text(textwrap.dedent(REGISTERING))
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    command = [sys.executable, str(script), str(tmp_path / "schemas.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("written", [0, 1, 2, 5])
def test_a_process_that_is_killed_while_it_registers_leaves_no_half_version(
    registering: subprocess.Popen[str], tmp_path: Path, written: int
) -> None:
    assert registering.stdout is not None
    seen = [registering.stdout.readline() for _ in range(written + 1)]
    registering.send_signal(signal.SIGKILL)
    registering.wait()
    schemas = SqliteSchemas(tmp_path / "schemas.db", 1000)
    versions = schemas.versions("big")
    assert len(versions) >= len(seen) - 1
    for version in versions:
        kept = schemas.get("big", version)
        assert kept is not None
        assert kept.fingerprint == fingerprint(kept)
    assert schemas.register(snapshot("id")).version


def test_a_reader_sees_whole_versions_while_others_write(registering: subprocess.Popen[str], tmp_path: Path) -> None:
    assert registering.stdout is not None
    registering.stdout.readline()
    schemas = SqliteSchemas(tmp_path / "schemas.db", 1000)
    for _ in range(8):
        registering.stdout.readline()
        kept = schemas.latest("big")
        assert kept is not None
        assert kept.fingerprint == fingerprint(kept)
