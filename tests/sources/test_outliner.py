"""Does the outliner find what stands there, at the right lines, whatever the text?"""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.sources.outliner import outline


def spans(text: str, language: str) -> dict[str, tuple[int, int]]:
    return {d.qualified_name: (d.line_start, d.line_end) for d in outline(text.split("\n"), language).definitions}


def nests(definitions) -> bool:
    open_ones = []
    for d in definitions:
        while open_ones and open_ones[-1].line_end < d.line_start:
            open_ones.pop()
        if open_ones and open_ones[-1].line_end < d.line_end:
            return False
        open_ones.append(d)
    return True


def test_a_decorated_function_starts_at_its_first_decorator():
    text = '@route("/v1/otters")\n@cache(\n    ttl=30,\n)\ndef list_otters(request):\n    return request'
    assert spans(text, "python") == {"list_otters": (1, 6)}


def test_a_form_feed_or_a_blank_line_parts_a_comment_from_the_definition_below():
    assert spans("# section\n\x0c\ndef target():\n    pass", "python") == {"target": (3, 4)}


def test_a_licence_of_forty_lines_is_no_documentation():
    text = "\n".join([f"// filler {i}" for i in range(40)] + ["function target() {", "  return 42;", "}"])
    assert spans(text, "javascript") == {"target": (41, 43)}


def test_unicode_line_separators_do_not_shift_lines():
    assert spans("A = 'x\u2028y'\nB = 'p\u0085q\x1c'\n\ndef target():\n    return A", "python")["target"] == (4, 5)


def test_names_are_exact_behind_multibyte_characters():
    found = outline(["// ✅ 完了 🎉", "class Ünïcode { lastMethod() { return '终'; } }"], "javascript")
    assert [d.name for d in found.definitions] == ["Ünïcode", "lastMethod"]


def test_names_that_share_a_line_stay_reachable_and_nest():
    found = outline(["function a() {} function b() {", "  return 1;", "} function c() {}"], "javascript").definitions
    assert {d.name for d in found} == {"a", "b", "c"}
    assert nests(found)


def test_c_functions_split_by_the_preprocessor_are_all_found():
    text = "#ifdef FAST\nstatic int fast(int p)\n#else\nstatic int slow(int p)\n#endif\n{\n    return p;\n}\n\nint knr(a)\n    int a;\n{\n    return a;\n}"
    assert {"fast", "slow", "knr"} <= spans(text, "c").keys()


def test_cpp_members_outside_their_class_are_named_by_it_and_specialisations_stay_apart():
    text = "template <typename T>\nT Box<T>::get() const { return v; }\n\ntemplate <>\nvoid Box<int>::set(int v) { v_ = v; }\nbool Grid::operator==(const Grid& other) { return true; }"
    assert spans(text, "cpp") == {"Box::get": (1, 2), "Box<int>::set": (4, 5), "Grid::operator==": (6, 6)}


def test_sql_bodies_keep_their_semicolons_and_rows_are_one_definition():
    body = "create function f() returns int as $fn$\nbegin\n  select 1; -- a; b\nend;\n$fn$ language plpgsql;"
    assert spans(body, "sql") == {"f": (1, 5)}
    dump = "CREATE TABLE a (id INT);\n" + "INSERT INTO a VALUES (1);\n" * 60 + "CREATE TABLE z (id INT);"
    assert [(d.kind, d.name, d.line_start, d.line_end) for d in outline(dump.split("\n"), "sql").definitions] == [
        ("table", "a", 1, 1), ("data", "a", 2, 61), ("table", "z", 62, 62)
    ]  # fmt: skip


def test_long_functions_have_cuts_with_depths():
    text = "def long():\n" + "    if x:\n        call_something(with_arguments)\n" * 40
    cuts = dict(outline(text.split("\n"), "python").cuts)
    assert (cuts[2], cuts[3]) == (1, 2)


def test_syntax_errors_are_counted_and_lose_no_function_below_them():
    found = outline(["def broken(:", "    pass", "", "def whole():", "    return 1"], "python")
    assert found.errors > 0
    assert "whole" in {d.name for d in found.definitions}


@pytest.mark.parametrize("text", ["(" * 50_000, "[" * 50_000, "x" * 50_000, "\0\ud800\r" * 500, "", "((((((" + ")" * 900, "/*" * 9_000])
@pytest.mark.parametrize("language", ["python", "javascript", "c", "bash", "sql", "notebook", "no such language", "../python"])
def test_hostile_text_is_outlined_quietly(text, language):
    assert outline(text.split("\n"), language).definitions == ()


def test_a_line_end_inside_a_line_is_a_blank():
    assert [(d.name, d.line_start) for d in outline(["def a():\n    pass", "def b(): pass"], "python").definitions][-1] == ("b", 2)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text(st.sampled_from("abc(){}[]:;=<>\"'#/*\\ \tdefclassfunction\u2028é"), max_size=40), max_size=12),
    st.sampled_from(["python", "javascript", "c", "sql"]),
)
def test_spans_nest_and_stay_inside_the_text(lines, language):
    definitions = outline(lines, language).definitions
    assert nests(definitions)
    assert all(1 <= d.line_start <= d.body_start <= d.line_end <= len(lines) for d in definitions)


DEEP = """
from clew.sources.outliner import outline
for level in ("{indent}k:\\n", "{indent}-\\n", "{indent}- \\n", "{indent}k:\\n{indent}- a\\n", "- ", "? ", "- ? ", "\\t{indent}- a\\n", "{indent}? a: -\\n"):
    for levels in (40, 127, 130, 254, 300, 2_000):
        text = "".join(level.format(indent=" " * depth) for depth in range(levels)) + "x"
        assert outline(text.split("\\n"), "yaml").parsed == (levels == 40), (level, levels)
"""


def test_yaml_deeper_than_its_parser_bears_is_left_unparsed():
    done = subprocess.run([sys.executable, "-c", DEEP], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_yaml_as_deep_as_people_write_it_is_parsed():
    text = "".join(f"{' ' * 2 * depth}k{depth}:\n" for depth in range(40)) + f"{' ' * 80}- last: 1\n" + "next:\n  a: 1\n  b: 2\n"
    assert "next" in spans(text, "yaml")


def test_a_text_that_a_parser_goes_round_in_circles_over_has_no_outline() -> None:
    """Without a bound on its steps the grammar of C takes 39 CPU seconds for these 18 kB."""
    assert not outline(["/*" * 100] * 90, "c").parsed


def test_a_long_file_of_real_code_is_within_the_bound_on_steps() -> None:
    body = [f"    total += weigh(items[{number}], [x for x in range({number}) if x % 2 == 0])" for number in range(4_000)]
    found = outline(["def sum_up(items):", "    total = 0", *body], "python")

    assert found.parsed
    assert [definition.line_end for definition in found.definitions] == [4_002]
