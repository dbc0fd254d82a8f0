"""Are all of a project's files of metrics and terms taken together, as its settings name them?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clew.adapters.meanings import read_meanings
from clew.settings import load_settings

if TYPE_CHECKING:
    from pathlib import Path


def test_files_and_the_projects_own_terms_are_taken_together_and_what_is_missing_is_said(tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text(
        'metrics = ["m.yml", "absent"]\nglossary = ["words"]\n\n[[terms]]\nterm = "ARR"\ncolumns = ["subscriptions.amount"]\n'
    )
    (tmp_path / "m.yml").write_text("metrics: {revenue: {expression: sum(orders.paid)}}\n")
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "a.yml").write_text("terms: {churn: customers.churned}\n")
    warnings: list[str] = []
    found = read_meanings(tmp_path, load_settings(tmp_path), warnings.append)
    assert [one.name for one in found.metrics] == ["revenue"]
    assert [one.term for one in found.glossary] == ["ARR", "churn"]
    assert len(warnings) == 1 and "absent" in warnings[0]


def test_a_project_without_such_files_has_none(tmp_path: Path) -> None:
    found = read_meanings(tmp_path, load_settings(tmp_path))
    assert (found.metrics, found.glossary) == ((), ())
