"""Bug reports, traces, log lines and pasted code: which file comes first."""

from __future__ import annotations

import pytest
from tests.search.conftest import Piece, make

from clew.search.legs.messages import said_share
from clew.search.question import read

SHOP = {
    "shop/cart.py": [
        Piece("class Cart:\n    items = []", "Cart", "class"),
        Piece("def total(self):\n    return sum(self.parts)", "Cart.total", "method"),
    ],
    "shop/prices.py": [
        Piece("def price_of(item):\n    row = table.find(item)\n    return row.amount", "price_of"),
        Piece("def refuse(item, shelf):\n    raise PriceError(f'there is no price for {item} on shelf {shelf}')", "refuse"),
    ],
    "shop/errors.py": [Piece("class PriceError(Exception):\n    pass", "PriceError", "class")],
    "shop/labels.py": [Piece("def label(item):\n    return f'price {item.price} for {item.name}'", "label")],
    "checks/prices.py": [
        Piece("def test_price_of_tea():\n    assert price_of(tea) == 3", "test_price_of_tea"),
        Piece("def test_price_of_milk():\n    assert price_of(milk) == 1", "test_price_of_milk"),
    ],
    "web/CartService.java": [
        Piece("class CartService {}", "CartService", "class"),
        Piece('void checkout() {\n  throw new IllegalStateException("cart " + id + " has no owner");\n}', "CartService.checkout", "method"),
    ],
    "web/Checkout.java": [Piece("void post() {\n  service.checkout();\n}", "Checkout.post", "method")],
    "settings.json": '{"price": {"tea": "price table of shelf", "table": "prices"}}',
}


@pytest.mark.parametrize(
    ("text", "file"),
    [
        (
            "Reading the amount breaks on Mondays\n\nTraceback (most recent call last):\n"
            '  File "/home/me/venv/lib/python3.12/site-packages/shop/cart.py", line 5, in total\n    x\n'
            '  File "/home/me/venv/lib/python3.12/site-packages/shop/prices.py", line 2, in price_of\n    x\n'
            '  File "/usr/lib/python3.12/decimal.py", line 9, in quantize\n    x\nKeyError: 7\n',
            "shop/prices.py",
        ),
        ("it stops\nthe log says: ERROR there is no price for green tea on shelf 12\nwhat now?", "shop/prices.py"),
        ("ERROR: there is no price for green tea on shelf 12\n", "shop/prices.py"),
        (
            'Exception in thread "main" java.lang.IllegalStateException: cart 17 has no owner\n'
            "\tat com.acme.web.CartService.checkout(CartService.java:4)\n\tat com.acme.web.Checkout.post(Checkout.java:2)\n",
            "web/CartService.java",
        ),
        ("what is wrong here?\n```python\nrow = table.find(item)\nreturn row.amount\n```\n", "shop/prices.py"),
        ("Sum is off by one\nI think the fault is in `shop/cart.py`, where prices are added.\n", "shop/cart.py"),
        ("Cart.total ignores the price of tea\nThe price of tea on a shelf is not in the price table.\n", "shop/cart.py"),
    ],
)
def test_a_long_question_finds_the_file_that_it_is_about(text: str, file: str) -> None:
    assert make(SHOP).files(text)[0] == file


def test_a_go_panic_shows_the_functions_of_its_frames() -> None:
    server = {
        "context.go": [
            Piece("func (c *Context) Next() {\n  c.index++\n}", "Context.Next", "method"),
            Piece(
                "func (c *Context) Bind() {\n  // panic: runtime error, invalid memory address, nil pointer\n}", "Context.Bind", "method"
            ),
        ],
        "engine.go": [Piece("func (e *Engine) Handle() {\n  c.Next()\n}", "Engine.Handle", "method")],
    }
    panic = (
        "panic: runtime error: invalid memory address or nil pointer\n\ngoroutine 1 [running]:\n"
        "example.org/kit/web.(*Context).Next(0xc0000b2000)\n\t/go/pkg/mod/example.org/kit/web@v1.9.1/context.go:2 +0x2b\n"
        "example.org/kit/web.(*Engine).Handle(0xc0001a0000, 0xc0000b2000)\n\t/go/pkg/mod/example.org/kit/web@v1.9.1/engine.go:9 +0x66b\n"
    )

    ranked = make(server).ranked(panic)

    assert [one.chunk.symbol_name for one in ranked[:2]] == ["Context.Next", "Engine.Handle"]


def test_tests_and_data_step_back_for_a_report() -> None:
    files = make(SHOP).files("the amount of an item is wrong\nI asked for price_of tea in the price table.\n")
    assert files[0] == "shop/prices.py"
    assert "checks/prices.py" not in files[:2]
    assert files.index("shop/prices.py") < files.index("settings.json")


def test_the_reasons_name_the_trace_and_the_message() -> None:
    trace = 'it fails\n  File "shop/prices.py", line 2, in price_of\n    x\n'
    assert "in the trace" in make(SHOP).ranked(trace)[0].reasons
    said = "it fails\nIt says 'there is no price for green tea on shelf 12' and stops.\n"
    assert "says the message" in make(SHOP).ranked(said)[0].reasons


def test_a_frame_shows_the_function_that_it_names_though_lines_have_moved() -> None:
    trace = 'it fails\n  File "shop/prices.py", line 999, in refuse\n    x\n  File "shop/prices.py", line 1, in refuse\n    x\n'
    assert make(SHOP).ranked(trace)[0].chunk.symbol_name == "refuse"


def test_of_several_functions_of_one_name_the_one_at_the_line_of_the_frame_is_shown() -> None:
    pieces = [
        Piece(f"def convert(self, value):\n    return {kind}(value)", f"{kind}.convert", "method") for kind in ("Text", "Number", "Date")
    ]
    trace = 'it fails\n  File "shop/types.py", line 5, in convert\n    x\n'
    first = make({"shop/types.py": pieces}).ranked(trace)[0]
    assert (first.chunk.symbol_name, first.wanted) == ("Number.convert", (5,))


def test_a_short_quotation_is_looked_for_to_the_letter() -> None:
    files = {
        "a.py": [Piece("def stop(self):\n    raise Abort(self)", "Context.abort", "method")],
        "b.py": [Piece("def tell(out):\n    out.write('Aborted!')", "tell")],
        "c.py": [Piece("class Abort(Exception):\n    aborted = True", "Abort", "class")],
    }
    assert make(files).files('who prints "Aborted!"')[0] == "b.py"
    assert read('what is "abort"').messages == ()
    assert read('who prints "Aborted!" and "two words"').messages == ("Aborted!", "two words")


def test_a_path_of_another_project_is_no_frame() -> None:
    trace = 'it fails\n  File "/usr/lib/other/prices.py", line 2, in price_of\n    x\n'
    assert all("in the trace" not in line.reasons for line in make(SHOP).ranked(trace))


@pytest.mark.parametrize(
    ("message", "code", "share"),
    [
        ("no price for tea on shelf 12", "f'no price for {item} on shelf {shelf}'", 3 / 7),
        ("there is no price for tea", "'there is no price for %s'", 5 / 6),
        ("one two", "one two", 0.0),
        ("", "", 0.0),
    ],
)
def test_a_message_is_told_by_runs_of_its_words(message: str, code: str, share: float) -> None:
    words = [word.strip("'{}%") for word in code.removeprefix("f").split()]
    assert said_share(message.split(), words) == pytest.approx(share)
