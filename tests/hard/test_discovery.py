"""Is exactly what git shows indexed, whatever names, rules and repositories there are?"""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

Project = Any


def def_(name: str) -> str:
    return f"def {name}():\n    return 1\n"


def indexed(project: Project, *names: str) -> set[str]:
    """Those of the names whose definition a search finds."""
    return {name for name in names if any(name in result["code_snippet"] for result in project.search(name, "--mode", "fast"))}


# -- ignore rules --


def test_negated_rules_are_gits(repository: Project) -> None:
    repository.write(".gitignore", "plugins/*\n!plugins/own\n*.log\n!kept.log\nout/\n!out/keep/kept.py\n")
    for path, name in (
        ("plugins/foreign/f.py", "foreign_plugin_fn"),
        ("plugins/own/o.py", "own_plugin_fn"),
        ("theme/t.py", "theme_fn"),
        ("out/keep/kept.py", "below_excluded_fn"),
    ):
        repository.write(path, def_(name))
    repository.index()
    assert indexed(repository, "foreign_plugin_fn", "own_plugin_fn", "theme_fn", "below_excluded_fn") == {"own_plugin_fn", "theme_fn"}


def test_anchored_nested_and_escaped_rules_are_gits(repository: Project) -> None:
    repository.write(".gitignore", "/Store/\n**/made/\n*.tmp.py\n\\#draft.py\nblank.py   \n/top_only.py\n")
    repository.write("pkg/.gitignore", "out/\n!special.tmp.py\n")
    kept = {
        "src/Store/s.py": "kept_store",
        "other/out/o.py": "kept_out",
        "pkg/special.tmp.py": "kept_special",
        "src/top_only.py": "kept_below",
    }
    lost = {
        "Store/x/s.py": "lost_store",
        "src/made/b/g.py": "lost_made",
        "pkg/deep/out/o.py": "lost_out",
        "src/x.tmp.py": "lost_tmp",
        "#draft.py": "lost_draft",
        "blank.py": "lost_blank",
        "top_only.py": "lost_top",
    }
    for path, name in {**kept, **lost}.items():
        repository.write(path, def_(name))
    repository.index()
    assert indexed(repository, *kept.values(), *lost.values()) == set(kept.values())


def test_tracked_beats_ignored(repository: Project) -> None:
    repository.write(".gitignore", "conf/*.py\nNOTES.md\n")
    repository.write("conf/forced.py", def_("tracked_though_ignored"))
    repository.write("conf/other.py", def_("ignored_and_untracked"))
    repository.write("NOTES.md", "# Notes\n\nUse the gazelle release script.\n")
    repository.git("add", "-f", "conf/forced.py", "NOTES.md")
    repository.index()
    assert indexed(repository, "tracked_though_ignored", "ignored_and_untracked") == {"tracked_though_ignored"}
    repository.find("gazelle release script", "NOTES.md")


def test_a_hidden_root_and_dot_folders_are_indexed_and_caches_are_not(tmp_path: Any, project: Project) -> None:
    hidden = project.at(".tools/proj")
    hidden.write(".gitignore", ".venv/\n.mypy_cache/\n")
    hidden.git("init", "-q")
    hidden.write(".github/workflows/ci.yml", "name: release\non: push\njobs:\n  publish-newt:\n    runs-on: ubuntu-latest\n")
    hidden.write("src/m.py", def_("hidden_root_fn"))
    hidden.write(".venv/lib/v.py", def_("environment_fn"))
    hidden.write(".mypy_cache/c.py", def_("cache_fn"))
    for _ in range(2):
        hidden.index()
        assert indexed(hidden, "hidden_root_fn", "environment_fn", "cache_fn") == {"hidden_root_fn"}
        hidden.find("publish-newt", ".github/workflows/ci.yml")


# -- repositories in repositories --


def test_submodules_are_indexed_followed_and_a_missing_one_is_named(project: Project) -> None:
    library, parent = project.at("library"), project.at("parent")
    for repository in (library, parent):
        repository.root.mkdir()
        repository.git("init", "-q")
    library.write("helper.py", def_("helper_of_submodule"))
    library.git("add", ".")
    library.git("commit", "-qm", "library")
    parent.write("main.py", def_("main_of_parent"))
    parent.git("submodule", "--quiet", "add", "../library", "vendor/lib")
    parent.git("submodule", "--quiet", "add", "../library", "vendor/missing")
    parent.git("add", ".")
    parent.git("commit", "-qm", "parent")
    parent.git("submodule", "--quiet", "deinit", "-f", "vendor/missing")
    report = parent.index()
    assert [(skip["filepath"], "not checked out" in skip["reason"]) for skip in report["skipped"]] == [("vendor/missing/", True)]
    parent.find("main_of_parent", "main.py")
    parent.find("helper_of_submodule", "vendor/lib/helper.py")
    parent.write("vendor/lib/helper.py", def_("changed_in_submodule"))
    parent.index()
    parent.find("changed_in_submodule", "vendor/lib/helper.py")


def test_worktrees_answer_from_their_own_files(project: Project) -> None:
    main, tree = project.at("main"), project.at("tree")
    main.root.mkdir()
    main.git("init", "-q")
    main.write("a.py", 'def in_both():\n    return "text of main"\n')
    main.write("m.py", def_("only_in_main"))
    main.git("add", ".")
    main.git("commit", "-qm", "one")
    main.git("worktree", "add", "-q", "../tree", "-b", "feature")
    tree.write("a.py", 'def in_both():\n    return "text of tree"\n')
    tree.git("rm", "-q", "m.py")
    tree.write("w.py", def_("only_in_tree"))
    main.index()
    tree.index()
    for _ in range(2):
        assert indexed(main, "only_in_main", "only_in_tree") == {"only_in_main"}
        assert indexed(tree, "only_in_main", "only_in_tree") == {"only_in_tree"}
        assert "text of main" in main.find("in_both", "a.py")["code_snippet"]
        assert "text of tree" in tree.find("in_both", "a.py")["code_snippet"]
        tree.index("--rebuild")


def test_repositories_below_a_plain_folder_keep_their_rules(project: Project) -> None:
    for name in ("first", "second"):
        repository = project.at(name)
        repository.write(".gitignore", "node_modules/\nout/\n")
        repository.git("init", "-q")
        repository.write("f.py", def_(f"feature_of_{name}"))
        repository.write("out/o.py", def_(f"ignored_of_{name}"))
        repository.write("node_modules/dep/i.js", f"function dependency_of_{name}() {{}}\n")
    project.index()
    project.find("feature_of_first", "first/f.py")
    project.find("feature_of_second", "second/f.py")
    names = [f"{kind}_of_{name}" for kind in ("ignored", "dependency") for name in ("first", "second")]
    assert indexed(project, *names) == set()
    assert not any(".git/" in path for path in project.paths("repositoryformatversion"))


# -- names --


def test_quotes_in_names_neither_break_nor_widen_anything(tmp_path: Any, project: Project) -> None:
    quoted = project.at("o'brien's \"work\"")
    files = {
        "it's here/don't.py": "apostrophe_fn",
        "x' OR 1=1 --.py": "injection_fn",
        "foo\\'.py": "backslash_fn",
        'say "hi".py': "double_quote_fn",
        "innocent.py": "innocent_fn",
    }
    for path, name in files.items():
        quoted.write(path, def_(name))
    quoted.index()
    assert indexed(quoted, *files.values()) == set(files.values())
    for path, name in files.items():
        assert quoted.paths(name, "--in", path) == [path]
    assert quoted.paths("fn", "--in", "it's here/") == ["it's here/don't.py"]
    (quoted.root / "x' OR 1=1 --.py").unlink()
    (quoted.root / "it's here/don't.py").unlink()
    report = quoted.index()
    assert report["files"]["deleted"] == 2
    assert indexed(quoted, *files.values()) == {"backslash_fn", "double_quote_fn", "innocent_fn"}


def test_odd_names_are_found_filtered_exactly_and_shown_as_valid_json(project: Project, command: Any) -> None:
    files = {
        "a_b/m.py": "underscore_fn",
        "axb/m.py": "letter_fn",
        "50%/m.py": "percent_fn",
        "50x/m.py": "fifty_fn",
        "with space/deep dir/my file.py": "space_fn",
        "-rf.py": "dash_fn",
        "line\nbreak.py": "newline_fn",
        "esc\x1b[31m.py": "escape_fn",
    }
    for path, name in files.items():
        project.write(path, def_(name))
    project.write("app/[id]/page.tsx", "export function bracketFn() { return 1 }\n")
    project.write(os.fsdecode(b"caf\xe9.py"), def_("undecodable_fn"))
    project.index()
    for path, name in files.items():
        project.find(name, path)
    assert project.paths("fn", "--in", "a_b/") == ["a_b/m.py"]
    assert project.paths("fn", "--in", "50%/") == ["50%/m.py"]
    assert project.paths("fn", "--in", "app/[id]/") == ["app/[id]/page.tsx"]
    project.find("bracketFn", "app/[id]/page.tsx", top=1)
    shown = project.find("undecodable_fn", project.paths("undecodable_fn")[0])
    json.dumps(shown).encode()
    assert shown["filepath"].startswith("caf")
    plain = command("search", "--path", str(project.root), "escape_fn")
    assert b"\x1b" not in plain.out


def test_names_that_differ_in_case_are_two_files_and_a_case_rename_leaves_one(project: Project) -> None:
    project.write("Config.py", def_("upper_fn"))
    project.write("config.py", def_("lower_fn"))
    project.write("tool.py", def_("tool_fn"))
    project.index()
    assert project.find("upper_fn", "Config.py")["symbol_name"] == "upper_fn"
    assert project.find("lower_fn", "config.py")["symbol_name"] == "lower_fn"
    (project.root / "tool.py").rename(project.root / "Tool.py")
    project.index()
    assert [r["filepath"] for r in project.search("tool_fn") if r["symbol_name"] == "tool_fn"] == ["Tool.py"]


@pytest.mark.parametrize(
    "spelling", ["src/api", "src/api/", "./src/api", "src\\api", "{root}/src/api", "src/api/h.py", "src/api/*.py", "src/a*i/**"]
)
def test_every_spelling_of_a_filter_gives_that_folder_alone(project: Project, spelling: str) -> None:
    for folder in ("src/api", "src/apiary", "lib"):
        project.write(f"{folder}/h.py", def_(f"{folder.rpartition('/')[2]}_handler"))
    project.index()
    assert project.paths("handler", "--in", spelling.format(root=project.root)) == ["src/api/h.py"]


def test_a_filter_that_matches_nothing_says_so(project: Project, command: Any) -> None:
    project.write("src/h.py", def_("handler"))
    project.index()
    answer = project.answer("handler", "--in", "srv")
    assert answer["results"] == []
    assert "--in" in answer["hint"]
    refused = command("search", "--json", "--path", str(project.root), "--in", "../elsewhere", "handler")
    assert refused.code == 2
    assert refused.answer["error"]["hint"]
