"""Does clew behave in scripts, pipes and odd places?"""

from __future__ import annotations

import json
from typing import Any

import pytest

Project = Any


@pytest.fixture
def real(project: Project) -> Project:
    """A repository, indexed, beside a link to it and a second project."""
    repository = project.at("real")
    repository.write("src/deep/i.py", "def identity_fn():\n    return 1\n")
    repository.git("init", "-q")
    (project.root / "link").symlink_to("real")
    project.at("second").write("s.py", "def second_project_fn():\n    return 1\n")
    repository.index()
    return repository


@pytest.mark.parametrize(
    "spelling", ["real", "real/", "./real/../real", "link", "link/src", "real/src/deep", "real/src/deep/i.py", "{absolute}/real"]
)
def test_every_spelling_of_a_project_reaches_one_index(
    project: Project, real: Project, command: Any, monkeypatch: Any, spelling: str
) -> None:
    monkeypatch.chdir(project.root)
    ran = command("search", "--json", "--path", spelling.format(absolute=project.root), "identity_fn")
    assert ran.code == 0, ran.err
    first = ran.answer["results"][0]
    assert (first["filepath"], first["absolute_path"]) == ("src/deep/i.py", str(real.root / "src/deep/i.py"))
    assert [path.parent for path in project.root.rglob(".clew")] == [real.root]


def test_two_projects_do_not_answer_for_each_other(project: Project, real: Project) -> None:
    second = project.at("second")
    second.index()
    assert second.paths("second_project_fn") == ["s.py"]
    assert "src/deep/i.py" not in second.paths("identity_fn")
    assert real.paths("identity_fn", "--mode", "fast") == ["src/deep/i.py"]
    assert "s.py" not in real.paths("second_project_fn")


def test_a_moved_project_answers_with_its_new_place(project: Project, real: Project) -> None:
    real.root.rename(project.root / "moved")
    moved = project.at("moved")
    found = moved.find("identity_fn", "src/deep/i.py")
    assert found["absolute_path"] == str(moved.root / "src/deep/i.py")


@pytest.fixture
def many(project: Project) -> Project:
    """A project with text outside ASCII and more results than a pipe's reader may want."""
    proj = project.at("proj")
    proj.write("src/c.py", 'def probe_of_ci():\n    """Grüße ✓"""\n    return 1\n')
    for i in range(200):
        proj.write(f"src/m{i}.py", f'def many_{i}():\n    return "probe for many"\n')
    proj.index()
    (project.root / "empty").mkdir()
    return proj


def test_exit_codes_tell_found_nothing_wrong_use_and_no_index_apart(project: Project, many: Project, command: Any) -> None:
    at = ("--path", str(many.root))
    assert command("search", *at, "probe_of_ci").code == 0
    nothing = command("search", "--json", *at, "--mode", "fast", "zzqqxxyy")
    assert (nothing.code, nothing.answer["results"]) == (1, [])
    wrong = command("search", *at, "--no-such-option", "x")
    assert (wrong.code, wrong.out) == (2, b"")
    assert "no-such-option" in wrong.err
    missing = command("status", str(project.root / "empty"))
    assert (missing.code, missing.out) == (3, b"")
    assert "clew index" in missing.err
    as_json = command("status", "--json", str(project.root / "empty"))
    assert (as_json.code, as_json.answer["error"]["code"]) == (3, "no_index")


@pytest.mark.parametrize(
    "arguments",
    [("search", "--json"), ("search", "--json", "--limit", "x", "q"), ("index", "--json", "/no/such/folder"), ("search", "--json", "")],
)
def test_json_is_json_even_where_the_command_is_wrong(command: Any, tmp_path: Any, monkeypatch: Any, arguments: tuple[str, ...]) -> None:
    monkeypatch.chdir(tmp_path)
    ran = command(*arguments)
    assert ran.code == 2
    assert set(ran.answer["error"]) == {"code", "message", "hint"}


def test_json_through_a_pipe_is_pure(many: Project, shell: Any) -> None:
    ran = shell("clew search --json probe_of_ci 2>/dev/null | python3 -m json.tool", many.root)
    assert ran.code == 0
    assert json.loads(ran.out)["results"][0]["filepath"] == "src/c.py"
    assert b"\x1b" not in ran.out


@pytest.mark.parametrize(
    "environment", [{"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, {"LC_ALL": "POSIX", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "cp1252"}]
)
@pytest.mark.parametrize("line", ["clew search probe_of_ci", "clew search --json probe_of_ci", "clew index", "clew status"])
def test_a_poor_locale_crashes_nothing(many: Project, shell: Any, environment: dict[str, str], line: str) -> None:
    ran = shell(line, many.root, **environment)
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    assert b"\x1b" not in ran.out


@pytest.mark.parametrize(
    "line",
    [
        "clew search --limit 100 'probe for many' | head -1",
        "clew search --json --limit 100 'probe for many' | head -c 1",
        "clew search 'probe for many' >&-",
    ],
)
def test_a_reader_who_leaves_gets_no_traceback(many: Project, shell: Any, line: str) -> None:
    ran = shell(line, many.root)
    assert ran.code == 0
    assert "Traceback" not in ran.err
    assert "BrokenPipe" not in ran.err


def test_eight_languages_are_parsed_with_an_empty_home_and_no_network(project: Project, shell: Any, tmp_path: Any) -> None:
    for path, text in {
        "a.py": "class Off:\n    def offline_py(self):\n        return 1\n",
        "a.ts": "export class Off { offlineTs(): number { return 1 } }\n",
        "a.cs": "namespace N { class Off { int OfflineCs() { return 1; } } }\n",
        "a.go": "package p\n\nfunc OfflineGo() int { return 1 }\n",
        "a.rs": "fn offline_rs() -> u8 { 1 }\n",
        "A.java": "class Off { int offlineJava() { return 1; } }\n",
        "a.c": "#include <stdio.h>\nint offline_c(void) { return 1; }\n",
        "a.rb": "def offline_rb\n  1\nend\n",
    }.items():
        project.write(path, text)
    (tmp_path / "empty_home").mkdir()
    nowhere = "http://127.0.0.1:9"
    alone = {"HOME": str(tmp_path / "empty_home"), "HTTP_PROXY": nowhere, "HTTPS_PROXY": nowhere, "ALL_PROXY": nowhere}
    ran = shell("clew index --json && clew status --json", project.root, **alone)
    assert ran.code == 0, ran.err
    report, status = (json.loads(line) for line in ran.out.decode().strip().split("\n"))
    assert report["warnings"] == status["warnings"] == []
    assert all(counts["files"] == counts["parsed"] for counts in status["languages"].values())
    assert len(status["languages"]) == 8
    for name, path in (
        ("offline_py", "a.py"),
        ("offlineTs", "a.ts"),
        ("OfflineCs", "a.cs"),
        ("OfflineGo", "a.go"),
        ("offline_rs", "a.rs"),
        ("offlineJava", "A.java"),
        ("offline_c", "a.c"),
        ("offline_rb", "a.rb"),
    ):
        found = project.find(name, path, top=1)
        assert found["symbol_name"].rpartition(".")[2] == name
        assert found["symbol_type"] in ("function", "method")
    assert [path for path in (tmp_path / "empty_home").rglob("*") if path.is_file()] == []
