"""Questions from documentation: which are asked, and that what they were made from is cut out of the code, line by line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.core.document import Document
from clew.evaluation.docstrings import cut, question_of, questions_of
from clew.sources.outliner import outline

PYTHON = '''class Basket:
    """Keep what a customer has chosen so far. More text."""

    def total(self):
        """Sum up what the customer has to pay.

        Taxes are included.
        """
        return 1  # Sum

    def short(self):
        """Too short."""
'''
GO = """package shop

// NewServer returns a server that listens on all of the ports.
// It never fails.
func NewServer() *Server {
	return &Server{}
}
"""
JAVA = """class Shop {
    /**
     * Sends the confirmation of an order to the customer.
     *
     * @return whether it was sent
     */
    boolean confirm() { return true; }
}
"""
RUST = """/// Parses the header of a request into its fields.
pub fn parse_header() {}
"""
CSHARP = """class Shop {
    /// <summary>
    /// Sends the confirmation of an order to the customer.
    /// </summary>
    bool Confirm() { return true; }
}
"""


def document(text: str, path: str, language: str) -> Document:
    lines = tuple(text.split("\n"))
    return replace(Document(path, language, lines), outline=outline(lines, language))


def cut_out(text: str, path: str, language: str) -> tuple[list[str], str]:
    read = document(text, path, language)
    found = questions_of(read)
    changed: dict[int, str] = {}
    for _, definition in found:
        changed |= cut(read.lines, definition) or {}
    return [asked.query for asked, _ in found], "\n".join(changed.get(n, line) for n, line in enumerate(read.lines))


@pytest.mark.parametrize(
    ("text", "path", "language", "query"),
    [
        (GO, "shop.go", "go", "returns a server that listens on all of the ports"),
        (JAVA, "Shop.java", "java", "Sends the confirmation of an order to the customer"),
        (RUST, "http.rs", "rust", "Parses the header of a request into its fields"),
        (CSHARP, "Shop.cs", "csharp", "Sends the confirmation of an order to the customer"),
    ],
)
def test_the_first_sentence_is_asked_without_the_name_and_cut_out_of_the_code(text: str, path: str, language: str, query: str) -> None:
    queries, left = cut_out(text, path, language)
    assert queries == [query]
    assert query not in left
    assert left.count("\n") == text.count("\n")
    assert {line for line in text.split("\n") if "{" in line} <= set(left.split("\n"))


def test_all_of_the_documentation_goes_and_no_other_line_changes() -> None:
    queries, left = cut_out(PYTHON, "shop.py", "python")
    assert queries == ["Keep what a customer has chosen so far", "Sum up what the customer has to pay"]
    assert "customer" not in left
    assert "Taxes" not in left
    assert "return 1  # Sum" in left
    assert '"""Too short."""' in left
    assert outline(tuple(left.split("\n")), "python").errors == 0


def test_tests_and_documents_ask_nothing() -> None:
    assert questions_of(document(PYTHON, "tests/test_shop.py", "python")) == []
    assert questions_of(document("# Title\n\nSome words that say what this is about.\n", "README.md", "markdown")) == []


def test_documentation_that_is_not_found_word_for_word_is_not_asked() -> None:
    read = document(PYTHON, "shop.py", "python")
    definition = replace(read.outline.definitions[0], docstring="Words that stand nowhere in these lines at all.")
    assert question_of(definition)
    assert cut(read.lines, definition) is None


def test_a_sentence_that_was_cut_short_is_not_asked() -> None:
    definition = document(PYTHON, "shop.py", "python").outline.definitions[0]
    assert question_of(replace(definition, docstring="What this does is explained in so many words that…")) == ""
