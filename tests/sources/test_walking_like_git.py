"""Does a walk agree with git, whatever the tree and the ignore rules? And does it without git?"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.sources.walking import Rules, walk

RunGit = Callable[..., str]
Tree = dict[str, str]

NAMES = st.sampled_from(["a", "b", "ab", "ba", "abc", "a.b", "b.py", "#a", "!b", "a b", "a ", "[a]", "*", "-", "\\a", "é", "A"])
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)
PIECES = st.sampled_from(
    [*("a", "b", "ab", ".", "py", "é", "A", " ", "#", "!", "-", "\\", "\r", "/", "/", "*", "*", "**", "?", "**/", "/**", "/**/", "\\*", "\\ "),
     *("[ab]", "[!a]", "[^b]", "[a-b]", "[]a]", "[!]]", "[[:alpha:]]", "[[:punct:]b]", "[[:nope:]]", "[[:x]", "[a-", "[b-a]", "[\\]a]", "[a\\-b]", "[", "]")]
)  # fmt: skip
LINES = st.lists(PIECES, min_size=1, max_size=6).map("".join)
IGNORE_FILES = st.lists(LINES, min_size=1, max_size=5).map("\n".join)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Files by path, ignore files at the root and in some folders among them; no path is both a file and a folder."""
    tree: Tree = {".gitignore": draw(IGNORE_FILES)}
    for path in draw(st.lists(PATHS, min_size=3, max_size=12, unique=True)):
        if not any(path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in tree):
            tree[path] = "x\n"
    for folder in sorted({path.rpartition("/")[0] for path in tree if "/" in path}):
        if draw(st.booleans()):
            tree[f"{folder}/.gitignore"] = draw(IGNORE_FILES)
    return tree


def plant(root: Path, tree: Tree) -> None:
    for path, content in tree.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)


def shown(run_git: RunGit, root: Path) -> list[str]:
    return sorted({path for path in run_git(root, "ls-files", "-z", "-co", "--exclude-standard").split("\0") if path})


@settings(max_examples=40, deadline=None)
@given(tree=trees(), data=st.data())
def test_a_walk_lists_what_git_lists(run_git: RunGit, tree: Tree, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        run_git(root, "init", "-q")
        plant(root, tree)
        tracked = data.draw(st.lists(st.sampled_from(sorted(tree)), max_size=3))
        if tracked:
            run_git(root, "--literal-pathspecs", "add", "-f", "--", *tracked)
        assert list(walk(root, Rules()).files) == shown(run_git, root)


@settings(max_examples=80, deadline=None)
@given(tree=trees())
def test_a_walk_without_git_lists_what_git_would(run_git: RunGit, tree: Tree) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        run_git(root, "init", "-q")
        plant(root, tree)
        expected = shown(run_git, root)
        (root / ".git").rename(root / ".hg")
        assert list(walk(root, Rules()).files) == expected
