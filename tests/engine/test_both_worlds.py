"""Does one question find code and tables, and does each name the other?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from clew.assembly import open_databases, open_engine
from clew.core.answer import Answer, Question
from clew.core.query import Filters, PathFilter

FILES = {
    "app/models/shop.py": 'class Purchase(Base):\n    """What was bought."""\n\n    __tablename__ = "orders"\n    total = Column(Numeric)\n',
    "app/report.py": (
        "from models.shop import Purchase\n\n\n"
        'def monthly_revenue(session):\n    """Sum of what was paid in a month."""\n    return session.query(func.sum(Purchase.total)).scalar()\n\n\n'
        'def open_orders(connection):\n    return connection.execute("SELECT id, total FROM orders WHERE paid_at IS NULL").fetchall()\n\n\n'
        "def weather():\n    return 'rain'\n"
    ),
    "migrations/0001_init.py": 'def upgrade():\n    op.create_table("orders", Column("id"))\n',
}
SCHEMA = """
CREATE TABLE customers (id int PRIMARY KEY, name text);
CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers(id), total numeric(10,2), paid_at timestamp);
CREATE TABLE warehouse_shelf (id int PRIMARY KEY, height_in_centimetres int);
"""


@pytest.fixture
def both(tmp_path: Path) -> Path:
    """A project with code, and a database whose DDL stands outside of it."""
    root = tmp_path / "project"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (tmp_path / "schema.sql").write_text(SCHEMA)
    with open_databases(root) as databases:
        databases.add("shop", "ddl:schema.sql?dialect=postgres", base=tmp_path)
        list(databases.index())
    return root


def ask(root: Path, text: str, **more: object) -> Answer:
    with open_engine(root) as engine:
        return engine.search(Question(text, **more))  # type: ignore[arg-type]


def tables(answer: Answer) -> list[str]:
    return [result.chunk.filepath for result in answer.results if result.chunk.symbol_type == "table"]


def reasons(answer: Answer, name: str) -> tuple[str, ...]:
    return next(result.reasons for result in answer.results if result.chunk.symbol_name == name)


def test_a_question_finds_the_code_and_its_table(both: Path) -> None:
    answer = ask(both, "which orders are not paid")
    assert "db:shop.orders" in tables(answer)
    assert "open_orders" in [result.chunk.symbol_name for result in answer.results]
    table = next(result for result in answer.results if result.chunk.symbol_type == "table")
    assert (table.chunk.symbol_name, table.chunk.language, table.absolute_path, table.from_index) == ("orders", "postgres", "", False)
    assert "paid_at" in table.code_snippet


def test_a_table_names_the_code_that_uses_it(both: Path) -> None:
    used = [
        reason
        for reason in reasons(ask(both, "orders", filters=Filters(symbol_types=("table",))), "orders")
        if reason.startswith("used by")
    ]
    assert used == [
        "used by app/models/shop.py:4 Purchase (model)",
        "used by migrations/0001_init.py:2 upgrade (migration)",
        "used by app/report.py:10 open_orders (query)",
        "used by app/report.py:6 monthly_revenue (through Purchase)",
    ]


def test_code_names_the_tables_that_it_touches(both: Path) -> None:
    answer = ask(both, "sum of what was paid in a month")
    assert "touches shop.orders" in reasons(answer, "monthly_revenue")
    assert not [reason for reason in reasons(ask(both, "weather"), "weather") if reason.startswith("touches")]


def test_a_table_that_no_code_knows_is_found_where_it_answers_and_not_elsewhere(both: Path) -> None:
    answer = ask(both, "height of a shelf in the warehouse")
    assert tables(answer) == ["db:shop.warehouse_shelf"]
    assert answer.confidence_score == answer.results[0].score
    assert tables(ask(both, "weather")) == []


def test_filters_hold_for_tables_too(both: Path) -> None:
    assert tables(ask(both, "orders", filters=Filters(paths=(PathFilter("app"),)))) == []
    assert tables(ask(both, "orders", filters=Filters(symbol_types=("function",)))) == []
    assert tables(ask(both, "orders", filters=Filters(languages=("python",)))) == []
    only = ask(both, "orders", filters=Filters(symbol_types=("table",)))
    assert {result.chunk.symbol_type for result in only.results} == {"table"}
    assert len(ask(both, "orders", limit=2).results) == 2


def test_a_budget_holds_with_tables(both: Path) -> None:
    for budget in (60, 120, 300):
        assert ask(both, "which orders are not paid", max_tokens=budget).tokens <= budget


def test_what_is_wrong_with_the_databases_costs_no_answer_about_code(both: Path) -> None:
    (both / ".clew" / "databases" / "chunks" / "catalog.db").write_bytes(b"damaged" * 1_000)
    answer = ask(both, "monthly_revenue")
    assert answer.results[0].chunk.symbol_name == "monthly_revenue"
    assert [warning for warning in answer.warnings if warning.startswith("tables were not searched")]


def test_a_database_that_is_removed_is_gone_from_the_next_answer(both: Path) -> None:
    with open_engine(both) as engine:
        assert tables(engine.search("orders"))
        with open_databases(both) as databases:
            databases.remove("shop")
        answer = engine.search("orders")
        assert tables(answer) == []
        assert not [reason for result in answer.results for reason in result.reasons if reason.startswith("touches")]


def test_the_command_line_prints_tables_without_a_file(both: Path) -> None:
    command = [sys.executable, "-m", "clew", "search", "which orders are not paid", "--path", str(both)]
    plain = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "db:shop.orders" in plain
    found = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout)["results"]
    table = next(one for one in found if one["symbol_type"] == "table")
    assert (table["filepath"], table["absolute_path"], table["symbol_name"]) == ("db:shop.orders", "", "orders")


def test_an_answer_about_databases_names_the_code_too(both: Path) -> None:
    with open_databases(both) as databases:
        assert databases.search("orders").tables[0].used_by == ()
        with open_engine(both) as engine:
            engine.index()
        found = {one.table.name: [str(use) for use in one.used_by] for one in databases.search("orders of customers").tables}
    assert found["orders"][0] == "app/models/shop.py:4 Purchase (model)"
    assert found["customers"] == []


def test_a_damaged_index_of_code_costs_no_answer_about_databases(both: Path) -> None:
    (both / ".clew" / "catalog.db").write_bytes(b"damaged" * 1_000)
    with open_databases(both) as databases:
        answer = databases.search("orders")
    assert answer.tables
    assert [one for one in answer.warnings if one.startswith("the code that uses these tables was not looked up")]
