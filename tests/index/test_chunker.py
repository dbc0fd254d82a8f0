"""How do documents fall into chunks?"""

from __future__ import annotations

import sysconfig
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from clew.core.chunk import Chunk, chunk_ids
from clew.core.document import Definition, Document, Outline, Reference
from clew.core.tokens import count_tokens
from clew.index.chunker import Budget, chunk, left_out
from clew.sources.outliner import outline

_LIBRARY = Path(sysconfig.get_paths()["stdlib"])


def parsed(text: str, *definitions: Definition, cuts: tuple[tuple[int, int], ...] = (), references: tuple[Reference, ...] = ()) -> Document:
    lines = tuple(text.split("\n"))
    return Document("src/shop.py", "python", lines, Outline(definitions, references, cuts, parsed=True))


def plain(text: str) -> Document:
    return Document("notes.txt", "text", tuple(text.split("\n")))


def spans(chunks: list[Chunk]) -> list[tuple[str, int, int]]:
    return [(one.symbol_name, one.line_start, one.line_end) for one in chunks]


CLASS = """\
import os

class Shop(Base):
    \"\"\"Sells.\"\"\"
    open = True

    def buy(self):
        pay()

    limit = 3

    def sell(self):
        return os.path

    # the end

print(Shop())
"""
SHOP = Definition("Shop", "Shop", "class", 3, 15, "", "class Shop(Base)", "Sells.", 4)
BUY = Definition("buy", "Shop.buy", "method", 7, 8, "Shop", "def buy(self)", "", 8)
SELL = Definition("sell", "Shop.sell", "method", 12, 13, "Shop", "def sell(self)", "", 13)


# -- definitions --


def test_each_definition_has_its_chunk_and_a_class_the_lines_that_no_member_claims() -> None:
    assert spans(chunk(parsed(CLASS, SHOP, BUY, SELL))) == [
        ("src/shop.py:1-1", 1, 1),
        ("Shop", 3, 5),
        ("Shop.buy", 7, 8),
        ("Shop", 10, 10),
        ("Shop.sell", 12, 13),
        ("Shop", 15, 15),
        ("src/shop.py:17-17", 17, 17),
    ]


def test_a_chunk_tells_what_its_definition_is() -> None:
    chunks = chunk(parsed(CLASS, SHOP, BUY, SELL, references=(Reference("call", "pay", 8), Reference("import", "os", 1))))
    main, buy, sell = chunks[1], chunks[2], chunks[4]
    assert (main.symbol_type, main.signature, main.docstring, main.parent) == ("class", "class Shop(Base)", "Sells.", "")
    assert (buy.symbol_type, buy.parent, buy.calls, buy.imports) == ("method", "Shop", ("pay",), ())
    assert (sell.calls, sell.imports, sell.language) == ((), ("os",), "python")
    assert chunks[0].symbol_type == "block"


def test_only_the_first_piece_of_a_symbol_has_its_docstring() -> None:
    pieces = [one for one in chunk(parsed(CLASS, SHOP, BUY, SELL)) if one.symbol_name == "Shop"]
    assert [one.docstring for one in pieces] == ["Sells.", "", ""]


def test_a_header_says_where_the_code_is_and_what_it_is_inside() -> None:
    chunks = chunk(parsed(CLASS, SHOP, BUY, SELL))
    assert chunks[0].header == "src/shop.py"
    assert chunks[1].header == "src/shop.py\nclass Shop"
    assert chunks[2].header == "src/shop.py\nmethod Shop.buy"
    assert chunks[3].header == "src/shop.py\nclass Shop\nclass Shop(Base)"
    assert chunks[2].text == "src/shop.py\nmethod Shop.buy\n    def buy(self):\n        pay()"


def test_imports_that_the_code_mentions_are_in_the_header_when_they_say_more() -> None:
    references = tuple(Reference("import", name, 1) for name in ("pathlib.Path", "os", "./lib/money.js", "numpy.array"))
    document = parsed("\ndef f():\n    return Path(os.x, money, arrays)", Definition("f", "f", "function", 2, 3), references=references)
    one = chunk(document)[0]
    assert one.imports == ("pathlib.Path", "os", "./lib/money.js")
    assert one.header.endswith("\nimports pathlib.Path ./lib/money.js")


def test_calls_are_unique_in_order_and_bounded() -> None:
    references = tuple(Reference("call", f"f{number % 100}", 1) for number in range(300))
    one = chunk(parsed("pass", Definition("f", "f", "function", 1, 1), references=references))[0]
    assert one.calls == tuple(dict.fromkeys(reference.name for reference in sorted(references, key=lambda r: r.name)))[:64]


def test_ids_follow_the_path_the_name_and_the_first_line() -> None:
    chunks = chunk(parsed(CLASS, SHOP, BUY, SELL))
    assert [one.id for one in chunks] == chunk_ids("src/shop.py", [(one.symbol_name, one.line_start) for one in chunks])


def test_a_nested_function_is_not_repeated_in_the_one_around_it() -> None:
    text = "def outer():\n    a = 1\n    def inner():\n        return a\n    return inner"
    document = parsed(text, Definition("outer", "outer", "function", 1, 5), Definition("inner", "outer.inner", "function", 3, 4, "outer"))
    assert spans(chunk(document)) == [("outer", 1, 2), ("outer.inner", 3, 4), ("outer", 5, 5)]


@pytest.mark.parametrize("closing", ["}", "});", "  end", "fi", "done;", ")", "END", "GO", "} // ---"])
def test_a_line_that_only_closes_something_goes_with_the_chunk_before(closing: str) -> None:
    text = f"class A {{\n  x() {{\n    y()\n  }}\n\n{closing}\n\nz()"
    document = parsed(text, Definition("A", "A", "class", 1, 6), Definition("x", "A.x", "method", 2, 4, "A"))
    assert spans(chunk(document)) == [("A", 1, 1), ("A.x", 2, 6), ("src/shop.py:8-8", 8, 8)]


@pytest.mark.parametrize("line", ["endpoint()", "x}", "# endless", "done = 1"])
def test_a_line_that_says_something_stays_apart(line: str) -> None:
    document = parsed(f"def f():\n  pass\n{line}", Definition("f", "f", "function", 1, 2))
    assert len(chunk(document)) == 2


def test_closing_lines_at_the_top_go_with_the_chunk_after() -> None:
    document = parsed("}\n\ndef f(): pass", Definition("f", "f", "function", 3, 3))
    assert spans(chunk(document)) == [("f", 1, 3)]


def test_a_document_of_nothing_but_brackets_is_one_block() -> None:
    assert spans(chunk(parsed("{\n\n}"))) == [("src/shop.py:1-3", 1, 3)]


@pytest.mark.parametrize("text", ["", "\n\n", "  \n\t\n\f"])
def test_a_blank_document_has_no_chunks(text: str) -> None:
    assert chunk(parsed(text)) == []
    assert chunk(plain(text)) == []


def test_definitions_on_one_line_each_show_it() -> None:
    document = parsed("a, b = 1, 2", Definition("a", "a", "constant", 1, 1), Definition("b", "b", "constant", 1, 1))
    chunks = chunk(document)
    assert spans(chunks) == [("a", 1, 1), ("b", 1, 1)]
    assert len({one.id for one in chunks}) == 2


def test_a_class_on_the_line_of_its_only_member_is_still_found() -> None:
    document = parsed("class A { f() {} }", Definition("A", "A", "class", 1, 1), Definition("f", "A.f", "method", 1, 1, "A"))
    assert spans(chunk(document)) == [("A", 1, 1), ("A.f", 1, 1)]


def test_many_definitions_on_one_giant_line_each_show_their_part_of_it() -> None:
    names = [f"fn{number}" for number in range(300)]
    line = ";".join(f"function {name}(a,b){{return a+b*{number}}}" for number, name in enumerate(names))
    document = parsed(line, *(Definition(name, name, "function", 1, 1, signature=f"function {name}(a,b)") for name in names))
    chunks = chunk(document)
    named = {one.symbol_name: one.code for one in chunks if one.symbol_type == "function"}
    assert all(named[name].startswith(f"function {name}(") for name in names)
    assert "".join(one.code for one in chunks if one.symbol_type == "block") == line


# -- long units --


def long_function(statements: int, per_statement: int = 4) -> Document:
    """A function of `if` statements of equal size."""
    lines = ["def long(order, basket):"]
    cuts = []
    for number in range(statements):
        cuts.append((len(lines) + 1, 1))
        lines.append(f"    if basket.has({number}):")
        for line in range(per_statement - 1):
            cuts.append((len(lines) + 1, 2))
            lines.append(f"        order.add(basket.take({number}), amount={line})")
    text = "\n".join(lines)
    definition = Definition("long", "Shop.long", "method", 1, len(lines), "Shop", "def long(order, basket)", "", 2)
    return parsed(text, definition, cuts=tuple(cuts))


def test_a_long_function_is_cut_where_its_outermost_statements_begin() -> None:
    chunks = chunk(long_function(60))
    assert len(chunks) > 3
    assert all((one.line_start - 2) % 4 == 0 for one in chunks[1:])
    assert {one.symbol_name for one in chunks} == {"Shop.long"}


def test_pieces_are_balanced() -> None:
    sizes = [one.line_end - one.line_start for one in chunk(long_function(60))]
    assert max(sizes) <= 2 * min(sizes)


def test_each_later_piece_has_the_signature_in_its_header() -> None:
    first, *later = chunk(long_function(60))
    assert "def long" not in first.header
    assert all(one.header == "src/shop.py\nmethod Shop.long\ndef long(order, basket)" for one in later)


def test_a_piece_deep_inside_has_the_signatures_of_all_that_is_around_it() -> None:
    document = long_function(60)
    (method,) = document.outline.definitions
    shop = Definition("Shop", "Shop", "class", 1, len(document.lines), "", "class Shop(Base)")
    nested = replace(document, outline=replace(document.outline, definitions=(shop, method)))
    assert chunk(nested)[-1].header == "src/shop.py\nmethod Shop.long\nclass Shop(Base)\ndef long(order, basket)"


def test_inner_statements_are_cut_only_where_the_outer_ones_do_not_do() -> None:
    document = long_function(1, 120)
    chunks = chunk(document)
    assert len(chunks) > 1
    assert all(count_tokens(one.text) <= 512 for one in chunks)


def test_without_statements_blank_lines_are_cut_first() -> None:
    paragraph = "\n".join(f"    some words of paragraph {number}" for number in range(12))
    text = "def f():\n" + "\n\n".join([paragraph] * 12)
    chunks = chunk(parsed(text, Definition("f", "f", "function", 1, text.count("\n") + 1)))
    assert len(chunks) > 2
    assert all(text.split("\n")[one.line_start - 2] == "" for one in chunks[1:])


def test_a_giant_literal_is_cut_and_nothing_is_lost() -> None:
    rows = [f'    "rate_code_{number}": {{"fee": {number}, "label": "tier {number} of the tariff table"}},' for number in range(4000)]
    text = "\n".join(["TARIFFS = {", *rows, "}"])
    chunks = chunk(parsed(text, Definition("TARIFFS", "TARIFFS", "constant", 1, 4002)))
    assert "\n".join(one.code for one in chunks) == text
    assert all(one.line_end - one.line_start < 40 for one in chunks)


def test_one_giant_line_is_cut_by_size_at_word_borders() -> None:
    line = "data = [" + ", ".join(f"value{number}" for number in range(3000)) + "]"
    chunks = chunk(parsed(f"{line}\n\nafter()", Definition("data", "data", "constant", 1, 1)))
    parts = [one for one in chunks if one.symbol_name == "data"]
    assert "".join(one.code for one in parts) == line
    assert {(one.line_start, one.line_end) for one in parts} == {(1, 1)}
    assert len({one.id for one in parts}) == len(parts) > 10
    assert all(not (one.code[-1].isalnum() and after.code[0].isalnum()) for one, after in pairwise(parts))


def test_a_long_line_in_a_small_file_costs_its_neighbours_nothing() -> None:
    text = f'"""Badges."""\nLOGO = "{"QUJD" * 380}"\n\n\ndef render(label):\n    return label'
    document = parsed(text, Definition("LOGO", "LOGO", "constant", 2, 2), Definition("render", "render", "function", 5, 6))
    chunks = chunk(document)
    assert spans(chunks)[0] == ("src/shop.py:1-1", 1, 1)
    assert spans(chunks)[-1] == ("render", 5, 6)


def test_a_name_is_kept_where_the_budget_is_tiny() -> None:
    for tokens in (4, 10, 20, 40):
        chunks = chunk(parsed(CLASS, SHOP, BUY, SELL), Budget(tokens))
        assert {"Shop", "Shop.buy", "Shop.sell"} <= {one.symbol_name for one in chunks}
        assert all(count_tokens(one.text) <= tokens or len(one.code) == 1 for one in chunks)


def test_a_long_signature_or_path_does_not_crowd_out_the_code() -> None:
    definition = Definition("f", "f", "function", 1, 1, signature="def f(" + ", ".join(f"argument{number}" for number in range(400)) + ")")
    document = Document("very/" * 300 + "deep.py", "python", ("pass",), Outline((definition,), parsed=True))
    one = chunk(document)[0]
    assert one.header.split("\n")[0].endswith("very/deep.py")
    assert count_tokens(one.header) <= 128
    assert one.code == "pass"


def test_control_characters_of_a_path_stay_out_of_the_header() -> None:
    one = chunk(Document("odd\nname\x1b[31m\u2028.py", "python", ("pass",), Outline(parsed=True)))[0]
    assert "\x1b" not in one.header
    assert one.header.count("\n") == 0
    assert one.filepath == "odd\nname\x1b[31m\u2028.py"


def test_of_row_data_the_first_pieces_and_the_last_are_kept_and_the_rest_is_counted() -> None:
    rows = [f"INSERT INTO seed VALUES ({number}, 'name {number}');" for number in range(20_000)]
    text = "\n".join(["CREATE TABLE seed (id INT);", *rows, "CREATE TABLE tail (id INT);"])
    definitions = (
        Definition("seed", "seed", "table", 1, 1),
        Definition("seed", "seed", "data", 2, 20_001),
        Definition("tail", "tail", "table", 20_002, 20_002),
    )
    document = parsed(text, *definitions)
    chunks = chunk(document)
    assert len(chunks) == 34
    assert [one.line_end for one in chunks[-2:]] == [20_001, 20_002]
    assert chunks[1].line_start == 2
    assert left_out(document, chunks) == 20_002 - sum(one.line_end - one.line_start + 1 for one in chunks) > 0
    assert left_out(document, chunk(document, Budget(data_pieces=100_000))) == 0
    assert left_out(plain("x"), []) == 0


# -- text without a grammar --


def test_text_is_cut_into_blocks_of_about_fifty_lines_at_blank_lines() -> None:
    text = "\n".join("" if number % 10 == 9 else "a word" for number in range(300))
    chunks = chunk(plain(text))
    assert all(25 <= one.line_end - one.line_start + 1 <= 50 for one in chunks)
    assert all(one.line_start % 10 == 1 for one in chunks)
    assert chunks[0].symbol_type == "block"
    assert chunks[0].symbol_name == f"notes.txt:1-{chunks[0].line_end}"


def test_without_blank_lines_indentation_is_cut() -> None:
    text = "\n".join("key:" if number % 7 == 0 else "  - item" for number in range(140))
    assert all((one.line_start - 1) % 7 == 0 for one in chunk(plain(text)))


def test_without_either_it_is_cut_hard_at_fifty() -> None:
    assert all(one.line_end - one.line_start + 1 <= 50 for one in chunk(plain("\n".join(["row"] * 1000))))


def test_dense_text_is_cut_within_the_token_budget_too() -> None:
    chunks = chunk(plain("\n".join(["f3a9c1 " * 12] * 90)))
    assert all(count_tokens(one.text) <= 512 for one in chunks)


def test_a_small_text_is_one_block() -> None:
    assert spans(chunk(plain("\nfirst\n\nlast\n\n"))) == [("notes.txt:2-4", 2, 4)]


def test_small_unnamed_neighbours_are_merged_and_named_ones_are_not() -> None:
    giant = "x9" * 900
    document = plain(f"one\n\ntwo\n{giant}\nthree\n\nfour")
    chunks = chunk(document)
    assert [(one.line_start, one.line_end) for one in chunks if "x9" not in one.code] == [(1, 3), (5, 7)]


# -- real sources --


@pytest.mark.parametrize("path", sorted(_LIBRARY.glob("[a-d]*.py"))[::3], ids=lambda path: path.name)
def test_real_python_falls_into_chunks_that_lose_and_repeat_nothing(path: Path) -> None:
    lines = tuple(path.read_text("utf-8").split("\n"))
    document = Document(path.name, "python", lines, outline(lines, "python"))
    chunks = chunk(document)
    shown = [number for one in chunks for number in range(one.line_start, one.line_end + 1) if lines[number - 1].strip()]
    assert sorted(shown) == [number for number, line in enumerate(lines, 1) if line.strip()]
    assert {definition.qualified_name for definition in document.outline.definitions} <= {one.symbol_name for one in chunks}
    assert all(count_tokens(one.text) <= 512 for one in chunks)


def test_markdown_is_cut_at_its_headings_and_long_sections_at_paragraphs() -> None:
    text = (
        "# Handbook\n\nIntro.\n\n## Retention\n\n"
        + "The operator may adjust the retention window.\n\n" * 200
        + "## Last\n\nquokka override\n"
    )
    lines = tuple(text.split("\n"))
    chunks = chunk(Document("docs/handbook.md", "markdown", lines, outline(lines, "markdown")))
    assert {one.symbol_type for one in chunks} == {"section"}
    assert all(count_tokens(one.text) <= 512 for one in chunks)
    last = chunks[-1]
    assert (last.line_start, last.line_end) == (407, 409)
