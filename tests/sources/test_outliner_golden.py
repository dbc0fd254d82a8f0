"""What does the outline of each language look like? Samples beside the outlines that they must give.

Every folder under tests/golden/ is a language and holds samples of our own writing, and `expected.txt` with a line a definition.
After a wanted change, write the files anew and read their difference before committing it:

    python tests/sources/test_outliner_golden.py --update-golden
"""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from clew.sources.language_grammars import ENTRIES, grammar, grammar_problem
from clew.sources.languages import language_of
from clew.sources.notebook import notebook_lines
from clew.sources.outliner import outline

GOLDEN = Path(__file__).parent.parent / "golden"
PROJECT = Path(__file__).parent.parent.parent / "pyproject.toml"
LANGUAGES = sorted(folder.name for folder in GOLDEN.iterdir() if folder.is_dir())


def outlined(sample: Path, language: str) -> str:
    text = sample.read_text(encoding="utf-8")
    lines = notebook_lines(text)[0] if language == "notebook" else text.removesuffix("\n").split("\n")
    found = outline(lines, language)
    shown = [f"# {sample.name}: parsed {found.parsed}, errors {found.errors}"]
    for d in found.definitions:
        docs = d.docstring.replace("\n", " / ")
        shown.append(
            f"{d.line_start}-{d.line_end} body {d.body_start} | {d.kind} {d.qualified_name} | {d.signature}"
            + (f" | {docs}" if docs else "")
        )
    shown += [f"{kind}s: {', '.join(names)}" for kind in ("import", "base", "call") if (names := _names(found.references, kind))]
    return "\n".join(shown) + "\n"


def _names(references, kind):
    return list(dict.fromkeys(f"{r.name}" for r in references if r.kind == kind))


def expected(folder: Path) -> str:
    return "".join(outlined(sample, folder.name) for sample in sorted(folder.iterdir()) if sample.name != "expected.txt")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_outline_of_a_sample_is_the_one_on_record(language):
    assert expected(GOLDEN / language) == (GOLDEN / language / "expected.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sample_is_recognised_by_its_name(language):
    for sample in (GOLDEN / language).iterdir():
        if sample.name != "expected.txt":
            assert language_of(sample.name, sample.read_text(encoding="utf-8")) == language


def test_every_language_entry_has_a_golden_file():
    entries = {path.stem for path in ENTRIES.glob("*.toml") if "wheel" in tomllib.loads(path.read_text(encoding="utf-8"))} | {
        path.stem for path in ENTRIES.glob("*.toml") if "extends" in tomllib.loads(path.read_text(encoding="utf-8"))
    }
    assert {*entries, "notebook"} == set(LANGUAGES)


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "notebook"])
def test_every_grammar_loads_and_has_no_problem(language):
    assert grammar_problem(language) == ""
    assert grammar(language) is not None


def test_every_declared_grammar_wheel_is_used_and_loadable():
    declared = {
        requirement.split(">")[0].replace("-", "_")
        for requirement in tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
        if requirement.startswith("tree-sitter-")
    }
    used = {entry["wheel"] for path in ENTRIES.glob("*.toml") if "wheel" in (entry := tomllib.loads(path.read_text(encoding="utf-8")))}
    assert declared == used
    for wheel in declared:
        assert import_module(wheel)


if __name__ == "__main__" and "--update-golden" in sys.argv:
    for name in LANGUAGES:
        (GOLDEN / name / "expected.txt").write_text(expected(GOLDEN / name), encoding="utf-8")
