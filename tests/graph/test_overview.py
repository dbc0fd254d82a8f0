"""Does a map name the files that a project turns on, in languages of every kind of import?"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clew.assembly import open_engine

PROJECTS = Path(__file__).parent / "projects"
CENTRAL = {
    "typescript": ("src/store/orders.ts", "OrderRepository"),
    "go": ("store/store.go", "NewMemory"),
    "java": ("src/main/java/shop/store/Order.java", "Order"),
    "rust": ("src/store/mod.rs", "Memory"),
    "csharp": ("Store/Order.cs", "WithTax"),
}


@pytest.mark.parametrize("language", sorted(CENTRAL))
def test_the_file_that_others_stand_on_is_among_the_first_with_its_main_definition(language: str, tmp_path: Path) -> None:
    shutil.copytree(PROJECTS / language, tmp_path / "shop", ignore=shutil.ignore_patterns("edges.txt"))
    with open_engine(tmp_path / "shop", {"mode": "fast"}) as engine:
        first = {one.filepath: one.symbols for one in engine.map().central[:3]}
    path, symbol = CENTRAL[language]
    assert symbol in first.get(path, ()), first


def test_tests_do_not_make_a_file_central(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "one.py").write_text("def one():\n    pass\n")
    (tmp_path / "two.py").write_text("import one\n\n\ndef two():\n    one.one()\n")
    for number in range(3):
        (tmp_path / "tests" / f"test_{number}.py").write_text("import two\n\ntwo.two()\n")
    with open_engine(tmp_path, {"mode": "fast"}) as engine:
        assert [(one.filepath, one.used_by, one.symbols) for one in engine.map().central] == [("one.py", 1, ("one",))]
