"""Reading a question: its shape, the names and paths in it, and what kinds of files it asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.search.question import MAX_TERMS, MAX_TIMES, Query, read
from clew.search.report import Frame
from clew.search.router import intent_of


def names(text: str) -> list[str]:
    return [name for name, _ in read(text).names]


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("createStore", "name"),
        ("session", "name"),
        ("Rack::Builder", "name"),
        ("flask.Flask.route", "name"),
        ("send()", "name"),
        ("`render_template`", "name"),
        ("def send", "name"),
        ("class UserSession", "name"),
        ("empty?", "name"),
        ("src/api/handlers.py", "path"),
        ("C:\\Temp\\out.txt", "path"),
        ("src/api/handlers.py:12:3", "path"),
        ("^foo\\.(bar|baz)*$", "words"),
        ("class hierarchy", "words"),
        ("type inference", "words"),
        ("how are routes registered", "words"),
        ("TypeError: x is None\n  at send (client.js:3)", "report"),
        ("", "nothing"),
        ("   \n\t", "nothing"),
        ("{}[] %_% \\ * \"'", "nothing"),
    ],
)
def test_a_question_has_one_shape(text: str, shape: str) -> None:
    assert read(text).shape == shape


def test_a_bare_word_is_looked_up_as_a_name() -> None:
    assert names("session") == ["session"]


def test_a_definition_keyword_is_not_part_of_the_name() -> None:
    assert names("def send_mail") == ["send_mail"]


def test_the_tails_of_a_qualified_name_count_less_the_more_they_leave_off() -> None:
    assert read("flask.Flask.route").names == (("flask.Flask.route", 1.0), ("Flask.route", 0.5), ("route", 0.25))


def test_both_ways_to_write_a_qualified_name_ask_for_the_same() -> None:
    assert read("Rack::Builder").names == read("Rack.Builder").names == read("Rack#Builder").names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("how does combineReducers validate its keys", "combineReducers"),
        ("where is nvm_find_up used", "nvm_find_up"),
        ("how the Gin Engine embeds it", "Engine"),
        ("what happens in send() on failure", "send"),
        ("how does Rack::Builder run", "Builder"),
        ("why does `teardown` run twice", "teardown"),
    ],
)
def test_identifiers_are_found_between_ordinary_words(text: str, found: str) -> None:
    assert found in names(text)


def test_ordinary_words_are_no_names() -> None:
    assert names("how are the routes registered at start") == []
    assert names("Where are routes registered") == []


def test_a_traceback_gives_its_functions_and_its_frames() -> None:
    text = 'it fails\n  File "/usr/lib/python3/dist-packages/acme/table/connect.py", line 129, in call_reader\n    self.read()\n'
    assert "call_reader" in names(text)
    assert read(text).frames == (Frame("/usr/lib/python3/dist-packages/acme/table/connect.py", 129, "call_reader"),)


def test_the_title_of_a_report_counts_more_than_its_prose_and_that_more_than_its_code() -> None:
    query = read("alpha fails\n\nbeta is wrong\n```\ngamma\n```\n")
    count = query.terms.count
    assert count("alpha") > count("beta") > count("gamma") > 0


def test_a_long_report_asks_for_no_more_than_a_bounded_number_of_terms() -> None:
    log = "\n".join(f"worker {number} of pool{number} retried upload part{number}" for number in range(900))
    asked = read(f"uploads stop\n{log}").terms
    assert len(set(asked)) <= MAX_TERMS
    assert max(asked.count(term) for term in set(asked)) <= MAX_TIMES
    assert "upload" in asked


def test_what_a_program_said_is_a_message_and_a_quoted_name_is_none() -> None:
    text = 'upload fails\nit says "giving up on part 7" for `UploadPart`\n```\nUploadError: no bucket named eu-1\n```\n'
    assert set(read(text).messages) == {"giving up on part 7", "no bucket named eu-1"}


@pytest.mark.parametrize(
    "line",
    [
        "2031-05-01T10:11:12Z WARN  [upload-3] acme.storage: giving up on part 7 of photo.jpg",
        "[storage] giving up on part 7 of photo.jpg",
        "GaveUp: giving up on part 7 of photo.jpg",
    ],
)
def test_a_line_of_a_log_is_a_message_without_its_head(line: str) -> None:
    assert read(f"what makes it stop?\n```\n{line}\n```\n").messages == ("giving up on part 7 of photo.jpg",)


def test_the_variables_of_an_example_are_no_names_of_a_report() -> None:
    assert names("Grid.turn fails\n```\nM = Grid(2)\n__init__(M)\n```\n") == ["Grid.turn", "turn", "Grid"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("what does src/api/h.py do", "src/api/h.py"),
        ("./src/api/h.py", "src/api/h.py"),
        ("src\\api\\h.py", "src/api/h.py"),
        ("fix in tree.go please", "tree.go"),
        ("handlers.test.ts", "handlers.test.ts"),
    ],
)
def test_paths_are_found_in_any_spelling(text: str, path: str) -> None:
    assert path in read(text).paths


def test_an_apostrophe_is_no_quotation() -> None:
    assert names("can't open file: don't retry") == []


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("tests for the login form", "test"),
        ("the login form examples", "test"),
        ("test that the login form fails", "test"),
        ("test_login", "test"),
        ("tests/login/form.py", "test"),
        ("where is the vendored copy of six", "vendored"),
        ("generated protobuf messages", "generated"),
        ("changelog of version 3", "prose"),
    ],
)
def test_a_question_can_ask_for_a_kind_of_file(text: str, role: str) -> None:
    assert role in read(text).asks


@pytest.mark.parametrize(
    "text",
    ["how is the latest route contested", "testing client", "the client used in tests", "how is the lock released", "latest"],
)
def test_a_question_about_code_asks_for_no_kind_of_file(text: str) -> None:
    assert read(text).asks == frozenset()


@given(st.text(max_size=400))
def test_any_text_is_read_the_same_way_twice(text: str) -> None:
    query = read(text)
    assert isinstance(query, Query)
    assert query == read(text)
    assert (query.shape == "nothing") == (query.terms == ())


@pytest.mark.parametrize(
    "part",
    [
        "a.",
        "_",
        "`",
        "/",
        "::",
        "a\n",
        "\ud800",
        "```\n",
        "how do from ",
        "a_",
        '"a',
        "    x\n",
        "A.a",
        'File "',
        "a-",
        "a/",
        "./",
        "a.b/",
        "E",
        "A",
        "\\",
        "t\n/",
        "t\na/",
        "t\nE",
        "[",
        "x.py:1 ",
        "at ",
        "<!--",
        "> ",
    ],
)
def test_a_hostile_text_costs_no_more_than_its_length(part: str) -> None:
    query = read(part * 40_000)
    assert len(query.names) <= 24
    intent_of(query)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("ctx.py:450", (("ctx.py", 450),)),
        ("src/flask/ctx.py", (("src/flask/ctx.py", 1),)),
        ("what is wrong at src/a.go:12 and b.go:7:3", (("src/a.go", 12), ("b.go", 7))),
        ('File "/usr/lib/app.py", line 33, in run', (("usr/lib/app.py", 33),)),
        ("at 3:30 we met", ()),
        ("how are uploads retried", ()),
    ],
)
def test_places_are_read_as_tools_write_them(text: str, places: tuple[tuple[str, int], ...]) -> None:
    assert read(text).places == places
