"""What does an engine answer to who calls a name, what a change of it touches, and their like; and what does it show beside code?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clew.assembly import open_engine
from clew.core.answer import Answer, Question
from clew.core.query import Filters, PathFilter
from clew.engine import Engine

FILES = {
    "shop/prices.py": "class Tax:\n    rate = 0.19\n\n\ndef net_price(price: float, tax: Tax) -> float:\n"
    '    """Take the tax out of a price."""\n    return rounded(price / (1 + tax.rate))\n\n\ndef rounded(price):\n    return round(price, 2)\n',
    "shop/bill.py": "from shop.prices import Tax, net_price\n\n\ndef bill_total(items):\n    total = 0\n    for item in items:\n"
    "        total += net_price(item, Tax())\n    return total\n\n\nclass Reduced(Tax):\n    rate = 0.07\n",
    "shop/report.py": "import shop.bill\nfrom shop.bill import bill_total\n\n\ndef monthly(items):\n    return bill_total(items)\n",
    "tests/test_prices.py": "from shop.prices import Tax, net_price\n\n\ndef test_net_price_has_no_tax():\n    assert net_price(119, Tax()) == 100\n",
}


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    with open_engine(tmp_path) as opened:
        yield opened


def places(answer: Answer) -> list[tuple[str, str]]:
    return [(result.chunk.filepath, result.chunk.symbol_name) for result in answer.results]


def test_callers_come_with_the_lines_that_call_and_sources_before_tests(engine: Engine) -> None:
    answer = engine.search("who calls net_price?")
    assert (answer.mode, answer.confidence) == ("structural", "high")
    assert places(answer) == [("shop/bill.py", "bill_total"), ("tests/test_prices.py", "test_net_price_has_no_tax")]
    first = answer.results[0]
    assert first.lines == (7,)
    assert first.reasons == ("calls net_price (line 7)",)
    assert [(one.relation, one.symbol_name, one.signature) for one in answer.neighbours] == [
        ("definition", "net_price", "def net_price(price: float, tax: Tax) -> float")
    ]
    assert "who calls net_price" in answer.route[0]


def test_what_a_change_touches_is_the_definition_its_callers_tests_and_importers(engine: Engine) -> None:
    answer = engine.search("what happens if I change net_price")
    found = places(answer)
    assert found[0] == ("shop/prices.py", "net_price")
    assert {("shop/bill.py", "bill_total"), ("shop/report.py", "monthly"), ("tests/test_prices.py", "test_net_price_has_no_tax")} <= set(
        found
    )
    assert not answer.neighbours  # its definition is among the results already


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what does net_price call", ("shop/prices.py", "rounded")),
        ("which classes extend Tax", ("shop/bill.py", "Reduced")),
        ("which tests cover net_price", ("tests/test_prices.py", "test_net_price_has_no_tax")),
        ("where is bill_total defined", ("shop/bill.py", "bill_total")),
        ("what is in shop/report.py", ("shop/report.py", "monthly")),
    ],
)
def test_each_relation_is_answered_by_what_it_leads_to(engine: Engine, question: str, first: tuple[str, str]) -> None:
    answer = engine.search(question)
    assert answer.mode == "structural"
    assert places(answer)[0] == first


@pytest.mark.parametrize("question", ["who imports shop/bill.py", "who imports shop.bill", "which files import bill_total"])
def test_importers_are_found_by_path_by_module_and_by_name(engine: Engine, question: str) -> None:
    assert [filepath for filepath, _ in places(engine.search(question))] == ["shop/report.py"]


def test_a_name_that_is_not_there_is_answered_by_words(engine: Engine) -> None:
    answer = engine.search("who calls gross_price")
    assert answer.mode == "hybrid"
    assert "no such relation is known of gross_price" in answer.route[0]
    assert answer.results


def test_a_sentence_around_a_relation_gets_the_rest_by_words(engine: Engine) -> None:
    answer = engine.search("before the release, who calls net_price and what is the tax rate")
    assert answer.mode == "structural"
    assert places(answer)[0] == ("shop/bill.py", "bill_total")
    assert ("shop/prices.py", "Tax") in places(answer)


def test_filters_and_limits_hold_for_relations_too(engine: Engine) -> None:
    inside = Filters(paths=(PathFilter("tests"),))
    assert [path for path, _ in places(engine.search(Question("who calls net_price", filters=inside)))] == ["tests/test_prices.py"]
    answer = engine.search(Question("who calls net_price", limit=1))
    assert len(answer.results) == 1
    assert [(one.relation, one.filepath, one.line_start) for one in answer.neighbours if one.relation == "also"] == [
        ("also", "tests/test_prices.py", 5)
    ]


def test_an_edit_is_in_the_next_answer(engine: Engine) -> None:
    assert len(engine.search("who calls rounded").results) == 1
    (engine.root / "shop" / "more.py").write_text("from shop.prices import rounded\n\n\ndef twice(x):\n    return rounded(2 * x)\n")
    assert ("shop/more.py", "twice") in places(engine.search("who calls rounded"))


def test_mode_structural_tells_all_that_hangs_on_a_name(engine: Engine) -> None:
    answer = engine.search(Question("net_price", mode="structural"))
    assert answer.mode == "structural"
    assert places(answer)[0] == ("shop/prices.py", "net_price")
    assert engine.search(Question("tax out of a price", mode="structural")).mode == "fast"


def test_a_budget_brings_the_signatures_of_what_a_result_calls_takes_and_is_called_by(engine: Engine) -> None:
    question = Question("take the tax out of a price", mode="fast", limit=1)
    assert not engine.search(question).neighbours
    answer = engine.search(replace(question, max_tokens=400))
    assert places(answer) == [("shop/prices.py", "net_price")]
    beside = {(one.relation, one.symbol_name) for one in answer.neighbours}
    assert beside == {("callee", "rounded"), ("type", "Tax"), ("caller", "bill_total"), ("caller", "test_net_price_has_no_tax")}
    assert answer.tokens <= 400


@pytest.mark.parametrize("budget", [1, 20, 60, 100, 150, 250, 900])
def test_neighbours_stay_within_the_budget_and_repeat_no_line(engine: Engine, budget: int) -> None:
    for text in ("take the tax out of a price", "who calls net_price", "what happens if I change Tax"):
        answer = engine.search(Question(text, max_tokens=budget))
        assert answer.tokens <= budget
        for one in answer.neighbours:
            for result in answer.results:
                chunk = result.chunk
                inside = chunk.filepath == one.filepath and chunk.line_start <= one.line_start <= chunk.line_end
                assert not inside, (text, one, chunk)
