"""Are DDL files of each dialect read as their database would read them?"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from clew.adapters.databases import reflect
from clew.core.schema.contracts import Column, Snapshot, Table
from clew.core.schema.protocols import Wishes
from clew.errors import Unreachable, UsageError

HERE = Path(__file__).parent


def read(dialect: str) -> Snapshot:
    return reflect("files", f"ddl:{HERE / dialect}.sql?dialect={dialect}", Wishes())


def of_text(tmp_path: Path, text: str | bytes, dialect: str = "postgres") -> Snapshot:
    file = tmp_path / "schema.sql"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return reflect("files", f"ddl:{file}?dialect={dialect}", Wishes())


def table(snapshot: Snapshot, name: str) -> Table:
    return next(one for one in snapshot.tables if one.full_name == name)


def column(snapshot: Snapshot, name: str, column_name: str) -> Column:
    found = table(snapshot, name).column(column_name)
    assert found is not None
    return found


def keys(one: Table) -> list[tuple[tuple[str, ...], str, str, tuple[str, ...]]]:
    return [(key.columns, key.referred_schema, key.referred_table, key.referred_columns) for key in one.foreign_keys]


def test_a_dump_of_postgres_gives_its_tables_views_and_parts_and_nothing_from_functions_or_rows() -> None:
    snapshot = read("postgres")
    kinds = {one.full_name: one.kind for one in snapshot.tables}
    assert kinds == {
        "public.after_broken": "table",
        "public.after_quote": "table",
        "public.m2020": "table",
        "public.m2021": "table",
        "public.measurement": "table",
        "public.mv": "materialized_view",
        "public.rich": "table",
        "public.v": "view",
    }
    assert snapshot.default_schema == "public"
    assert table(snapshot, "public.measurement").partition == "by RANGE (logdate)"
    assert table(snapshot, "public.m2020").partition.startswith("part of public.measurement FOR VALUES FROM")
    assert [one.name for one in table(snapshot, "public.m2021").columns] == ["city_id", "logdate"]


def test_types_stand_in_the_words_of_the_statement_with_what_is_behind_them() -> None:
    snapshot = read("postgres")
    types = {one.name: one.dtype for one in table(snapshot, "public.rich").columns}
    assert types["ts"] == "timestamp with time zone"
    assert types["name"] == "character varying(20)"
    assert types["dbl"] == "numeric(12,2)[]"
    assert column(snapshot, "public.rich", "mood").allowed == ("sad", "it's ok", "happy")
    assert column(snapshot, "public.rich", "moods").base == "kinds.mood"
    assert column(snapshot, "public.rich", "price").base == "bigint"
    assert column(snapshot, "public.rich", "total").generated == "((price)::bigint * 2)"
    assert column(snapshot, "public.rich", "id").is_identity
    assert [check.text for check in table(snapshot, "public.rich").checks] == [
        "stat_cd = ANY (ARRAY['N'::bpchar, 'P'::bpchar])",
        '"price" >= 0',
    ]


def test_a_broken_statement_is_named_and_ends_nothing() -> None:
    snapshot = read("postgres")
    assert [(one.name, one.reason.partition(":")[0]) for one in snapshot.unread[:2]] == [
        ("broken", "line 71 of postgres.sql"),
        ("q", "line 73 of postgres.sql"),
    ]
    assert keys(table(snapshot, "public.after_broken")) == [(("id",), "public", "rich", ("id",))]
    assert not table(snapshot, "public.after_quote").foreign_keys[0].is_enforced
    assert snapshot.unread[2].name == "nowhere"


def test_a_views_columns_come_from_its_query_with_their_types() -> None:
    snapshot = read("postgres")
    assert [(one.name, one.dtype) for one in table(snapshot, "public.mv").columns] == [
        ("id", "bigint"),
        ("code", "character(1)"),
        ("n", ""),
        ("city_id", "integer"),
        ("logdate", "date"),
    ]
    assert [(one.name, one.dtype) for one in table(read("oracle"), "HR.V").columns] == [("A", "NUMBER(6,0)"), ("B", "VARCHAR2(25 BYTE)")]


def test_a_dump_of_mysql_gives_comments_enums_and_keys_in_brackets_of_its_own() -> None:
    snapshot = read("mysql")
    film = table(snapshot, "shop.film")
    assert film.description == "Films; all"
    assert film.partition == "by RANGE (`film_id`)"
    assert column(snapshot, "shop.film", "film_id").description == "the 'id'; x"
    assert column(snapshot, "shop.film", "rating").allowed == ("G", "PG", "it's")
    assert column(snapshot, "shop.film", "last_update").default == "CURRENT_TIMESTAMP"
    assert keys(film) == [(("lang",), "shop", "language", ("id",))]
    assert table(snapshot, "shop.language").primary_key == ("id",)
    assert column(snapshot, "shop.language", "id").is_identity
    assert [one.name for one in table(snapshot, "shop.fl").columns] == ["t", "lname"]
    assert [one.name for one in snapshot.tables] == ["film", "fl", "language"]


def test_a_script_of_sql_server_needs_no_semicolons() -> None:
    snapshot = read("tsql")
    assert [one.full_name for one in snapshot.tables] == ["dbo.Cust", "dbo.Order Details", "dbo.Other", "dbo.Summary"]
    details = table(snapshot, "dbo.Order Details")
    assert (details.description, column(snapshot, "dbo.Order Details", "Amount").description) == ("The order's lines", "Sum")
    assert [(one.name, one.dtype) for one in details.columns][:4] == [
        ("OrderID", "int"),
        ("Name", "nvarchar(50)"),
        ("Doc", "nvarchar(max)"),
        ("Amount", "decimal(10, 2)"),
    ]
    assert column(snapshot, "dbo.Order Details", "Total").generated == "[Amount]*(2)"
    assert keys(table(snapshot, "dbo.Cust")) == [(("od",), "dbo", "Order Details", ("OrderID",))]
    assert column(snapshot, "dbo.Cust", "od").default == "((7))"
    assert [one.name for one in table(snapshot, "dbo.Other").columns] == ["id", "x", "y"]


def test_names_without_quotes_are_folded_as_the_database_folds_them(tmp_path: Path) -> None:
    text = 'CREATE TABLE Customers (CustomerID int, "firstName" text);'
    assert [one.name for one in of_text(tmp_path, text).tables[0].columns] == ["customerid", "firstName"]
    assert [one.name for one in of_text(tmp_path, text, "oracle").tables[0].columns] == ["CUSTOMERID", "firstName"]
    assert [one.name for one in of_text(tmp_path, text, "duckdb").tables[0].columns] == ["CustomerID", "firstName"]


def test_oracle_and_snowflake_keep_their_upper_case_names_keys_and_comments() -> None:
    oracle = read("oracle")
    employees = table(oracle, "HR.EMPLOYEES")
    assert [one.name for one in employees.columns] == ["EMPLOYEE_ID", "LAST_NAME", "HIRE_DATE", "SALARY", "NICK"]
    assert employees.column("LAST_NAME") == Column(
        name="LAST_NAME", dtype="VARCHAR2(25 BYTE)", nullable=False, description="Last name; of it", pii="person name"
    )
    assert not employees.foreign_keys[0].is_enforced
    assert table(oracle, "HR.JOBS").primary_key == ("JOB_ID",)
    snowflake = read("snowflake")
    orders = table(snowflake, "PUBLIC.ORDERS")
    assert (orders.description, orders.primary_key, keys(orders)) == ("all orders", ("O_ID",), [(("O_ID",), "PUBLIC", "CUST", ("ID",))])
    assert column(snowflake, "PUBLIC.ORDERS", "TAG").dtype == "VARCHAR(16777216)"
    assert column(snowflake, "PUBLIC.V", "A") == Column(name="A", dtype="NUMBER(38,0)", description="the a")


def test_bigquery_and_duckdb_keep_nested_types_whole() -> None:
    bigquery = read("bigquery")
    assert column(bigquery, "sales.orders", "items").dtype == "ARRAY<STRUCT<sku STRING, qty INT64>>"
    assert column(bigquery, "sales.orders", "addr").description == "address"
    assert table(bigquery, "sales.orders").partition == "by DATE(ts)"
    assert keys(table(bigquery, "sales.lines")) == [(("oid",), "sales", "orders", ("id",))]
    duckdb = read("duckdb")
    assert column(duckdb, "t", "s").dtype == "STRUCT(a INTEGER, b VARCHAR)"
    assert column(duckdb, "ctas", "md").allowed == ("sad", "ok")


def test_comments_beside_columns_describe_them() -> None:
    snapshot = read("sqlite")
    people = table(snapshot, "people")
    assert [(one.name, one.description) for one in people.columns] == [
        ("id", "the id"),
        ("full name", "as on the passport"),
        ("weird`one", ""),
        ("x", ""),
        ("born", "when it was birth"),
    ]
    assert people.description == "buyers"
    assert [one.name for one in table(snapshot, "docs").columns] == ["title", "body"]
    assert keys(table(snapshot, "implicit_pk")) == [(("a", "b"), "", "ctgt", ("x", "y"))]


def test_rows_of_a_large_dump_are_passed_over_unread(tmp_path: Path) -> None:
    rows = b"1\tit's; CREATE TABLE copied (id int);\n" * 50_000
    values = b",".join([b"(1,'it''s; x\\', -2)"] * 50_000)
    text = (
        b"CREATE TABLE a (id int);\nCOPY a FROM stdin;\n" + rows + b"\\.\nINSERT INTO a VALUES " + values + b";\nCREATE TABLE b (id int);"
    )
    assert [one.name for one in of_text(tmp_path, text).tables] == ["a", "b"]


def test_text_in_a_comment_cannot_forge_a_table(tmp_path: Path) -> None:
    text = "CREATE TABLE a (id int);\nCOMMENT ON TABLE a IS 'x;\nCREATE TABLE forged (id int);\n';\n/*\nCREATE TABLE hidden (id int);\n*/"
    snapshot = of_text(tmp_path, text)
    assert [one.name for one in snapshot.tables] == ["a"]
    assert "CREATE TABLE forged" in snapshot.tables[0].description


def test_a_folder_is_read_as_one_schema_whatever_the_order_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "01_keys.sql").write_text("ALTER TABLE a ADD FOREIGN KEY (b_id) REFERENCES b (id); COMMENT ON COLUMN a.b_id IS 'whose';")
    (tmp_path / "02").mkdir()
    (tmp_path / "02" / "a.sql").write_text("CREATE TABLE a (b_id int);")
    (tmp_path / "03_b.SQL").write_text("CREATE TABLE b (id int PRIMARY KEY); CREATE TABLE gone (id int); DROP TABLE gone;")
    (tmp_path / "notes.txt").write_text("CREATE TABLE never (id int);")
    snapshot = reflect("folder", f"ddl:{tmp_path}?dialect=postgres", Wishes())
    assert [one.name for one in snapshot.tables] == ["a", "b"]
    assert keys(snapshot.tables[0]) == [(("b_id",), "", "b", ("id",))]
    assert snapshot.tables[0].columns[0].description == "whose"


def test_utf_16_and_8_bit_files_are_read(tmp_path: Path) -> None:
    text = "CREATE TABLE [größe] (id int)\nGO\nCREATE TABLE b (id int)\nGO\n"
    assert [one.name for one in of_text(tmp_path, text.encode("utf-16"), "tsql").tables] == ["b", "größe"]
    assert [one.name for one in of_text(tmp_path, text.encode("cp1252"), "tsql").tables] == ["b", "größe"]
    assert of_text(tmp_path, b"").tables == ()


def test_a_packed_dump_is_read_and_a_file_that_is_no_sql_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a.sql.gz").write_bytes(gzip.compress(b"CREATE TABLE packed (id int);"))
    assert [one.name for one in reflect("files", f"ddl:{tmp_path}?dialect=postgres", Wishes()).tables] == ["packed"]
    with pytest.raises(UsageError, match="pg_dump's own format"):
        of_text(tmp_path, b"PGDMP\x01\x0e")
    with pytest.raises(UsageError, match="SQLite database"):
        of_text(tmp_path, b"SQLite format 3\0\x10\0")
    with pytest.raises(Unreachable):
        of_text(tmp_path, b"\x1f\x8bbroken")


@pytest.mark.parametrize("dialect", ["mysql", "tsql", "oracle", "sqlite", "bigquery", "snowflake", "postgres"])
def test_a_dialect_that_nobody_names_is_guessed_and_said(dialect: str) -> None:
    snapshot = reflect("files", f"ddl:{HERE / dialect}.sql", Wishes())
    assert snapshot.dialect == dialect
    assert f"was read as {dialect}" in snapshot.warnings[0]


def test_a_dialect_or_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.sql").write_text("CREATE TABLE a (id int);")
    with pytest.raises(UsageError, match="no SQL dialect"):
        reflect("files", f"ddl:{tmp_path}/a.sql?dialect=klingon", Wishes())
    with pytest.raises(Unreachable, match="no file"):
        reflect("files", f"ddl:{tmp_path}/b.sql?dialect=postgres", Wishes())


def test_migrations_change_what_earlier_ones_made(tmp_path: Path) -> None:
    snapshot = of_text(
        tmp_path,
        """CREATE TABLE a (id int, old text, gone int);
        ALTER TABLE a ADD COLUMN IF NOT EXISTS n numeric(10,2) NOT NULL DEFAULT 0, ADD PRIMARY KEY (id);
        ALTER TABLE a RENAME COLUMN old TO fresh;
        ALTER TABLE a DROP COLUMN gone;
        ALTER TABLE a ALTER COLUMN fresh TYPE varchar(9), ALTER COLUMN fresh SET NOT NULL;
        ALTER TABLE a RENAME TO b;""",
    )
    only = snapshot.tables[0]
    assert (only.name, only.primary_key) == ("b", ("id",))
    assert [(one.name, one.dtype, one.nullable) for one in only.columns] == [
        ("id", "int", False),
        ("fresh", "varchar(9)", False),
        ("n", "numeric(10,2)", False),
    ]


def test_what_takes_a_migration_back_is_not_read(tmp_path: Path) -> None:
    for name, text in {
        "V2__b.sql": "ALTER TABLE a RENAME COLUMN x TO y;",
        "V10__c.sql": "ALTER TABLE a RENAME COLUMN y TO z; CREATE TABLE IF NOT EXISTS a (other int);",
        "V1__a.sql": "-- migrate:up\nCREATE TABLE a (x int);\n-- migrate:down\nDROP TABLE a;\n",
        "U1__a.sql": "DROP TABLE a;",
        "3/up.sql": "CREATE TABLE d (id int);",
        "3/down.sql": "DROP TABLE d;",
        "000004_e.down.sql": "DROP TABLE e;",
        "000004_e.up.sql": "-- +goose Up\nCREATE TABLE e (id int);\n-- +goose Down\nDROP TABLE e;\n-- +goose Up\nCREATE TABLE broken (;\n",
        "countdown.sql": "CREATE TABLE countdown (id int);",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    snapshot = reflect("folder", f"ddl:{tmp_path}?dialect=postgres", Wishes())
    assert {one.name: [column.name for column in one.columns] for one in snapshot.tables} == {
        "a": ["z"],
        "countdown": ["id"],
        "d": ["id"],
        "e": ["id"],
    }
    assert [one.reason.partition(":")[0] for one in snapshot.unread] == ["line 6 of 000004_e.up.sql"]


def test_a_file_that_is_broken_throughout_is_given_up_and_said(tmp_path: Path) -> None:
    snapshot = of_text(tmp_path, "CREATE TABLE first (id int);\n" + "CREATE TABLE t (id int,\n" * 30_000)
    assert [one.name for one in snapshot.tables] == ["first"]
    assert snapshot.unread[-1].name == "the rest"
    assert len(snapshot.unread) < 100


def test_statements_that_only_lines_part_are_all_read(tmp_path: Path) -> None:
    parts = "".join(f"DROP TABLE t{i}\nCREATE TABLE t{i} (id int)\nALTER TABLE t{i} ADD y int\n" for i in range(500))
    snapshot = of_text(tmp_path, parts, "tsql")
    assert len(snapshot.tables) == 500
    assert {tuple(column.name for column in one.columns) for one in snapshot.tables} == {("id", "y")}


def test_one_broken_column_costs_only_itself(tmp_path: Path) -> None:
    snapshot = of_text(tmp_path, "CREATE TABLE a (id int, , 7 seven, name text);")
    assert [one.name for one in snapshot.tables[0].columns] == ["id", "name"]
    assert len(snapshot.tables[0].degraded) == 2


@pytest.mark.parametrize("text", [b"", bytes(2_000), b"<html>not found</html>", b"SELECT 1;"])
def test_a_file_that_makes_no_table_says_so(tmp_path: Path, text: bytes) -> None:
    snapshot = of_text(tmp_path, text)
    assert not snapshot.tables
    assert any("makes a table" in warning for warning in snapshot.warnings)
