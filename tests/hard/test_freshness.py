"""Does the next answer know what changed on the disk?"""

from __future__ import annotations

import os
from typing import Any

Project = Any


def def_(name: str) -> str:
    return f"def {name}():\n    return 1\n"


def places(project: Project, name: str) -> list[str]:
    return [result["filepath"] for result in project.search(name, "--mode", "fast") if name in result["code_snippet"]]


def test_deleted_renamed_and_shortened_files_leave_no_ghosts(project: Project) -> None:
    project.write("gone.py", def_("deleted_fn"))
    project.write("before.py", def_("renamed_fn"))
    project.write("shrunk.py", def_("head_fn") + "\n\n" + def_("tail_fn") + "\n\n" + def_("second_tail_fn"))
    project.index()
    before = project.status()["chunks"]["total"]
    (project.root / "gone.py").unlink()
    (project.root / "moved").mkdir()
    (project.root / "before.py").rename(project.root / "moved/after.py")
    project.write("shrunk.py", def_("head_fn"))
    report = project.index()
    assert report["files"] == {"indexed": 2, "unchanged": 0, "deleted": 2, "skipped": 0}
    assert places(project, "deleted_fn") == []
    assert places(project, "renamed_fn") == ["moved/after.py"]
    assert places(project, "tail_fn") == []
    assert places(project, "second_tail_fn") == []
    assert places(project, "head_fn") == ["shrunk.py"]
    assert project.status()["chunks"]["total"] < before


def test_a_search_alone_sees_what_was_deleted_renamed_and_added(project: Project) -> None:
    project.write("gone.py", def_("deleted_fn"))
    project.write("before.py", def_("renamed_fn"))
    project.index()
    (project.root / "gone.py").unlink()
    (project.root / "before.py").rename(project.root / "after.py")
    project.write("new.py", def_("added_fn"))
    assert places(project, "deleted_fn") == []
    assert places(project, "renamed_fn") == ["after.py"]
    assert places(project, "added_fn") == ["new.py"]


def test_a_file_that_becomes_ignored_leaves_and_one_that_is_freed_enters(repository: Project) -> None:
    repository.write(".gitignore", "private/\n")
    repository.write("made/g.py", def_("made_fn"))
    repository.write("private/p.py", def_("private_fn"))
    repository.write("src/n.py", def_("normal_fn"))
    repository.index()
    assert places(repository, "made_fn") == ["made/g.py"]
    assert places(repository, "private_fn") == []
    repository.write(".gitignore", "made/\n")
    report = repository.index()
    assert places(repository, "made_fn") == []
    assert places(repository, "private_fn") == ["private/p.py"]
    assert places(repository, "normal_fn") == ["src/n.py"]
    assert report["files"] == {"indexed": 2, "unchanged": 1, "deleted": 1, "skipped": 0}
    assert report["chunks"]["embedded"] == 2  # private/p.py and .gitignore; src/n.py is not embedded again


def test_an_edit_of_equal_size_with_its_old_time_is_seen(project: Project) -> None:
    target = project.write("a.py", "def earlier_fn():\n    return 1\n")
    project.index()
    seen = target.stat()
    target.write_text("def changed_fn():\n    return 2\n")
    os.utime(target, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert target.stat().st_size == seen.st_size
    assert places(project, "changed_fn") == ["a.py"]
    assert places(project, "earlier_fn") == []


def test_touching_every_file_embeds_nothing(project: Project) -> None:
    for i in range(5):
        project.write(f"s{i}.py", def_(f"stable_{i}"))
    project.index()
    for path in project.root.glob("*.py"):
        os.utime(path, ns=(10**18, 10**18))
    report = project.index()
    assert report["chunks"] == {"added": 0, "kept": 5, "deleted": 0, "embedded": 0}
    assert places(project, "stable_3") == ["s3.py"]


def test_a_file_that_is_moved_is_not_embedded_again_when_its_text_is_known(project: Project) -> None:
    project.write("a.py", def_("copied_fn"))
    project.index()
    project.write("b.py", def_("other_fn"))
    report = project.index()
    assert report["chunks"]["embedded"] == report["chunks"]["added"] == 1
