"""Is a file's language told from its name, its extension or its beginning?"""

from __future__ import annotations

import sys

import pytest

from clew.core.document import Outline
from clew.sources.language_grammars import grammar, grammar_problem
from clew.sources.languages import language_of
from clew.sources.outliner import outline


@pytest.mark.parametrize(
    ("filepath", "head", "language"),
    [
        ("src/a.py", "", "python"), ("deploy/Dockerfile", "", "dockerfile"), ("Dockerfile.dev", "", "dockerfile"), ("Makefile", "", "make"),
        ("Rakefile", "", "ruby"), ("CMakeLists.txt", "", "cmake"), ("a.tf", "", "hcl"), ("a.proto", "", "protobuf"), ("notes", "", "text"),
        ("bin/tool", "#!/usr/bin/env python3.11\n", "python"), ("bin/tool", "#!/bin/sh -e\n", "bash"), ("run", "#!/usr/bin/env -S node --x\n", "javascript"),
        ("a.h", "int f(void);\n", "c"), ("a.h", "namespace x {\n", "cpp"), ("a.h", "@interface Foo\n", "objc"), ("a.m", "#import <A.h>\n", "objc"),
        ("a.h", '#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n', "c"), ("a.m", "function y = f(x)\n% doc\n", "matlab"),
        ("UPPER.PY", "", "python"), (".bashrc", "", "bash"), ("a.ipynb", "{}", "notebook"), ("x.unknown", "plain", "text"),
    ],
)  # fmt: skip
def test_a_file_gets_its_language(filepath, head, language):
    assert language_of(filepath, head) == language


def test_a_language_without_a_grammar_has_no_problem_and_no_grammar():
    assert grammar("protobuf") is None
    assert grammar_problem("protobuf") == ""


def test_a_missing_grammar_wheel_says_so_and_leaves_the_text_unparsed(monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter_lua", None)
    grammar.cache_clear()
    grammar_problem.cache_clear()
    try:
        assert "tree-sitter-lua" in grammar_problem("lua")
        assert outline(["function f()", "end"], "lua") == Outline()
    finally:
        grammar.cache_clear()
        grammar_problem.cache_clear()
