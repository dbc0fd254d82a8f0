"""Is a glossary read from YAML and from clew.toml's tables, and is what is wrong said by name?"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from clew.adapters.meanings import read_glossary, terms_of
from clew.core.schema.meaning import Term

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
terms:
  churned customer:
    synonyms: [lost customer, leaver]
    table: customers
    condition: cancelled_at is not null
  ARR: subscriptions.annual_amount
  Alameda: {column: schools.county, value: Alameda}
  FTE: Full-time equivalent.
"""


def test_a_term_stands_for_tables_columns_values_and_conditions(tmp_path: Path) -> None:
    (tmp_path / "glossary.yml").write_text(TEXT)
    assert read_glossary(tmp_path / "glossary.yml") == (
        Term(term="churned customer", synonyms=("lost customer", "leaver"), table="customers", condition="cancelled_at is not null"),
        Term(term="ARR", columns=("subscriptions.annual_amount",)),
        Term(term="Alameda", columns=("schools.county",), value="Alameda"),
        Term(term="FTE", description="Full-time equivalent."),
    )


def test_a_list_of_terms_and_several_files_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("glossary:\n  - {term: one, table: a}\n  - {name: two, table: b, datasource: shop}\n")
    (tmp_path / "b.yaml").write_text("terms: {three: c.d}\n")
    (tmp_path / "c.txt").write_text("terms: {four: c.d}\n")
    assert [(one.term, one.datasource) for one in read_glossary(tmp_path)] == [("one", ""), ("two", "shop"), ("three", "")]


def test_terms_of_a_toml_file_are_the_same(tmp_path: Path) -> None:
    section = tomllib.loads('[[terms]]\nterm = "ARR"\ncolumns = ["subscriptions.amount"]\n')["terms"]
    assert terms_of(section, "clew.toml") == (Term(term="ARR", columns=("subscriptions.amount",)),)


def test_what_is_wrong_is_a_warning_that_names_it(tmp_path: Path) -> None:
    warnings: list[str] = []
    section = {"empty": {}, "typo": {"tabel": "x", "value": 7}, "list": ["x"]}
    assert terms_of(section, "g.yml", warnings.append) == (Term(term="typo", value="7"),)
    assert warnings == [
        "g.yml: term 'empty': it stands for nothing, and is left out",
        "g.yml: term 'typo': the key 'tabel' means nothing here; did you mean table?",
        "g.yml: term 'list': it stands for nothing, and is left out",
    ]
    assert terms_of("text", "g.yml", warnings.append) == () == terms_of(None, "g.yml", warnings.append)
    assert warnings[-1] == "g.yml: terms are a list, or a mapping by name"
