"""Do symbol, callers, callees and importers keep their contract?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

SOURCES = {
    "src/pay.py": "from basket import Basket\n\n\ndef pay(basket: Basket):\n    return basket.total_price({})\n\n\ndef main():\n    pay(Basket())\n",
    "src/other.py": "def total_price(x):\n    return x\n\n\ndef guess(thing):\n    return thing.add_item(1)\n",
}


@pytest.fixture
def shop(project: Path) -> Path:
    for path, text in SOURCES.items():
        (project / path).write_text(text)
    return project


def test_symbol_shows_every_definition_of_a_name(shop: Path, clew: Run) -> None:
    done = clew("symbol", "total_price")
    assert done.code == 0
    assert "src/basket.py:14-16  method Basket.total_price" in done.out
    assert "src/other.py:1-2  function total_price" in done.out
    (one,) = clew("symbol", "Basket.total_price", "--json").json["symbols"]
    assert list(one) == ["filepath", "name", "kind", "line_start", "line_end", "signature"]
    assert one["signature"] == "def total_price(self, prices: dict) -> float"


def test_callers_say_where_and_from_what(shop: Path, clew: Run) -> None:
    done = clew("callers", "Basket.total_price", "--depth", "2")
    assert (done.code, done.out) == (0, "src/pay.py:5  pay → Basket.total_price\n  src/pay.py:9  main → pay\n")
    found = clew("callers", "Basket.total_price", "--json").json
    assert list(found) == ["name", "symbols", "callers", "near", "warnings", "stale"]
    (edge,) = found["callers"]
    assert list(edge) == ["source", "target", "filepath", "line", "certain", "depth"]
    assert (edge["source"]["name"], edge["target"]["name"], edge["certain"], edge["depth"]) == ("pay", "Basket.total_price", True, 1)


def test_callees_are_those_of_the_project(shop: Path, clew: Run) -> None:
    assert clew("callees", "main").out == "src/pay.py:9  Basket  src/basket.py:4\nsrc/pay.py:9  pay  src/pay.py:4\n"
    assert clew("callees", "main", "--json").json["callees"][1]["target"]["name"] == "pay"


def test_importers_are_listed_with_their_lines(shop: Path, clew: Run) -> None:
    assert clew("importers", "src/basket.py").out == "src/pay.py:1  basket Basket\n"
    found = clew("importers", "src/basket.py", "--json").json
    assert found["importers"] == [{"filepath": "src/pay.py", "line": 1, "imported": "basket Basket"}]
    done = clew("importers", "src/pay.py")
    assert (done.code, done.err) == (1, "no file imports src/pay.py\n")
    assert clew("importers", "src/none.py").code == 2
    done = clew("importers", "src")
    assert done.code == 2
    assert "src is a folder" in done.err
    assert "src/basket.py, src/other.py, src/pay.py" in done.err


def test_a_name_with_several_definitions_names_them_to_choose_from(shop: Path, clew: Run) -> None:
    done = clew("callers", "total_price")
    assert "2 definitions are named total_price; ask for one: src/basket.py:Basket.total_price, src/other.py:total_price" in done.err
    assert clew("callers", "src/basket.py:Basket.total_price").out == "src/pay.py:5  pay\n"


def test_possible_callers_of_a_common_name_are_few_and_the_others_are_told_of(shop: Path, clew: Run) -> None:
    (shop / "src" / "cart.py").write_text("class Cart:\n    def total_price(self):\n        return 0\n")
    for number in range(12):
        (shop / "src" / f"user{number}.py").write_text(f"def use{number}(thing):\n    return thing.total_price({number})\n")
    done = clew("related", "src/basket.py:15")
    assert done.out.count("(possible)") == 8
    assert "4 more places may call Basket.total_price, by its name alone: `clew callers Basket.total_price` lists them" in done.err


def test_nothing_found_is_exit_code_1_with_a_hint(shop: Path, clew: Run) -> None:
    done = clew("symbol", "total_prize")
    assert (done.code, done.out) == (1, "")
    assert "did you mean Basket.total_price, total_price?" in done.err or "did you mean total_price, Basket.total_price?" in done.err
    assert clew("callers", "total_prize", "--json").json["near"]
    done = clew("callers", "main")
    assert (done.code, done.err) == (1, "nothing calls main by its name\n")
    assert clew("callees", "guess").code == 0
    assert clew("callees", "total_price").code == 1


def test_an_ambiguous_name_says_how_to_ask_for_one(shop: Path, clew: Run) -> None:
    assert "ask for one: src/basket.py:Basket.total_price" in clew("callers", "total_price").err
    assert clew("callers", "src/basket.py:Basket.total_price").err == ""


@pytest.mark.parametrize("arguments", [("callers", "x", "--depth", "0"), ("callers", "x", "--depth", "99"), ("symbol", " ")])
def test_wrong_use_is_exit_code_2(shop: Path, clew: Run, arguments: tuple[str, ...]) -> None:
    done = clew(*arguments, "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "usage")


def test_impact_lists_callers_tests_overriders_and_importers(shop: Path, clew: Run) -> None:
    (shop / "tests").mkdir()
    (shop / "tests" / "test_pay.py").write_text("from pay import pay\n\n\ndef test_pay():\n    pay(1)\n")
    (shop / "src" / "gift.py").write_text(
        "from basket import Basket\n\n\nclass Gift(Basket):\n    def total_price(self, prices):\n        return 0\n"
    )
    done = clew("impact", "Basket.total_price")
    assert (done.code, done.out) == (
        0,
        "defined:\n"
        "  src/basket.py:14-16  method Basket.total_price\n"
        "      def total_price(self, prices: dict) -> float\n"
        "overridden or built upon by:\n"
        "  src/gift.py:5-6  method Gift.total_price\n"
        "      def total_price(self, prices)\n"
        "called by:\n"
        "  src/pay.py:5  pay → Basket.total_price\n"
        "    src/pay.py:9  main → pay\n"
        "tested by:\n"
        "    tests/test_pay.py:5  test_pay → pay\n"
        "imported by:\n"
        "  src/gift.py:1  basket Basket\n"
        "  src/pay.py:1  basket Basket\n",
    )
    found = clew("impact", "Basket", "--json").json
    assert list(found) == ["name", "symbols", "callers", "tests", "overriders", "importers", "near", "warnings", "stale"]
    assert [one["name"] for one in found["overriders"]] == ["Gift"]
    assert clew("impact", "no_such_thing").code == 1


def test_impact_leaves_out_who_imports_another_name_of_the_same_file(shop: Path, clew: Run) -> None:
    (shop / "src" / "rates.py").write_text("LOW = 1\n\n\ndef vat_rate(x):\n    return x\n\n\ndef other(x):\n    return x\n")
    (shop / "src" / "a.py").write_text("from rates import other, LOW\n\nprint(other(LOW))\n")
    (shop / "src" / "b.py").write_text("from rates import other, vat_rate\n\nUSED = vat_rate\n")
    (shop / "src" / "c.py").write_text("import rates\n\nUSED = rates.vat_rate\n")
    (shop / "src" / "d.py").write_text("from rates import *\n")
    impact = clew("impact", "vat_rate", "--json").json
    assert [one["filepath"] for one in impact["importers"]] == ["src/b.py", "src/c.py", "src/d.py"]
    assert "src/a.py" not in clew("search", "what breaks if I change vat_rate").out
    assert len(clew("importers", "src/rates.py", "--json").json["importers"]) == 4


def test_related_shows_what_belongs_to_a_line(shop: Path, clew: Run) -> None:
    done = clew("related", "src/pay.py:5")
    assert (done.code, done.out) == (
        0,
        "in:\n"
        "  src/pay.py:4-5  function pay\n"
        "      def pay(basket: Basket)\n"
        "calls:\n"
        "  src/pay.py:5  Basket.total_price  src/basket.py:14\n"
        "called by:\n"
        "  src/pay.py:9  main\n",
    )
    found = clew("related", "src/pay.py:5", "--json").json
    assert list(found) == ["filepath", "line", "symbol", "callees", "callers", "tests", "warnings", "stale"]
    done = clew("related", "src/pay.py:1", "--json")
    assert (done.code, done.json["symbol"]) == (1, None)
    for place in ("src/pay.py", "src/pay.py:0", "src/pay.py:x", ":3", "src/none.py:3", "src/pay.py:9999999999"):
        assert clew("related", place).code == 2


def test_a_map_shows_folders_and_the_files_that_others_use(shop: Path, clew: Run) -> None:
    done = clew("map")
    assert (done.code, done.out) == (
        0,
        "shop: 4 files (python 3, javascript 1)\n"
        "folders:\n"
        "  src/  3\n"
        "  web/  1\n"
        "files that others use most (by how many):\n"
        "  src/basket.py  1  Basket, total_price\n",
    )
    found = clew("map", "--json").json
    assert list(found) == ["name", "files", "languages", "folders", "central", "tokens", "warnings", "stale"]
    assert found["central"] == [{"filepath": "src/basket.py", "used_by": 1, "symbols": ["Basket", "total_price"]}]
    assert clew("map", "--max-tokens", "10").code == 2


def test_a_map_of_a_folder_shows_what_is_in_it(shop: Path, clew: Run) -> None:
    done = clew("map", "src")
    assert (done.code, done.out) == (
        0,
        "src: 3 files (python 3)\nfolders:\n  src/  3\nfiles that others use most (by how many):\n  src/basket.py  1  Basket, total_price\n",
    )
    assert clew("map", str(shop / "src")).out == done.out
    assert clew("map", ".").out == clew("map").out
    assert clew("map", "nowhere").code == 2
    (shop / "empty").mkdir()
    assert (clew("map", "empty").code, clew("map", "empty").err) == (1, "no file of empty is in the index\n")


@pytest.mark.parametrize("name", ["\x1b[31mred", "a\u2028b", "x" * 5000, "::", ":", "a:b:c", "..", "()"])
def test_hostile_names_are_not_found_and_nothing_more(shop: Path, clew: Run, name: str) -> None:
    for command in ("symbol", "callers", "callees"):
        done = clew(command, "--", name)
        assert done.code == 1
        assert "\x1b" not in done.out + done.err
