"""Does every spelling of a path mean the same files?"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.core.query import PathFilter
from clew.errors import UsageError
from clew.sources.paths import parse_path_filter

Write = Callable[..., Path]


@pytest.mark.parametrize(
    "spelling",
    ["src/api", "src/api/", "./src/api", "src\\api", ".\\src\\api\\", "src//api", "src/../src/api", "{root}/src/api", "{link}/src/api/"],
)
def test_all_spellings_of_a_folder_are_one_filter(root: Path, write: Write, tmp_path: Path, spelling: str) -> None:
    write("src/api/h.py")
    (tmp_path / "link").symlink_to(root)
    text = spelling.format(root=root, link=tmp_path / "link")
    assert parse_path_filter(root, text) == PathFilter("src/api")
    assert parse_path_filter(tmp_path / "link", text) == PathFilter("src/api")


@pytest.mark.parametrize("spelling", [".", "./", "{root}", "{root}/", "src/.."])
def test_the_root_restricts_nothing(root: Path, write: Write, spelling: str) -> None:
    write("src/a.py")
    assert parse_path_filter(root, spelling.format(root=root)) == PathFilter("")


@pytest.mark.parametrize(
    "path", ["app/[id]/page.tsx", "50%/m.py", "what?.py", "a*b.py", "it's/don't.py", "back\\slash.py", "-rf.py", "line\nbreak.py", " "]
)
def test_what_exists_wins_over_a_glob(root: Path, write: Write, path: str) -> None:
    write(path)
    if path.strip():
        assert parse_path_filter(root, path) == PathFilter(path)
    else:
        with pytest.raises(UsageError):
            parse_path_filter(root, path)


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("*.py", "*.py"),
        ("./src/*.py", "src/*.py"),
        ("src\\**\\*.py", "src/**/*.py"),
        ("src/*/", "src/*/**"),
        ("{root}/src/*.py", "src/*.py"),
        ("app/[id]/*.tsx", "app/[id]/*.tsx"),
    ],
)
def test_a_glob_is_relative_to_the_root(root: Path, text: str, pattern: str) -> None:
    assert parse_path_filter(root, text.format(root=root)) == PathFilter(pattern, is_glob=True)


def test_a_path_need_not_exist(root: Path) -> None:
    assert parse_path_filter(root, "gone\\a.py") == PathFilter("gone/a.py")
    assert parse_path_filter(root, f"{root}/gone/") == PathFilter("gone")


def test_a_name_is_compared_in_its_composed_form(root: Path, write: Write) -> None:
    decomposed = unicodedata.normalize("NFD", "größe.py")
    write(decomposed)
    assert parse_path_filter(root, decomposed) == PathFilter("größe.py")
    assert parse_path_filter(root, "größe.py") == PathFilter("größe.py")


def test_a_link_inside_the_project_means_what_it_leads_to(root: Path, write: Write) -> None:
    write("real/a.py")
    (root / "alias").symlink_to("real")
    assert parse_path_filter(root, "alias") == PathFilter("real")


@pytest.mark.parametrize(
    "text", ["..", "../other", "src/../../x", "/etc/passwd", "/nowhere/*.py", "{root}2/a.py", "leads_out", "", "  ", "a\0b"]
)
def test_what_is_outside_the_project_is_refused_with_a_hint(root: Path, tmp_path: Path, text: str) -> None:
    (root / "leads_out").symlink_to(tmp_path)
    with pytest.raises(UsageError) as refused:
        parse_path_filter(root, text.format(root=root))
    assert refused.value.hint


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(max_size=40) | st.binary(max_size=10).map(os.fsdecode))
def test_any_text_is_a_filter_or_refused(root: Path, text: str) -> None:
    try:
        found = parse_path_filter(root, text)
    except UsageError:
        return
    assert not found.path.startswith(("/", "../", "./"))
