"""Does each field of a chunk count its own words, empty fields and doubled blanks beside it?"""

from __future__ import annotations

from clew.core.words import Words
from clew.stores.bm25 import WEIGHTS
from clew.stores.embedded.postings import Gathering

NAME, BODY = WEIGHTS[0], WEIGHTS[3]


def test_each_term_counts_by_the_weight_of_the_field_that_it_stands_in() -> None:
    gathering = Gathering()
    gathering.add([(7, Words("load", "", "", "load  file  load", "", "")), (9, Words("", "", "", " \u00e9t\u00e9 file", "", ""))])
    (part,) = gathering.parts()

    assert part.numbers.tolist() == [7, 9]
    assert {term: [column.tolist() for column in part.postings.of(term)] for term in ("load", "file", "\u00e9t\u00e9", "none")} == {
        "load": [[0], [NAME + 2 * BODY]],
        "file": [[0, 1], [BODY, BODY]],
        "\u00e9t\u00e9": [[1], [BODY]],
        "none": [[], []],
    }
    assert part.postings.lengths.tolist() == [4, 2]
    assert gathering.gathered == {7, 9}
