"""Do the documents say what the program does?"""

from __future__ import annotations

import importlib.util
import re
import shutil
import sqlite3
import textwrap
from pathlib import Path
from types import ModuleType

import click
import pytest

import clew
from clew.interfaces.cli.app import COMMANDS, app
from clew.settings import keys

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(str(page.relative_to(ROOT)) for folder in ("*.md", "docs/**/*.md", "bench/**/*.md") for page in ROOT.glob(folder))


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["cli.md", "mcp.md", "settings.md"])
def test_the_generated_pages_agree_with_the_program(page: str) -> None:
    assert (ROOT / "docs" / page).read_text("utf-8") == generator().pages()[page], "run: python docs/generate.py"


def every_command() -> list[tuple[str, click.Command]]:
    return list(generator().commands(app, click.Context(app)))


def test_every_command_and_option_is_in_the_reference() -> None:
    reference = (ROOT / "docs" / "cli.md").read_text("utf-8")
    assert {name for name, _ in every_command()} >= set(COMMANDS)
    for name, command in every_command():
        assert f"## clew {name}\n" in reference
        for parameter in command.params:
            assert isinstance(parameter, click.Argument) or f"`{parameter.opts[0]}" in reference


def test_every_command_has_a_first_sentence_and_every_option_a_meaning() -> None:
    for _, command in every_command():
        assert command.help
        assert all(parameter.help for parameter in command.params if isinstance(parameter, click.Option))


def test_every_setting_is_in_the_settings_page() -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert all(f"| `{key.name}` | `{key.variable}` |" in page for key in keys())


def test_every_public_name_is_in_the_guide() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text("utf-8")
    assert [name for name in clew.__all__ if f"`{name}`" not in guide] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_between_the_documents_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    targets = [target for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text) if not target.startswith("http")]
    assert [target for target in targets if not ((ROOT / page).parent / target).exists()] == []


def test_the_question_of_the_readme_is_answered(tmp_path: Path) -> None:
    question = re.search(r'pip install \. && clew search "([^"]+)"', (ROOT / "README.md").read_text("utf-8"))
    assert question is not None
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    with clew.open_engine(tmp_path) as engine:
        answer = engine.search(clew.Question(question[1]))
    assert answer.results[0].chunk.filepath == "src/clew/stores/embedded/lock.py"


def test_the_architecture_page_names_every_folder() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    folders = [path.name for path in (ROOT / "src" / "clew").iterdir() if path.is_dir() and (path / "__init__.py").exists()]
    assert [folder for folder in folders if f"{folder}/" not in page] == []


def test_the_python_of_the_page_on_databases_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs" / "databases.md").read_text("utf-8")
    code = textwrap.dedent(re.search(r"\n(    from clew import open_databases\n(?:    .*\n|\n)+)", page)[1])  # type: ignore[index]
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    with sqlite3.connect("app.db") as made:
        made.executescript(
            "CREATE TABLE customers (id INTEGER PRIMARY KEY, name text);"
            "CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id int REFERENCES customers, total numeric, paid date);"
        )
    made.close()
    exec(compile(code.replace('"path/to/project"', '"."'), "databases.md", "exec"), {})
    said = capsys.readouterr().out
    assert "shop new () None" in said
    assert "orders.customer_id = customers.id" in said
    assert "('orders.total',)" in said
