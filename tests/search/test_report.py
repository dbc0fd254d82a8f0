"""Taking a long question apart: what is title, prose, code and output, and which places and errors a trace tells of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.search.report import Frame, Report, take_apart

TRACES = {
    "python": (
        'Traceback (most recent call last):\n  File "/srv/shop/cart.py", line 12, in total\n    add(x)\n'
        '  File "/srv/shop/prices.py", line 40, in add\n    raise PriceError("no price for tea")\nshop.PriceError: no price for tea\n',
        Frame("/srv/shop/prices.py", 40, "add"),
        ("shop.PriceError", "no price for tea"),
    ),
    "ipython": (
        "PriceError                     Traceback (most recent call last)\nFile ~/shop/cart.py:12, in Cart.total(self)\n---> 12 add(x)\n"
        "File ~/shop/prices.py:40, in add(x)\n---> 40 raise\nPriceError: no price for tea\n",
        Frame("~/shop/prices.py", 40, "add"),
        ("PriceError", "no price for tea"),
    ),
    "java": (
        'Exception in thread "main" java.lang.IllegalStateException: cart 17 has no owner\n'
        "\tat com.acme.cart.CartService.checkout(CartService.java:88)\n\tat com.acme.web.Checkout.post(Checkout.java:31)\n",
        Frame("CartService.java", 88, "com.acme.cart.CartService.checkout"),
        ("java.lang.IllegalStateException", "cart 17 has no owner"),
    ),
    "javascript": (
        "TypeError: Cannot read properties of undefined (reading 'total')\n    at formatInvoice (/app/src/invoice.js:42:17)\n"
        "    at async handle (file:///app/src/router.ts:10:5)\n",
        Frame("/app/src/invoice.js", 42, "formatInvoice"),
        ("TypeError", "Cannot read properties of undefined (reading 'total')"),
    ),
    "go": (
        "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\nexample.com/store/queue.(*Ring).Push(0xc0, 0x5)\n"
        "\t/home/ci/store/queue/ring.go:57 +0x1b4\nmain.main()\n\t/home/ci/store/main.go:12 +0x65\n",
        Frame("/home/ci/store/queue/ring.go", 57, ""),
        ("", "runtime error: index out of range [5] with length 3"),
    ),
    "rust": (
        "thread 'main' panicked at src/parser/lexer.rs:120:9:\nunexpected token Eof\nstack backtrace:\n",
        Frame("src/parser/lexer.rs", 120, ""),
        ("", "unexpected token Eof"),
    ),
    "rustc": (
        "error[E0382]: borrow of moved value: `config`\n  --> src/server/boot.rs:33:20\n   |\n33 |     start(config);\n",
        Frame("src/server/boot.rs", 33, ""),
        ("", "borrow of moved value: `config`"),
    ),
    "csharp": (
        "System.NullReferenceException: Object reference not set.\n"
        "   at Acme.Billing.Writer.Write(Invoice invoice) in C:\\src\\Billing\\Writer.cs:line 42\n",
        Frame("C:/src/Billing/Writer.cs", 42, "Acme.Billing.Writer.Write"),
        ("System.NullReferenceException", "Object reference not set."),
    ),
    "ruby": (
        "app/models/user.rb:12:in `full_name': undefined method `strip' for nil\n\tfrom app/controllers/users.rb:7:in `show'\n",
        Frame("app/models/user.rb", 12, "full_name"),
        ("", "undefined method `strip' for nil"),
    ),
    "php": (
        'PHP Fatal error:  Uncaught InvalidArgumentException: No mailer named "sms" in /var/www/src/Registry.php:40\nStack trace:\n'
        "#0 /var/www/src/Kernel.php(22): App\\Mail\\Registry->get('sms')\n",
        Frame("/var/www/src/Registry.php", 40, ""),
        ("InvalidArgumentException", 'No mailer named "sms" in /var/www/src/Registry.php:40'),
    ),
    "c": (
        "src/net/socket.c:77:12: error: 'struct sock' has no member named 'fd'\n   77 |   return s->fd;\n",
        Frame("src/net/socket.c", 77, ""),
        ("", "'struct sock' has no member named 'fd'"),
    ),
    "elixir": (
        "** (KeyError) key :token not found in: %{}\n    (acme 0.1.0) lib/acme/session.ex:14: Acme.Session.fetch/1\n",
        Frame("lib/acme/session.ex", 14, ""),
        ("KeyError", "key :token not found in: %{}"),
    ),
}


@pytest.mark.parametrize("language", TRACES)
def test_the_frame_nearest_to_the_fault_comes_first_in_every_language(language: str) -> None:
    text, frame, _ = TRACES[language]
    assert take_apart(text).frames[0] == frame


@pytest.mark.parametrize("language", TRACES)
def test_the_error_and_its_message_are_read_as_every_language_writes_them(language: str) -> None:
    text, _, error = TRACES[language]
    assert error in take_apart(text).errors


@pytest.mark.parametrize("language", TRACES)
def test_a_report_that_is_all_trace_has_its_error_as_title(language: str) -> None:
    text, _, (_, message) = TRACES[language]
    assert message in take_apart(text).title


def test_title_prose_code_and_output_are_told_apart() -> None:
    report = take_apart(
        "Totals are wrong\nThe cart forgets tea.\n\n```python\ncart.add(tea)\n```\nand then\n\n    >>> cart.total()\n    0\n\n"
        '```\nTraceback (most recent call last):\n  File "cart.py", line 3, in total\n    x()\nPriceError: gone\n```\n'
    )
    assert report.title == "Totals are wrong"
    assert "forgets tea" in report.prose
    assert "cart.add(tea)" in report.code
    assert "cart.total()" in report.code
    assert "PriceError: gone" in report.output
    assert "cart.add" not in report.prose + report.output


def test_what_a_template_brings_along_is_left_out() -> None:
    report = take_apart(
        "Totals are wrong\r\n<!-- please search\nfirst -->\r\n- [x] I have searched\r\n### Expected behaviour\r\n_No response_\r\n"
        "numpy        1.26.0\r\nA sum.\r\n"
    )
    assert report.prose == "A sum."


def test_a_call_with_a_number_is_no_place() -> None:
    assert take_apart("rand\nx = np.random.rand(100)\n").frames == ()


def test_a_link_around_a_path_is_seen_through() -> None:
    report = take_apart("it fails\n[c:\\lib\\grid.py](file:///c:/lib/grid.py) in turn(self)\n")
    assert report.frames == (Frame("c:/lib/grid.py", 0, "turn"),)


@given(st.text(max_size=300))
def test_any_text_can_be_taken_apart(text: str) -> None:
    assert isinstance(take_apart(text), Report)
