"""Is a MariaDB database read whole, whatever stands in it?"""

from __future__ import annotations

import pytest
from tests.adapters.databases.reading import column, keys, names, read, table
from tests.database_servers import Server

from clew.core.schema.contracts import Check, UniqueKey
from clew.errors import Unreachable

FILM = """
CREATE TABLE language (id int PRIMARY KEY, name varchar(10) UNIQUE);
CREATE TABLE film (
  film_id smallint unsigned NOT NULL AUTO_INCREMENT COMMENT 'the ''id''', rating enum('G','PG','it''s') DEFAULT 'G', title varchar(128) NOT NULL,
  upper_title varchar(200) GENERATED ALWAYS AS (upper(title)) VIRTUAL, last_update timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP,
  lang int, qty int DEFAULT 5 CHECK (qty > 0), price decimal(10,2) DEFAULT 1.50, `Total Amount` double, `50%` int, `select` text, `quo``te` int,
  PRIMARY KEY (film_id), UNIQUE KEY start (title(10)), UNIQUE KEY pair (lang, qty), CONSTRAINT pos CHECK (price >= 0),
  CONSTRAINT fk_l FOREIGN KEY (lang) REFERENCES language (id)
) COMMENT='Films; 净重';
"""


def test_columns_keys_checks_and_comments_are_kept_in_the_databases_own_words(mariadb: Server) -> None:
    url = mariadb.database(FILM)
    snapshot, schema = read(url), url.rpartition("/")[2]
    film = table(snapshot, f"{schema}.film")
    assert (snapshot.dialect, snapshot.default_schema) == ("mysql", schema)
    assert (film.description, film.primary_key) == ("Films; 净重", ("film_id",))
    assert [one.name for one in film.columns][8:] == ["Total Amount", "50%", "select", "quo`te"]
    assert (film.columns[0].dtype, film.columns[0].is_identity, film.columns[0].description) == ("smallint(5) unsigned", True, "the 'id'")
    assert column(snapshot, f"{schema}.film", "rating").allowed == ("G", "PG", "it's")
    assert (film.columns[1].default, film.columns[6].default, film.columns[7].default) == ("'G'", "5", "1.50")
    assert column(snapshot, f"{schema}.film", "upper_title").generated == "ucase(`title`)"
    assert keys(film) == [(("lang",), schema, "language", ("id",))]
    assert film.checks == (Check(text="`price` >= 0", name="pos"), Check(text="`qty` > 0"))
    assert film.unique_keys == (UniqueKey(columns=("lang", "qty"), name="pair"),)
    assert table(snapshot, f"{schema}.language").unique_keys == (UniqueKey(columns=("name",), name="name"),)


def test_views_and_partitions_are_read_and_a_broken_view_is_named(mariadb: Server) -> None:
    url = mariadb.database("""
        CREATE TABLE t (a int, b int) PARTITION BY RANGE (a) (PARTITION p0 VALUES LESS THAN (10), PARTITION p1 VALUES LESS THAN MAXVALUE);
        CREATE VIEW fine AS SELECT a AS x FROM t; CREATE TABLE gone (id int); CREATE VIEW broken AS SELECT id FROM gone; DROP TABLE gone; CREATE SEQUENCE s;""")
    snapshot, schema = read(url, statistics=True), url.rpartition("/")[2]
    assert names(snapshot) == [f"{schema}.fine", f"{schema}.t"]
    assert table(snapshot, f"{schema}.t").partition == "by RANGE (`a`)"
    assert (snapshot.tables[0].kind, [one.name for one in snapshot.tables[0].columns]) == ("view", ["x"])
    assert snapshot.tables[0].definition.startswith("select")
    assert [(one.name, "invalid" in one.reason) for one in snapshot.unread] == [("broken", True)]


def test_a_url_without_a_database_reads_them_all_and_keys_go_across(mariadb: Server) -> None:
    first = mariadb.database("CREATE TABLE country (id int PRIMARY KEY);")
    other = first.rpartition("/")[2]
    second = mariadb.database(
        f"CREATE TABLE city (id int PRIMARY KEY, country_id int, FOREIGN KEY (country_id) REFERENCES {other}.country(id));"
    )
    schema = second.rpartition("/")[2]
    alone, both = read(second), read(mariadb.url, schemas=(other, schema))
    assert keys(table(alone, f"{schema}.city")) == keys(table(both, f"{schema}.city")) == [(("country_id",), other, "country", ("id",))]
    assert alone.tables[0].foreign_keys[0].is_external
    assert not table(both, f"{schema}.city").foreign_keys[0].is_external
    assert {f"{other}.country", f"{schema}.city"} <= set(names(read(mariadb.url)))
    assert not {"mysql", "information_schema", "performance_schema", "sys"} & {one.schema_name for one in read(mariadb.url).tables}


def test_a_reader_with_few_rights_and_an_odd_password_gets_what_he_may_see(mariadb: Server) -> None:
    url = mariadb.database(FILM)
    schema, password = url.rpartition("/")[2], "p@ss:w/%rd?'\""
    mariadb.run("CREATE USER 'odd_reader'@'%' IDENTIFIED BY 'p@ss:w/%rd?''\"';")
    mariadb.run(f"GRANT SELECT ON {schema}.film TO 'odd_reader'@'%'; GRANT SELECT (id) ON {schema}.language TO 'odd_reader'@'%';")
    snapshot = read(mariadb.as_user(url, "odd_reader", password), statistics=True)
    assert names(snapshot) == [f"{schema}.film", f"{schema}.language"]
    assert [one.name for one in table(snapshot, f"{schema}.language").columns] == ["id"]
    assert keys(table(snapshot, f"{schema}.film")) == [(("lang",), schema, "language", ("id",))]
    with pytest.raises(Unreachable) as told:
        read(mariadb.as_user(url, "odd_reader", "wr@ng:/%pw"))
    assert "wr@ng" not in f"{told.value.message} {told.value.__cause__}"


def test_rows_give_statistics_and_nothing_is_written(mariadb: Server) -> None:
    url = mariadb.database(
        FILM
        + "INSERT INTO language VALUES (1, 'en'), (2, 'fr'); INSERT INTO film (title, lang, qty) VALUES ('Alien', 1, 1), ('Brazil', 2, 2), ('Cube', 1, 3);"
    )
    snapshot, schema = read(url, statistics=True, samples=2), url.rpartition("/")[2]
    found = column(snapshot, f"{schema}.film", "lang").statistics
    assert found is not None
    assert (found.sampled_rows, found.null_share, found.distinct, found.minimum, found.maximum, found.samples) == (
        3,
        0.0,
        2,
        "1",
        "2",
        ("1", "2"),
    )
    assert column(snapshot, f"{schema}.film", "title").statistics.samples == ("Alien", "Brazil")  # type: ignore[union-attr]
    assert table(snapshot, f"{schema}.film").row_count == 3


def test_a_host_that_does_not_exist_is_told_soon() -> None:
    with pytest.raises(Unreachable) as told:
        read("mysql+pymysql://reader:fake-pw-badhost@no-such-host.invalid:3306/app", timeout_s=2.0)
    assert "fake-pw" not in f"{told.value.message} {told.value.__cause__}"
