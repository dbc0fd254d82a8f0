"""Does text that is made to break tools end a run, a terminal or an answer?"""

from __future__ import annotations

from typing import Any

import pytest

Project = Any
DEPTH = 10_000


@pytest.mark.parametrize(
    ("path", "opened", "closed", "after", "name"),
    [
        ("deep.py", "x = (", ")", "def after_deep():\n    return 1\n", "after_deep"),
        ("deep.js", "if (a) {", "}", "function afterDeep() { return 1 }\n", "afterDeep"),
        ("deep.c", "int v = f(", ");", "int after_deep(void) { return 1; }\n", "after_deep"),
        ("deep.rs", "mod m {", "}", "fn after_deep() -> u8 { 1 }\n", "after_deep"),
        ("deep.json", "[", "]", "", ""),
    ],
)
def test_what_is_nested_ten_thousand_deep_is_indexed_with_the_rest(
    project: Project, path: str, opened: str, closed: str, after: str, name: str
) -> None:
    project.write(path, f"{opened}\n" * DEPTH + f"{closed}\n" * DEPTH + after)
    project.write("plain.py", "def plain_one():\n    return 1\n")
    report = project.index("--mode", "fast")
    assert report["complete"]
    assert project.paths("plain_one", "--mode", "fast")[:1] == ["plain.py"]
    if name:
        assert path in project.paths(name, "--mode", "fast")


def test_names_and_contents_that_act_on_a_terminal_are_shown_and_do_not_act(project: Project, command: Any) -> None:
    project.write("bi\u202edi\x1b[31m\n.py", "def bidi_fn():\n    return '\x1b]0;owned\x07 \u202e \u2066'\n")
    project.write("\x1b[2J.env", "KEY=1\n")
    for arguments in (("index",), ("search", "--mode", "fast", "bidi_fn"), ("status",)):
        ran = command(*arguments, "--path", str(project.root)) if arguments[0] == "search" else command(*arguments, str(project.root))
        said = ran.out.decode("utf-8") + ran.err
        assert ran.code == 0
        assert not [character for character in said if character in "\x1b\x07\u202e\u2066"], said
    assert "bi\\u202edi\\x1b[31m\\n.py" in command("search", "--mode", "fast", "--path", str(project.root), "bidi_fn").out.decode()
