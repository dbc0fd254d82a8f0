"""Does the code keep to its map: layers, public names, and what a search may load?"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import clew

ROOT = Path(__file__).resolve().parent.parent
HEAVY = ("lancedb", "pyarrow", "pydantic", "rich", "asyncio", "multiprocessing", "http", "email", "importlib.metadata")
NEVER_IN_FAST = ("numpy", "tree_sitter")


def loaded_by(*arguments: str, folder: Path) -> set[str]:
    """The modules that a command loads, in a process of its own."""
    script = "import json, sys; from clew.interfaces.cli.main import main; main(sys.argv[1:]); print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.rstrip("\n").split("\n")[-1]))


def test_layers_point_one_way() -> None:
    lint = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_public_name_can_be_loaded_and_nothing_else_can() -> None:
    assert clew.__all__ == sorted(clew.__all__)
    for name in clew.__all__:
        assert getattr(clew, name).__module__.startswith("clew.")
    assert set(clew.__all__) <= set(dir(clew))
    with pytest.raises(AttributeError, match="no_such_name"):
        clew.no_such_name  # noqa: B018


def test_importing_clew_loads_nothing_of_it() -> None:
    script = "import sys; import clew; print([name for name in sys.modules if name.startswith('clew.')])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_search_loads_little(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("def one():\n    return 1\n")
    loaded_by("index", folder=tmp_path)
    fast = loaded_by("search", "--mode", "fast", "one", folder=tmp_path)
    hybrid = loaded_by("search", "--mode", "hybrid", "one", folder=tmp_path)
    assert fast.isdisjoint((*HEAVY, *NEVER_IN_FAST))
    assert not any(name.startswith("clew.graph") for name in fast | hybrid)
    assert hybrid.isdisjoint(HEAVY)


def test_help_loads_no_part_of_the_engine(tmp_path: Path) -> None:
    assert loaded_by("search", "--help", folder=tmp_path).isdisjoint((*HEAVY, *NEVER_IN_FAST, "sqlite3", "clew.engine"))


@pytest.mark.parametrize("path", sorted((ROOT / "src" / "clew").rglob("*.py")), ids=lambda path: path.relative_to(ROOT / "src").as_posix())
def test_every_file_says_in_its_first_line_what_it_answers_and_is_short(path: Path) -> None:
    lines = path.read_text("utf-8").split("\n")
    assert lines[0].startswith(('"""', 'r"""'))
    assert len(lines) <= 400


def mentions(*words: str) -> set[str]:
    """The modules whose text holds one of the words."""
    sources = {
        path.relative_to(ROOT / "src" / "clew").as_posix(): path.read_text("utf-8") for path in (ROOT / "src" / "clew").rglob("*.py")
    }
    return {name for name, text in sources.items() if any(word in text for word in words)}


def test_only_settings_reads_the_environment() -> None:
    passes_it_on = {"sources/git.py"}  # git gets the environment without the variables that would lead it to another repository
    sets_it = {"interfaces/cli/main.py"}  # the threads of numpy's BLAS are told before numpy is imported
    assert mentions("os.environ", "getenv") == {"settings.py"} | passes_it_on | sets_it


def test_only_the_interfaces_know_of_a_terminal() -> None:
    assert {name for name in mentions("sys.stdout", "sys.stderr", "isatty") if not name.startswith("interfaces/")} == set()


def test_nothing_but_git_and_the_doctor_starts_a_process() -> None:
    assert mentions("import subprocess", "os.system", "Popen") == {"sources/git.py", "interfaces/cli/doctor.py"}


def test_nothing_opens_a_socket_unasked() -> None:
    asked_to = {
        "stores/chroma/home.py",  # a server that the setting `store` names
        "adapters/signing_keys.py",  # keys of the provider that the user's own [serve.identity] names
        "adapters/hub.py",  # a model that `clew models get` was told to fetch
    }
    assert mentions("import socket", "import urllib", "import requests", "import httpx", "http.client") == asked_to
