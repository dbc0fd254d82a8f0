"""Which questions does a package answer itself?"""

from __future__ import annotations

from pathlib import Path

import pytest
from training.harvest import MOST_PAIRS, mined
from training.mining import Pair, masked, pairs
from training.packages import Package
from training.questions import is_telling, prose, words_of
from training.reading import files, head_docs
from training.undocumented import comments_of, without_docs
from training.unpacking import Source

PYTHON = '''"""Sells things to people who queue."""


class ShoppingCart:
    """Holds what a customer wants to buy."""

    def add_item(self, item, count):
        """Put an article into the cart.

        Args:
            item: the article.
        """
        if count > self.limit:
            raise ValueError(item)
        # Remember how often it was added before
        self.items[item] = self.items.get(item, 0) + count
        return self

    def total_price(self):
        prices = [price(item) for item in self.items]
        discount = self.discount
        return sum(prices) - discount
'''
TESTS = """def test_total_price_of_an_empty_cart():
    cart = ShoppingCart()
    assert cart.total_price() == 0
"""
README = "# Shop\n\n## Paying\n\nAsk for `total_price` before anything is paid, then send the money.\n"


@pytest.fixture(scope="module")
def found() -> dict[str, list[Pair]]:
    everything = pairs(files([Source("shop/cart.py", PYTHON), Source("tests/test_cart.py", TESTS), Source("README.md", README)]), "seed")
    by_kind: dict[str, list[Pair]] = {}
    for pair in everything:
        by_kind.setdefault(pair.kind, []).append(pair)
    return by_kind


def test_documentation_asks_for_the_code_without_it(found: dict[str, list[Pair]]) -> None:
    pair = next(pair for pair in found["docs"] if pair.query.startswith("Put an article"))
    assert "raise ValueError" in pair.text
    assert "Put an article" not in pair.text
    assert pair.text.startswith("shop/cart.py\nmethod ShoppingCart.")


def test_a_name_asks_for_the_body_without_it(found: dict[str, list[Pair]]) -> None:
    pair = next(pair for pair in found["name"] if pair.query.endswith("total price"))
    assert "prices" in pair.text
    assert "total_price" not in pair.text


def test_a_comment_asks_for_the_lines_below_it(found: dict[str, list[Pair]]) -> None:
    (pair,) = found["comment"]
    assert pair.query == "Remember how often it was added before"
    assert "self.items.get" in pair.text
    assert "Remember" not in pair.text


def test_a_class_is_asked_for_by_its_documentation_and_found_by_its_members(found: dict[str, list[Pair]]) -> None:
    (pair,) = found["holder"]
    assert pair.query == "Holds what a customer wants to buy."
    assert "def total_price(self)" in pair.text
    assert "ShoppingCart" not in pair.text.split("\n")[1]


def test_a_file_is_asked_for_by_what_its_head_says(found: dict[str, list[Pair]]) -> None:
    (pair,) = found["file"]
    assert pair.query == "Sells things to people who queue."
    assert pair.text.split("\n")[:2] == ["shop/cart.py", "class ShoppingCart"]


def test_a_test_asks_for_the_function_under_test(found: dict[str, list[Pair]]) -> None:
    (pair,) = found["test"]
    assert pair.query == "total price of an empty cart"
    assert "def total_price" in pair.text


def test_a_section_of_the_readme_asks_for_the_definition_that_it_names(found: dict[str, list[Pair]]) -> None:
    (pair,) = found["readme"]
    assert pair.query.startswith("paying Ask for")
    assert "def total_price" in pair.text


def test_the_same_package_gives_the_same_pairs() -> None:
    sources = [Source("shop/cart.py", PYTHON)]
    assert pairs(files(sources), "a") == pairs(files(sources), "a")


def test_only_whole_words_are_masked() -> None:
    assert masked("add(x); add_all(y); address", "add") == "_(x); __all(y); address"
    assert masked("text", "") == "text"


@pytest.mark.parametrize(
    ("code", "docs", "left"),
    [
        ("// Opens the door.\n// Slowly and well.\nfunc Open() {}", "Opens the door.\nSlowly and well.", "func Open() {}"),
        ("/**\n * Opens the door.\n * @param key one\n */\nopen(key) {}", "Opens the door.", "open(key) {}"),
        ('def f():\n    """Opens the door."""\n    return 1', "Opens the door.", "def f():\n    return 1"),
        ('def f():\n    """\n    Opens the door.\n\n    :rtype: Door\n    """\n    return 1', "Opens the door.", "def f():\n    return 1"),
        ("/// Opens the door.\n/// Examples:\n/// open()\nfn open() {}", "Opens the door.", "fn open() {}"),
        ("open()", "", "open()"),
    ],
)
def test_documentation_is_taken_out_of_code(code: str, docs: str, left: str) -> None:
    assert without_docs(code, docs) == left


def test_comments_in_code_come_with_what_follows() -> None:
    code = "a()\n# First close the door\n# and lock it\nclose(door)\nlock(door)\n\nb()"
    assert list(comments_of(code, "")) == [("First close the door and lock it", "close(door)\nlock(door)")]


def test_a_licence_is_not_what_a_file_is_about() -> None:
    assert (
        head_docs("/* Copyright 2020 by us. */\n\n// Doors that open by themselves.\npackage doors\n") == "Doors that open by themselves."
    )
    assert head_docs("# Copyright 2020\nimport os\n") == ""


def test_prose_ends_where_fields_begin_and_has_no_markup() -> None:
    assert prose("Open the :class:`Door` with `key`. Then wait.\n\n:param key: one\nMore.") == ["Open the Door with key.", "Then wait."]
    assert prose("Open it. It creaks.\n@return nothing") == ["Open it.", "It creaks."]


def test_remarks_and_signs_are_no_questions() -> None:
    assert is_telling("close the door")
    assert not is_telling("TODO: close the door")
    assert not is_telling("== ++ a b ==")


def test_names_are_words() -> None:
    assert words_of("parseHTTPHeader_v2") == "parse http header v 2"


def test_code_that_an_earlier_package_has_is_left_out_of_a_later_one(tmp_path: Path) -> None:
    packages = [Package("pypi", name, "1", "MIT", "train", ()) for name in ("first", "second")]
    for package in packages:
        lines = [
            f'["docs", "{package.name} opens the door", "a.py\\ndef open_it(): pass"]',
            f'["docs", "own", "b.py\\ndef {package.name}(): pass"]',
        ]
        (tmp_path / f"{package.key}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    first, second = mined(packages, tmp_path)
    assert [pair.query for pair in first.pairs][:2] == ["first opens the door", "own"]
    assert [pair.query for pair in second.pairs if pair.kind == "docs"] == ["own"]


def test_no_package_gives_more_pairs_than_the_limit(tmp_path: Path) -> None:
    package = Package("pypi", "big", "1", "MIT", "train", ())
    lines = [
        f'["{kind}", "question {number}", "a.py\\ndef f{number}(): pass"]' for number in range(MOST_PAIRS) for kind in ("docs", "name")
    ]
    (tmp_path / f"{package.key}.jsonl").write_text("\n".join([*lines, '["test", "rare", "b.py\\nx"]']) + "\n", "utf-8")
    (only,) = mined([package], tmp_path)
    assert sum(pair.kind not in ("symbol", "place") for pair in only.pairs) == MOST_PAIRS
    assert sum(pair.kind == "test" for pair in only.pairs) == 1


def test_some_texts_are_asked_for_by_name_and_by_their_file(tmp_path: Path) -> None:
    package = Package("pypi", "shop", "1", "MIT", "train", ())
    lines = [
        f'["docs", "question {number}", "shop/price_list.py\\nfunction Till.open{number}\\ndef open{number}(): pass"]'
        for number in range(40)
    ]
    (tmp_path / f"{package.key}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (only,) = mined([package], tmp_path)
    assert Pair("symbol", "open0", "shop/price_list.py\nfunction Till.open0\ndef open0(): pass") in only.pairs
    assert {pair.query for pair in only.pairs if pair.kind == "place"} >= {"price list", "price list open 1"}
