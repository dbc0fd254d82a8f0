"""Which definitions are named beside a result: those that a name leaves no doubt about, and that no result shows already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from clew.assembly import open_engine
from clew.core.answer import Answer, Question


def asked(root: Path, files: Mapping[str, str], text: str, **options: int) -> Answer:
    """The answer of an engine about a project with these files."""
    for name, code in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(code, encoding="utf-8")
    with open_engine(root) as engine:
        return engine.search(replace(Question(text, mode="fast", limit=1, max_tokens=600), **options))


def beside(answer: Answer, relation: str) -> list[tuple[str, str]]:
    return [(one.filepath, one.symbol_name) for one in answer.neighbours if one.relation == relation]


SENDS = "from net import deliver\n\n\ndef send_invoice(order):\n    return deliver(order)\n"
TWO: Sequence[str] = ("def deliver(x):\n    return x\n", "def deliver(y):\n    return y\n")


def test_the_only_definition_of_a_name_is_what_a_call_means(tmp_path: Path) -> None:
    answer = asked(tmp_path, {"bill.py": SENDS, "net.py": TWO[0]}, "send invoice")
    assert beside(answer, "callee") == [("net.py", "deliver")]
    assert answer.neighbours[0].signature == "def deliver(x)"


def test_of_several_the_imported_one_is_meant_and_without_an_import_none(tmp_path: Path) -> None:
    files = {"bill.py": SENDS, "net.py": TWO[0], "post.py": TWO[1]}
    assert beside(asked(tmp_path / "a", files, "send invoice"), "callee") == [("net.py", "deliver")]
    files["bill.py"] = SENDS.replace("from net import deliver\n", "")
    assert beside(asked(tmp_path / "b", files, "send invoice"), "callee") == []


def test_a_method_of_the_same_type_is_meant_before_any_other(tmp_path: Path) -> None:
    code = "class Cart:\n    def checkout_total(self):\n        return self.taxed()\n\n    def taxed(self):\n        return 1\n"
    answer = asked(tmp_path, {"cart.py": code, "other.py": "def taxed():\n    return 2\n"}, "checkout total")
    assert beside(answer, "callee") == [("cart.py", "Cart.taxed")]
    assert beside(answer, "around") == [("cart.py", "Cart")]


def test_names_that_libraries_have_too_are_not_claimed(tmp_path: Path) -> None:
    files = {
        "a.py": "def load_settings(raw):\n    return raw.get('x')\n",
        "b.py": "class Box:\n    def get(self, key):\n        return key\n",
    }
    assert beside(asked(tmp_path, files, "load settings"), "callee") == []
    files = {"a.py": "def get(key):\n    return key\n", "b.py": "def other(raw):\n    return raw.get('x')\n"}
    assert beside(asked(tmp_path / "c", files, "get", limit=1), "caller") == []


def test_a_definition_of_another_family_of_languages_is_never_meant(tmp_path: Path) -> None:
    answer = asked(tmp_path, {"bill.py": SENDS, "net.js": "export function deliver(x) {\n  return x\n}\n"}, "send invoice")
    assert beside(answer, "callee") == []


def test_what_a_result_shows_is_not_named_beside_it(tmp_path: Path) -> None:
    answer = asked(tmp_path, {"bill.py": SENDS, "net.py": TWO[0]}, "deliver", limit=5)
    assert {result.chunk.symbol_name for result in answer.results} >= {"send_invoice", "deliver"}
    assert answer.neighbours == ()


def test_without_a_budget_nothing_is_named_unless_asked_for(tmp_path: Path) -> None:
    files = {"bill.py": SENDS, "net.py": TWO[0]}
    assert asked(tmp_path, files, "send invoice", max_tokens=0).neighbours == ()
    assert beside(asked(tmp_path, files, "send invoice", max_tokens=0, around=True), "callee") == [("net.py", "deliver")]
