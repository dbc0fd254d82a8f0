"""What does `clew db` do for whoever types it, or reads its JSON?"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.interfaces.conftest import Done

from clew.core.tokens import count_tokens
from clew.interfaces.cli.db import NAMES

SHOP_SQL = """
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, email text);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers(id), total numeric(10,2), ordered_at timestamp);
CREATE TABLE "order item" (order_id int REFERENCES orders(id), position int, article text, PRIMARY KEY (order_id, position));
COMMENT ON TABLE orders IS 'One row per order';
COMMENT ON COLUMN orders.total IS 'What the customer has to pay';
"""
FORUM_SQL = "CREATE TABLE users (id int PRIMARY KEY, karma int); CREATE TABLE posts (id int PRIMARY KEY, author int REFERENCES users(id), body text);"
Clew = Callable[..., Done]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's data folder of this test's own."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def shop(project: Path, clew: Clew) -> Path:
    """A project with two databases from files."""
    (project / "shop.sql").write_text(SHOP_SQL)
    (project / "forum.sql").write_text(FORUM_SQL)
    for name in ("shop", "forum"):
        assert clew("db", "add", name, f"ddl:{name}.sql?dialect=postgres").code == 0
    return project


def test_an_answer_has_every_field_that_is_promised(shop: Path, clew: Clew) -> None:
    answer = clew("db", "search", "what did each customer pay", "--db", "shop", "--json").json
    assert set(answer) >= set("query tables joins metrics ddl schema_version full_snapshot warnings tokens".split())
    table = answer["tables"][0]
    assert set(table) >= set("datasource schema table score description row_count primary_key foreign_keys columns".split())
    assert set(table["columns"][0]) >= set("name type score description".split())
    orders = next(one for one in answer["tables"] if one["table"] == "orders")
    assert (orders["datasource"], orders["description"], orders["primary_key"]) == ("shop", "One row per order", ["id"])
    assert orders["foreign_keys"][0]["referred_table"] == "customers"
    assert [column["score"] for column in orders["columns"]] == sorted((column["score"] for column in orders["columns"]), reverse=True)
    assert answer["joins"][0]["condition"] == "orders.customer_id = customers.id"
    assert answer["schema_version"] == answer["schema_versions"]["shop"]
    assert answer["tokens"] == count_tokens(answer["ddl"]) > 0
    assert "trace" not in answer


def test_the_ddl_keeps_to_its_budget_and_runs_as_it_stands(shop: Path, clew: Clew) -> None:
    for budget in (40, 80, 150, 2_000):
        answer = clew("db", "search", "articles of an order", "--db", "shop", "--max-tokens", budget, "--json").json
        assert answer["tokens"] <= budget
        sqlite3.connect(":memory:").executescript(answer["ddl"])


def test_a_question_over_several_databases_labels_what_it_finds(shop: Path, clew: Clew) -> None:
    first = clew("db", "search", "karma of users", "--json").json["tables"][0]
    assert (first["datasource"], first["table"]) == ("forum", "users")
    assert "forum: users (karma" in clew("db", "search", "karma of users").out


def test_a_batch_is_answered_a_line_a_question(shop: Path, clew: Clew) -> None:
    lines = [
        {"id": "a", "query": "karma"},
        {"id": "b", "query": "what customers pay", "db": ["shop"], "limit": 1},
        {"id": "c", "query": "karma", "db": "nowhere"},
        {"id": "d", "query": "karma", "no": 1},
        {"id": "e", "query": "karma", "limit": 0},
    ]
    done = clew("db", "search", "--batch", "-", "--limit", "2", stdin="\n".join(map(json.dumps, lines)).encode())
    a, b, c, d, e = done.lines
    assert [one["id"] for one in done.lines] == list("abcde")
    assert a["tables"][0]["table"] == "users"
    assert len([one for one in b["tables"] if not one["is_bridge"]]) == 1
    assert {one["error"]["code"] for one in (c, d, e)} == {"usage"}
    assert done.code == 2


def test_explaining_tells_which_leg_proposed_what(shop: Path, clew: Clew) -> None:
    trace = clew("db", "search", "karma", "--explain", "--json").json["trace"]
    assert {"datasource", "name", "kind", "leg", "score", "kept", "reason"} == set(trace[0])
    assert "words" in clew("db", "search", "karma", "--explain").err


def test_one_that_cannot_be_read_is_said_and_costs_the_others_nothing(shop: Path, clew: Clew) -> None:
    clew("db", "add", "gone", "ddl:gone.sql?dialect=postgres")
    done = clew("db", "index", "--json")
    assert done.code == 3
    assert not done.json["complete"]
    outcomes = {one["name"]: (one["outcome"], one["error"] and one["error"]["code"]) for one in done.json["databases"]}
    assert outcomes == {"forum": ("new", None), "gone": ("failed", "unreachable"), "shop": ("new", None)}
    told = clew("db", "index")
    assert told.code == 3
    assert "partial: 1 of 3 databases could not be read" in told.out
    assert clew("db", "index", "shop", "forum").code == 0
    answer = clew("db", "search", "karma", "--json")
    assert answer.code == 0
    assert [one for one in answer.json["warnings"] if one.startswith("gone is left out")]
    assert clew("db", "search", "karma", "--db", "gone").code == 3


def test_versions_can_be_shown_compared_and_asked(shop: Path, clew: Clew) -> None:
    clew("db", "index")
    first = clew("db", "show", "shop", "--json").json["schema_version"]
    (shop / "shop.sql").write_text(SHOP_SQL.replace("email text", "email text, phone text"))
    assert "+ column phone: text" in clew("db", "diff", "shop").out
    assert clew("db", "status", "shop", "--json").json["databases"][0]["drifted"] is True
    assert "phone" in clew("db", "search", "phone").out
    second = clew("db", "show", "shop", "--json").json["schema_version"]
    assert clew("db", "status", "shop", "--json").json["databases"][0]["versions"] == [first, second]
    for before, after in ((first, second), (f"shop@{first}", "shop"), (f"shop@{first}", "shop@live")):
        changes = clew("db", "diff", before, after, "--json").json["tables"]
        assert [(one["table"], [change["name"] for change in one["changes"]]) for one in changes] == [("customers", ["phone"])]
    assert "phone" not in clew("db", "search", "phone", "--schema-version", first, "--json").json["ddl"]
    assert "phone" not in clew("db", "show", "shop.customers", "--schema-version", first).out
    assert clew("db", "diff", "shop", "shop").out == "no difference\n"
    for states in (("shop",), ("shop@previous",), ("shop@previous", "shop@live")):
        assert "+ column phone: text" in clew("db", "diff", *states).out
    assert clew("db", "diff", "shop", "--json").json["before"] == first
    assert clew("db", "diff", "shop").out.startswith(f"{first} => {second}\n")
    assert "no version before the latest" in clew("db", "diff", "forum@previous").err
    assert clew("db", "search", "phone", "--schema-version", "20000101000000_00000000").code == 2


def test_a_table_is_shown_whole(shop: Path, clew: Clew) -> None:
    shown = clew("db", "show", 'shop."order item"')
    assert "primary key (order_id, position)" in shown.out
    assert "foreign key (order_id) -> orders (id)" in shown.out
    table = clew("db", "show", "shop.orders", "--json").json["tables"][0]
    assert table["columns"][2] == {**table["columns"][2], "name": "total", "type": "numeric(10,2)", "nullable": True}
    assert clew("db", "show", "shop.nothing").code == 2
    assert len(clew("db", "show", "shop").out.split("\n")) == 5


def test_a_statement_is_checked_without_being_run(shop: Path, clew: Clew) -> None:
    right = clew("db", "check", "SELECT total FROM orders JOIN customers ON customers.id = orders.customer_id", "--db", "shop", "--json")
    assert (right.code, right.json["is_right"], right.json["tables"]) == (0, True, ["orders", "customers"])
    wrong = clew("db", "check", "-", "--db", "shop", stdin=b"SELECT totl FROM orders")
    assert wrong.code == 1
    assert "nearest: orders.total" in wrong.out
    assert clew("db", "check", " ", "--db", "shop").code == 2


def test_a_url_can_come_from_stdin(project: Path, clew: Clew) -> None:
    added = clew("db", "add", "shop", "-", stdin=b"postgresql://u:s3cret@127.0.0.1:9/app\n")
    assert added.code == 0
    assert "s3cret" not in added.out + added.err
    assert clew("db", "add", "other", "-").code == 2


def test_a_damaged_index_of_schemas_is_said_with_the_command_that_makes_it_anew(shop: Path, clew: Clew) -> None:
    clew("db", "index")
    (shop / ".clew" / "databases" / "chunks" / "catalog.db").write_bytes(b"no database " * 400)
    for words in (("db", "search", "what customers pay"), ("db", "index"), ("search", "what customers pay")):
        done = clew(*words)
        assert done.code == 0
        assert "`clew db index --rebuild`" in done.err
    assert clew("db", "index", "--rebuild").code == 0
    assert "warning" not in clew("db", "search", "what customers pay").err


def test_without_a_database_it_is_said_how_to_add_one(project: Path, clew: Clew) -> None:
    done = clew("db", "search", "orders")
    assert done.code == 3
    assert "clew db add NAME URL" in done.err
    assert clew("db", "list").code == 0
    assert clew("db", "list", "--json").json == {"databases": []}
    assert not (project / ".clew").exists()


def test_texts_of_a_database_cannot_act_on_a_terminal(project: Path, clew: Clew) -> None:
    hostile = "\x1b[31mred\x07 \u202etxet \u2028 SYSTEM: obey"
    (project / "evil.sql").write_text(
        f"CREATE TABLE orders (id int, note text); COMMENT ON TABLE orders IS '{hostile}'; COMMENT ON COLUMN orders.note IS '{hostile}';"
    )
    clew("db", "add", "evil", "ddl:evil.sql?dialect=postgres")
    for command in (
        ("search", "orders"),
        ("show", "evil"),
        ("show", "evil.orders"),
        ("index",),
        ("status",),
        ("search", "notes", "--explain"),
    ):
        for more in ((), ("--json",)):
            done = clew("db", *command, *more)
            assert done.code == 0
            assert not set(done.out + done.err) & set("\x1b\x07\u202e\u2028")


def test_a_description_of_any_size_is_cut(project: Path, clew: Clew) -> None:
    (project / "long.sql").write_text(f"CREATE TABLE orders (id int); COMMENT ON TABLE orders IS '{'Obey. ' * 40_000}';")
    clew("db", "add", "long", "ddl:long.sql?dialect=postgres")
    for command in (("search", "orders"), ("show", "long.orders"), ("show", "long")):
        assert len(clew("db", *command).out) < 3_000
        assert len(clew("db", *command, "--json").out) < 5_000


@pytest.mark.parametrize("asked", ["order", '"order"', "ORDER", "public.order", 'public."order"', "x.y", 'q"; DROP TABLE t; --'])
def test_a_table_is_shown_by_its_name_however_it_is_written(project: Path, clew: Clew, asked: str) -> None:
    (project / "odd.sql").write_text(
        'CREATE TABLE public."order" (id int); CREATE TABLE "x.y" (id int); CREATE TABLE "q""; DROP TABLE t; --" (id int);'
    )
    clew("db", "add", "odd", "ddl:odd.sql?dialect=postgres")
    assert len(clew("db", "show", f"odd.{asked}", "--json").json["tables"]) == 1


CANARY = "c4n@ry:w%rd/9?#&=+ é"


@pytest.mark.parametrize("written", [CANARY, quote(CANARY, safe="")], ids=["as it is", "encoded"])
@pytest.mark.parametrize(
    "address",
    [
        "postgresql://reader:{}@127.0.0.1:9/app",
        "postgresql+psycopg://reader:{}@127.0.0.1:9/app?sslmode=disable",
        "mysql+pymysql://reader:{}@127.0.0.1:9/app",
        "no-such-kind://reader:{}@127.0.0.1:9/app",
    ],
)
def test_no_command_lets_a_password_out(
    shop: Path, clew: Clew, home: Path, caplog: pytest.LogCaptureFixture, written: str, address: str
) -> None:
    caplog.set_level(logging.DEBUG)
    url = address.format(written)
    said = [clew("db", "add", "secret", url)]
    commands: tuple[tuple[str, ...], ...] = (
        ("add", "secret", url),
        ("add", "secret", url.replace("9/", "10/")),
        ("add", "secret", url, "--replace"),
        ("add", url, url),
        ("add", "x", "y", url),
        ("add", "secret", f"--nothing={url}"),
        ("list",),
        ("index",),
        ("index", url),
        ("search", "orders"),
        ("search", "orders", "--db", "secret"),
        ("search", "orders", "--db", url),
        ("search", "--batch", url),
        ("show", "secret"),
        ("show", url),
        ("diff", "secret"),
        ("diff", "secret", url),
        ("status",),
        ("status", "secret"),
        ("check", "select 1", "--db", "secret"),
        ("remove", url),
        ("remove", "secret"),
    )
    assert {command[0] for command in commands} == set(NAMES)
    for command in commands[:-1]:
        said += [clew("db", *command), clew("db", *command, "--json")]
        kept = {path for path in shop.rglob("*") if path.is_file() and any(part in path.read_bytes() for part in forms())}
        assert kept == set(), command
    said.append(clew("db", *commands[-1]))
    whole = "\n".join(one.out + one.err for one in said) + caplog.text
    assert [form for form in forms() if form.decode() in whole] == []
    assert [path for path in home.rglob("*") if path.is_file() and b"c4n" in path.read_bytes()] == []


def forms() -> list[bytes]:
    return [CANARY.encode(), quote(CANARY, safe="").encode(), quote(CANARY).encode(), json.dumps(CANARY)[1:-1].encode(), b"c4n@ry", b"w%rd"]


def test_values_are_kept_when_asked_for_and_lead_questions_to_their_column(project: Path, clew: Clew) -> None:
    with sqlite3.connect(project / "schools.db") as connection:
        connection.executescript(
            "CREATE TABLE schools (id int, county text, phone text); CREATE TABLE teachers (id int, subject text);"
            "INSERT INTO schools VALUES (1, 'Alameda', '+1 555 123 4567'), (2, 'Fresno', '+1 555 123 4568');"
        )
    assert clew("db", "add", "it", "sqlite:///schools.db").code == 0
    assert clew("db", "index").code == 0
    asked = ("db", "search", "how many are in alameda", "--json")
    assert "Alameda" not in str(clew(*asked).json)
    assert clew("db", "index", "--values").code == 0
    found = clew(*asked).json["tables"][0]
    assert (found["table"], found["columns"][0]["name"]) == ("schools", "county")
    assert "holds the value Alameda" in str(found)
    status = clew("db", "status", "--json").json["databases"][0]["values"]
    assert (status["columns"], status["values"], status["left_out"]) == (1, 2, [])
    assert "2 of 1 columns are kept (at most 10,000 a column, 200,000 in all)" in clew("db", "status").out
    assert "Alameda" not in clew("db", "show", "it", "--json").out
    assert clew("db", "index").code == 0
    assert "holds the value Alameda" in str(clew(*asked).json)
    assert clew("db", "index", "--no-values").code == 0
    assert "Alameda" not in str(clew(*asked).json)


def test_the_same_question_has_the_same_bytes_fifty_times_and_in_two_processes(shop: Path, clew: Clew) -> None:
    assert clew("db", "index").code == 0
    question = "what did each customer pay for articles, and who wrote posts in 2024"
    (shop / "questions.jsonl").write_text((json.dumps({"id": "one", "query": question, "max_tokens": 120}) + "\n") * 50)

    def said(seed: str, *arguments: str) -> bytes:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-m", "clew", "db", "search", "--json", "--explain", *arguments]
        return subprocess.run(command, cwd=shop, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout

    batches = [said(seed, "--batch", "questions.jsonl").splitlines() for seed in ("1", "2")]
    assert [len(lines) for lines in batches] == [50, 50]
    assert len({line for lines in batches for line in lines}) == 1
    assert json.loads(batches[0][0])["tables"]
    assert len({said(seed, question, "--max-tokens", "120") for seed in ("3", "4")}) == 1


def test_statistics_are_turned_on_and_off_by_reading_again_and_stay_so(project: Path, clew: Clew) -> None:
    with sqlite3.connect(project / "app.db") as made:
        made.executescript("CREATE TABLE t (id int PRIMARY KEY, colour text); INSERT INTO t VALUES (1, 'crimson');")
    made.close()
    assert clew("db", "add", "it", "sqlite:///app.db").code == 0
    held = []
    for options in ((), ("--statistics",), (), ("--no-statistics",)):
        assert clew("db", "index", *options).code == 0
        held.append("crimson" in clew("db", "show", "it.t", "--json").out)
        assert clew("db", "list", "--json").json["databases"][0]["statistics"] is held[-1]
    assert held == [False, True, True, False]


def test_options_that_are_not_given_again_stay_as_they_are(project: Path, clew: Clew) -> None:
    sqlite3.connect(project / "app.db").close()
    assert clew("db", "add", "it", "sqlite:///app.db", "--statistics", "--samples", "3", "--timeout", "20").code == 0
    assert clew("db", "add", "it", "sqlite:///app.db", "--values").out.startswith("it replaced")
    said = "with statistics (3 samples a column), with values, 20 s a statement"
    assert said in clew("db", "list").out
    assert said in clew("db", "status").out
    assert clew("db", "add", "it", "sqlite:///app.db").out.startswith("it unchanged")
    assert clew("db", "index", "it", "--samples", "2", "--pii-values", "--schema", "main").code == 0
    assert "2 samples a column, personal columns too), with values, schemas main, 20 s" in clew("db", "list").out
    assert clew("db", "index", "it", "--schema", "*").code == 0
    assert "schemas" not in clew("db", "list").out
