"""What else do people have in databases? Names, types, rights and changes that nobody's list had, each on a real engine, from registering to SQL that runs."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.database_servers import Server

from clew.adapters.databases import reflect
from clew.core.schema.contracts import Snapshot
from clew.core.schema.protocols import Wishes
from clew.search.schema.checking import check

Project = Any
Ran = Any
EVERYTHING = Wishes(statistics=True, values=True)


def read(url: str, wishes: Wishes = EVERYTHING) -> Snapshot:
    return reflect("it", url, wishes)


def names(snapshot: Snapshot) -> set[str]:
    return {one.full_name for one in snapshot.tables}


def dtypes(snapshot: Snapshot, table: str) -> dict[str, str]:
    return {one.name: one.dtype for one in next(one for one in snapshot.tables if one.name == table).columns}


def lite(path: Path, sql: str) -> str:
    connection = sqlite3.connect(path)
    connection.executescript(sql)
    connection.close()
    return f"sqlite:///{path}"


def duck(path: Path, sql: str) -> str:
    with duckdb.connect(str(path)) as connection:
        connection.execute(sql)
    return f"duckdb:///{path}"


def shown(command: Ran, project: Project, url: str, query: str) -> Any:
    """The answer to a question over a database that was just registered."""
    at = ("--path", str(project.root))
    assert command("db", "add", "it", url, *at).code == 0
    done = command("db", "search", query, "--json", *at)
    assert done.code in (0, 1), done.err
    return json.loads(done.out)


NAMES = """CREATE TABLE {q}a.b c{q} ({q}d.e{q} int PRIMARY KEY, {q}f g{q} varchar(9), {q}select{q} int);
CREATE TABLE {q}Ünï{q} ({q}naïve{q} int, {q}up{q} int REFERENCES {q}a.b c{q} ({q}d.e{q}));"""


@pytest.mark.parametrize("kind", ["sqlite", "duckdb", "postgres", "mysql"])
def test_dots_spaces_and_accents_in_names_come_through_and_the_ddl_runs(
    project: Project, command: Ran, postgres: Server, mariadb: Server, tmp_path: Path, kind: str
) -> None:
    quote = "`" if kind == "mysql" else '"'
    made: dict[str, tuple[Callable[[str], str], Callable[[str], object]]] = {
        "sqlite": (lambda sql: lite(tmp_path / "a.db", sql), lambda ddl: sqlite3.connect(":memory:").executescript(ddl)),
        "duckdb": (lambda sql: duck(tmp_path / "a.duckdb", sql), lambda ddl: duckdb.connect().execute(ddl)),
        "postgres": (postgres.database, postgres.database),
        "mysql": (mariadb.database, mariadb.database),
    }
    make, run = made[kind]
    url = make(NAMES.format(q=quote))
    answer = shown(command, project, url, "naïve f g")
    assert {one["table"] for one in answer["tables"]} == {"a.b c", "Ünï"}
    assert len(answer["joins"]) == 1
    run(answer["ddl"])
    written = f"SELECT {quote}f g{quote}, {quote}select{quote} FROM {quote}a.b c{quote} JOIN {quote}Ünï{quote} ON {quote}up{quote} = {quote}d.e{quote}"
    assert check(written, read(url)).verdict == "right"
    at = ("--path", str(project.root))
    assert "f g" in command("db", "show", f"it.{quote}a.b c{quote}", *at).out.decode()


def test_sqlite_with_names_of_nothing_modules_that_are_missing_and_views_of_what_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "odd.db"
    lite(
        path,
        """PRAGMA encoding = 'UTF-16'; CREATE TABLE "" ("" int); CREATE TABLE wr (k text PRIMARY KEY, v) WITHOUT ROWID; CREATE VIRTUAL TABLE rt USING rtree(id, low, high);
        CREATE VIRTUAL TABLE f4 USING fts4(title, body); CREATE VIEW broken AS SELECT absent FROM nowhere; CREATE TABLE gen (a int, b int AS (a + 1) STORED, c int AS (a * 2));
        CREATE TABLE kept (id INTEGER PRIMARY KEY) STRICT; PRAGMA writable_schema = 1;
        INSERT INTO sqlite_master VALUES ('table', 'of_a_module', 'of_a_module', 0, 'CREATE VIRTUAL TABLE of_a_module USING nobody_has_it(a)');""",
    )
    snapshot = read(f"sqlite:///{path}")
    assert names(snapshot) == {"", "wr", "rt", "f4", "gen", "kept"}
    assert {one.name: one.reason for one in snapshot.unread} == {
        "broken": "no such table: main.nowhere",
        "of_a_module": "no such module: nobody_has_it",
    }
    (finding,) = check("SELECT a FROM of_a_module", snapshot).findings
    assert (finding.is_error, "could not be read" in finding.message) == (False, True)


def test_an_sqlite_file_that_is_changed_meanwhile_is_read_as_it_was_at_one_moment(tmp_path: Path) -> None:
    path = tmp_path / "busy.db"
    lite(path, "PRAGMA journal_mode = WAL;" + "".join(f"CREATE TABLE t{number} (id int, name text);" for number in range(60)))
    over = threading.Event()

    def change() -> None:
        connection = sqlite3.connect(path, isolation_level=None)
        number = 0
        while not over.is_set():
            number += 1
            connection.execute(f"DROP TABLE t{number % 60}")
            connection.execute(f"CREATE TABLE t{number % 60} (id int, name{number} text)")
        connection.close()

    writer = threading.Thread(target=change)
    writer.start()
    try:
        snapshots = [read(f"sqlite:///{path}", Wishes()) for _ in range(8)]
    finally:
        over.set()
        writer.join()
    assert {len(table.columns) for snapshot in snapshots for table in snapshot.tables} == {2}
    assert {len(snapshot.tables) for snapshot in snapshots} <= {59, 60}


def test_duckdb_with_structs_maps_unions_and_another_schema(project: Project, command: Ran, tmp_path: Path) -> None:
    url = duck(
        tmp_path / "rich.duckdb",
        """CREATE SCHEMA "my.schema"; CREATE TYPE mood AS ENUM ('a,b', 'c''d'); CREATE SEQUENCE numbers;
        CREATE TABLE "my.schema".rich (id int PRIMARY KEY, s STRUCT(x int, "y z" VARCHAR), m MAP(VARCHAR, INTEGER[]), l STRUCT(a int)[], u UNION(n int, t VARCHAR), three INTEGER[3], md mood);
        CREATE TABLE par (x int, y int, PRIMARY KEY (x, y)); CREATE TABLE chi (a int, b int, g int GENERATED ALWAYS AS (a + 1), FOREIGN KEY (a, b) REFERENCES par (x, y));
        CREATE TEMP TABLE passing (x int); CREATE MACRO twice(x) AS x * 2; CREATE VIEW v AS SELECT s.x AS sx FROM "my.schema".rich;""",
    )
    snapshot = read(url)
    assert names(snapshot) == {"my.schema.rich", "main.par", "main.chi", "main.v"}
    assert dtypes(snapshot, "rich")["s"] == 'STRUCT(x INTEGER, "y z" VARCHAR)'
    assert check('SELECT r.s.x, s."y z", m[\'k\'], unnest(l) FROM "my.schema".rich r', snapshot).verdict == "right"
    assert check("SELECT sx FROM v JOIN par ON par.x = sx", snapshot).is_right
    duckdb.connect().execute(shown(command, project, url, "mood of the rich and chi of par")["ddl"])


def test_mariadb_with_sequences_invisible_and_spatial_columns_and_versions(project: Project, command: Ran, mariadb: Server) -> None:
    url = mariadb.database("""CREATE SEQUENCE numbers; CREATE TABLE inv (id int PRIMARY KEY AUTO_INCREMENT, hid int INVISIBLE DEFAULT 3, doc json, u uuid, p point NOT NULL, t text,
          en enum('a,b','c''d','') , st set('x','y'), vir int AS (hid + 1) VIRTUAL, FULLTEXT KEY (t), SPATIAL KEY (p));
        INSERT INTO inv (p, t, en) VALUES (POINT(1, 2), 'walnut', 'a,b'); CREATE TABLE ver (id int, x int) WITH SYSTEM VERSIONING;
        CREATE TABLE gone (id int); CREATE VIEW broken AS SELECT id FROM gone; DROP TABLE gone;""")
    snapshot = read(url)
    assert {one.name for one in snapshot.tables} == {"inv", "ver"}
    assert [one.name for one in snapshot.unread] == ["broken"]
    inv = next(one for one in snapshot.tables if one.name == "inv")
    assert inv.degraded == ()
    assert inv.column("t").statistics.samples == ("walnut",)  # type: ignore[union-attr]
    assert inv.column("en").allowed == ("a,b", "c'd", "")  # type: ignore[union-attr]
    for sql in ("SELECT hid, JSON_VALUE(doc, '$.a') FROM inv", "SELECT row_start FROM ver FOR SYSTEM_TIME ALL", "SELECT NEXTVAL(numbers)"):
        assert check(sql, snapshot).verdict == "right", sql
    mariadb.database(shown(command, project, url, "versions and inventory")["ddl"])


def test_a_key_into_another_database_of_mariadb_is_external_there_and_a_join_where_all_are_read(mariadb: Server) -> None:
    other = mariadb.database("CREATE TABLE far (id int PRIMARY KEY)").rpartition("/")[2]
    url = mariadb.database(f"CREATE TABLE near (id int PRIMARY KEY, f int, FOREIGN KEY (f) REFERENCES {other}.far (id))")
    (key,) = read(url).tables[0].foreign_keys
    assert (key.referred_schema, key.is_external) == (other, True)
    every = read(mariadb.url, Wishes(schemas=(other, url.rpartition("/")[2])))
    assert [key.is_external for table in every.tables for key in table.foreign_keys] == [False]


def test_postgres_with_composite_range_and_domain_types_collations_and_foreign_tables(
    project: Project, command: Ran, postgres: Server
) -> None:
    url = postgres.database("""CREATE TYPE mood AS ENUM ('a,b', 'c''d', ''); CREATE DOMAIN dm AS mood NOT NULL; CREATE DOMAIN few AS int[] CHECK (array_length(VALUE, 1) < 5);
        CREATE TYPE inner_t AS (x int, y mood); CREATE TYPE outer_t AS (i inner_t, arr inner_t[]); CREATE TYPE fr AS RANGE (subtype = float8);
        CREATE TABLE rich2 (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), d dm, a few, o outer_t, oo outer_t[], f fr, t text COLLATE "C", c "char", v varchar(5)[], ti time(2) with time zone,
          g text GENERATED ALWAYS AS (upper(t)) STORED, EXCLUDE USING gist (f WITH &&), UNIQUE (v), CHECK (t <> E'a\\'b;\\n--'));
        CREATE TEMP TABLE passing (x int); CREATE UNLOGGED TABLE ul (x int) WITH (fillfactor = 50); CREATE VIEW vv AS SELECT (o).i.x AS ox FROM rich2;
        CREATE MATERIALIZED VIEW mv AS SELECT 1 AS one WITH NO DATA; CREATE VIEW fails AS SELECT 1 / 0 AS z; CREATE TYPE tt AS (a int); CREATE TABLE typed OF tt;""")
    snapshot = read(url)
    assert names(snapshot) == {f"public.{one}" for one in ("rich2", "ul", "vv", "mv", "fails", "typed")}
    assert (dtypes(snapshot, "rich2")["oo"], dtypes(snapshot, "rich2")["ti"]) == ("public.outer_t[]", "time(2) with time zone")
    assert next(one for one in snapshot.tables if one.name == "mv").degraded
    assert check("SELECT (r.o).i.x, (o).arr[1].y, ox FROM rich2 r, vv", snapshot).verdict != "wrong"
    postgres.database(shown(command, project, url, "mood of rich, typed and materialized")["ddl"])


def test_a_thousand_partitions_do_not_stand_in_for_their_table(project: Project, command: Ran, postgres: Server) -> None:
    parts = "".join(f"CREATE TABLE ev_{number} PARTITION OF ev FOR VALUES IN ({number});" for number in range(300))
    sql = f"CREATE TABLE ev (id bigint, day int, note text, PRIMARY KEY (id, day)) PARTITION BY LIST (day); {parts} CREATE TABLE other (id int, note text);"
    answer = shown(command, project, postgres.database(sql), "note of ev on a day")
    assert [one["table"] for one in answer["tables"]] == ["ev", "other"]
    done = command("db", "search", "ev 17", "--json", "--path", str(project.root))
    assert "ev_17" in [one["table"] for one in json.loads(done.out)["tables"]]


def test_a_database_without_an_encoding_is_read_with_what_its_bytes_mean(postgres: Server) -> None:
    postgres.run("CREATE DATABASE bare ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    postgres.run("CREATE TABLE cafés (id int); CREATE TABLE latin (v text); INSERT INTO latin VALUES (E'\\351t\\351');", "bare")
    snapshot = read(f"{postgres.url}/bare")
    assert names(snapshot) == {"public.cafés", "public.latin"}
    assert snapshot.tables[1].columns[0].statistics.samples == ("été",)  # type: ignore[union-attr]


def test_a_table_that_is_locked_costs_its_statistics_and_nothing_else(postgres: Server) -> None:
    url = postgres.database("CREATE TABLE held (id int PRIMARY KEY, v text); CREATE TABLE free (id int);")
    holder = subprocess.Popen([*postgres.client, url.rpartition("/")[2], "-At"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdin
    assert holder.stdout
    holder.stdin.write("BEGIN; LOCK TABLE held IN ACCESS EXCLUSIVE MODE; SELECT 'held';\n")
    holder.stdin.flush()
    assert holder.stdout.readline() == "held\n"
    try:
        snapshot = read(url, Wishes(statistics=True, timeout_s=0.3))
    finally:
        holder.stdin.close()
        holder.wait()
    held = next(one for one in snapshot.tables if one.name == "held")
    assert (len(held.columns), bool(held.degraded)) == (2, True)
    assert next(one for one in snapshot.tables if one.name == "free").row_count == 0


def test_rights_in_one_schema_show_that_schema_and_name_the_rest(postgres: Server) -> None:
    password = "p@ss:w/rd%20#?&x"
    url = postgres.database(f"""DROP ROLE IF EXISTS odd_user; CREATE ROLE odd_user LOGIN PASSWORD '{password}'; CREATE SCHEMA s1; CREATE SCHEMA s2; CREATE TABLE s1.a (id int PRIMARY KEY, word text);
        CREATE TABLE s2.b (id int, a_id int REFERENCES s1.a (id)); CREATE VIEW s2.vw AS SELECT word FROM s1.a; GRANT USAGE ON SCHEMA s1, s2 TO odd_user; GRANT SELECT ON s2.b, s2.vw TO odd_user;""")
    snapshot = read(postgres.as_user(url, "odd_user", password))
    assert names(snapshot) == {"s2.b", "s2.vw"}
    assert [(one.schema_name, one.name) for one in snapshot.unread] == [("s1", "a")]
    assert check("SELECT word FROM s1.a", snapshot).verdict == "doubtful"


def test_a_column_behind_a_thousand_others_is_found_and_the_ddl_runs(project: Project, command: Ran, tmp_path: Path) -> None:
    columns = ", ".join(f"c{number} int" for number in range(1_200))
    answer = shown(command, project, lite(tmp_path / "wide.db", f"CREATE TABLE wide ({columns}, last_of_all text)"), "last of all")
    assert answer["tables"][0]["columns"][0]["name"] == "last_of_all"
    sqlite3.connect(":memory:").executescript(answer["ddl"])
