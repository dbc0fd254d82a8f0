"""Is a database's own dump read as the database itself is?"""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from pathlib import Path

from tests.adapters.databases.reading import read
from tests.database_servers import Server

from clew.core.schema.contracts import Snapshot, Table

RICH = """
CREATE SCHEMA music; CREATE SCHEMA kinds;
CREATE TYPE kinds.mood AS ENUM ('sad', 'it''s ok', 'happy'); CREATE DOMAIN public.cents AS bigint CHECK (VALUE >= 0);
CREATE TABLE public."User" (id serial PRIMARY KEY, "firstName" text NOT NULL UNIQUE, mood kinds.mood DEFAULT 'happy' NOT NULL, moods kinds.mood[], price public.cents);
CREATE TABLE music.song (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "order" int, "user" int REFERENCES public."User"(id), "Total Amount" numeric(10,2) DEFAULT 1.5,
  twice int GENERATED ALWAYS AS ("order" * 2) STORED, stat char(1) DEFAULT 'N' CONSTRAINT stat CHECK (stat IN ('N', 'P')), parent bigint REFERENCES music.song(id), tags text[] DEFAULT '{}');
CREATE TABLE "(2)" (a int, b int, PRIMARY KEY (b, a)); CREATE TABLE "100% done?" (x int, y int, "quo""te" jsonb, FOREIGN KEY (x, y) REFERENCES "(2)" (b, a));
CREATE TABLE late (id int); ALTER TABLE late ADD FOREIGN KEY (id) REFERENCES "User"(id) NOT VALID;
CREATE UNIQUE INDEX pair ON late (id) INCLUDE (id); CREATE UNIQUE INDEX part ON late (id) WHERE id > 0;
CREATE TABLE m (city int, logdate date NOT NULL) PARTITION BY RANGE (logdate); CREATE TABLE m_2020 PARTITION OF m FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE base_inh (id int, t text); CREATE TABLE child_inh (extra int) INHERITS (base_inh);
CREATE VIEW v AS SELECT u.id, s."Total Amount" AS amount FROM "User" u JOIN music.song s ON s."user" = u.id; CREATE MATERIALIZED VIEW mv AS SELECT * FROM v;
COMMENT ON TABLE music.song IS 'Songs; it''s
-- two lines'; COMMENT ON COLUMN music.song.stat IS 'N=new, 净重'; COMMENT ON VIEW v IS 'entry'; COMMENT ON CONSTRAINT stat ON music.song IS 'states';
CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN CREATE TABLE forged (id int); RETURN new; END $$;
INSERT INTO "(2)" VALUES (1, 1); INSERT INTO late VALUES (NULL);
"""


def comparable(snapshot: Snapshot) -> list[Table]:
    """Tables without what only one of both can know: the types that a view's expressions get, whether its columns may be NULL, the order of keys."""
    tables = []
    for table in snapshot.tables:
        columns = table.columns
        if table.definition:
            columns = tuple(one.model_copy(update={"nullable": True}) for one in columns)
        tables.append(
            table.model_copy(
                update={
                    "columns": columns,
                    "definition": " ".join(table.definition.replace(f"`{table.schema_name}`.", "").split()),
                    "foreign_keys": tuple(sorted(table.foreign_keys, key=lambda key: (key.name, key.columns))),
                    "unique_keys": tuple(sorted(table.unique_keys, key=lambda key: (key.columns, key.name))),
                    "checks": tuple(sorted(table.checks, key=lambda check: (check.text, check.name))),
                }
            )
        )
    return tables


def test_a_dump_of_postgres_is_the_database(postgres: Server, tmp_path: Path) -> None:
    url = postgres.database(RICH)
    dump = subprocess.run(
        [str(Path(postgres.client[0]).with_name("pg_dump")), *postgres.client[1:7], url.rpartition("/")[2]], capture_output=True, check=True
    )
    (tmp_path / "dump.sql").write_bytes(dump.stdout)
    live, read_back = read(url), read(f"ddl:{tmp_path}/dump.sql?dialect=postgres")
    assert read_back.unread == ()
    assert comparable(read_back) == comparable(live)


def test_a_dump_of_mariadb_is_the_database(mariadb: Server, tmp_path: Path) -> None:
    url = mariadb.database("""
        CREATE TABLE language (id int PRIMARY KEY, name varchar(80) UNIQUE) COMMENT='it''s; ours';
        CREATE TABLE film (id int NOT NULL AUTO_INCREMENT COMMENT 'the ''id''', rating enum('G','PG','it''s') DEFAULT 'G', title varchar(128) NOT NULL,
          upper_title varchar(200) GENERATED ALWAYS AS (upper(title)) VIRTUAL, at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP, lang int, qty int DEFAULT 5 CHECK (qty > 0),
          price decimal(10,2) DEFAULT 1.50, `Total Amount` double, `50%` int, `quo``te` int, PRIMARY KEY (id), UNIQUE KEY pair (lang, qty), CONSTRAINT pos CHECK (price >= 0),
          CONSTRAINT fk_l FOREIGN KEY (lang) REFERENCES language (id));
        CREATE TABLE t (a int, b int) PARTITION BY RANGE (a) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE);
        CREATE VIEW v AS SELECT f.title AS x, l.* FROM film f JOIN language l ON l.id = f.lang;
        CREATE TRIGGER trig BEFORE INSERT ON film FOR EACH ROW SET NEW.qty = 1; INSERT INTO language VALUES (1, 'a\\'b; CREATE TABLE forged (id int);');""")
    schema = url.rpartition("/")[2]
    program = shutil.which("mariadb-dump")
    assert program
    dump = subprocess.run([program, *mariadb.client[1:], "--databases", schema], capture_output=True, check=True)
    (tmp_path / "dump.sql").write_bytes(dump.stdout)
    live, read_back = read(url), read(f"ddl:{tmp_path}/dump.sql?dialect=mysql")
    assert read_back.unread == ()
    assert read_back.default_schema == schema
    assert comparable(read_back) == comparable(live)


def test_a_dump_of_sqlite_is_the_database(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.executescript("""
        CREATE TABLE "User" (id INTEGER PRIMARY KEY AUTOINCREMENT, "first Name" TEXT NOT NULL DEFAULT 'it''s', [odd] "WEIRD TYPE", x, price DECIMAL(10,2) CHECK (price > 0)); -- people
        CREATE TABLE ctgt (x INT, y INT, PRIMARY KEY (x, y)); CREATE TABLE implicit_pk (a INT, b INT, u INT REFERENCES user(ID), FOREIGN KEY (a, b) REFERENCES ctgt);
        CREATE TABLE g (d INT, e INT GENERATED ALWAYS AS (d * 2) VIRTUAL, -- twice
          f TEXT UNIQUE); CREATE UNIQUE INDEX pair ON g (d, f); CREATE VIEW v(n) AS SELECT d FROM g;
        CREATE TRIGGER t AFTER INSERT ON g BEGIN UPDATE g SET d = 1; DELETE FROM ctgt; END; INSERT INTO ctgt VALUES (1, 2);""")
    (tmp_path / "dump.sql").write_text("\n".join(connection.iterdump()))
    connection.close()
    live, read_back = read(f"sqlite:///{tmp_path}/a.db"), read(f"ddl:{tmp_path}/dump.sql?dialect=sqlite")
    assert read_back.unread == ()
    assert comparable(read_back) == comparable(live)
