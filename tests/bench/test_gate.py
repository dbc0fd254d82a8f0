"""Does the quality gate ask fair questions, and does it notice a fall?"""

from __future__ import annotations

import ast

from bench.gate import Asked, cut, judge, scores

SOURCE = '''"""Module words."""

class Basket:
    """Keep what a customer has chosen. More text."""

    def total(self):
        """Sum up what the customer has to pay.

        Taxes included.
        """
        return 1

    def short(self): "Too short."
'''


def test_docstrings_are_cut_and_every_other_line_stays_where_it_was() -> None:
    text, questions = cut(SOURCE, "shop.py")
    ast.parse(text)
    assert "customer" not in text
    assert [number for number, line in enumerate(text.split("\n"), 1) if "return 1" in line or "class" in line] == [3, 11]
    assert set(questions) == {
        Asked("Keep what a customer has chosen.", "shop.py", 3, 13),
        Asked("Sum up what the customer has to pay.", "shop.py", 6, 11),
    }


def test_scores_count_the_place_of_the_definition_and_of_the_file() -> None:
    asked = [Asked("q", "b.py", 10, 20)]
    results = [("a.py", 1, 2), ("b.py", 1, 9), ("b.py", 15, 30)]
    answer = {"results": [dict(zip(("filepath", "line_start", "line_end"), hit, strict=True)) for hit in results]}
    assert scores(asked, [answer]) == {"mrr": 0.3333, "ndcg": 0.6309}
    assert scores(asked, [{"results": []}]) == {"mrr": 0.0, "ndcg": 0.0}


def test_a_score_below_its_floor_is_named() -> None:
    floors = {"fast": {"mrr": 0.5, "ndcg": 0.5}}
    assert judge({"fast": {"mrr": 0.5, "ndcg": 0.6}}, floors) == []
    assert judge({"fast": {"mrr": 0.49, "ndcg": 0.6}}, floors) == ["fast mrr is 0.49, below its floor of 0.5"]
