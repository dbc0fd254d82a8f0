"""Do text and question meet in the same words, whatever the script, spelling or hostility?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.core.chunk import Chunk
from clew.core.words import STOP_WORDS, Words, query_terms, terms, words

_NAMES = st.lists(st.sampled_from(["get", "user", "http", "response", "id", "token"]), min_size=2, max_size=4)


def made(**fields: str) -> Chunk:
    base = {"filepath": "src/auth/token_store.py", "symbol_name": "Store.save", "symbol_type": "method", "header": "", "code": "pass"}
    return Chunk(id="0" * 16, language="python", line_start=1, line_end=1, **{**base, **fields})


# -- identifiers --


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserName", ["get", "user", "name", "get_user_name"]),
        ("get_user_name", ["get", "user", "name", "get_user_name"]),
        ("GET_USER_NAME", ["get", "user", "name", "get_user_name"]),
        ("HTTPResponse", ["http", "respons", "http_response"]),
        ("sha256sum", ["sha", "256", "sum", "sha_256_sum"]),
        ("__init__", ["init"]),
        ("self.value", ["self", "valu"]),
        ("x", ["x"]),
        ("_", []),
        ("+-*/", []),
        ("", []),
    ],
)
def test_an_identifier_gives_its_stemmed_parts_and_itself(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@given(_NAMES)
def test_spellings_of_one_name_are_one_word(parts: list[str]) -> None:
    snake, camel, shouted = "_".join(parts), parts[0] + "".join(part.title() for part in parts[1:]), "_".join(parts).upper()
    assert terms(snake) == terms(camel) == terms(shouted)


def test_forms_of_a_word_meet_in_its_stem() -> None:
    assert terms("connections") == terms("connection") == terms("connected") == terms("connecting")


def test_words_are_repeated_as_often_as_they_occur() -> None:
    assert terms("read write read") == ["read", "write", "read"]


# -- other scripts --


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Größe", "große"),
        ("straße", "STRASSE"),
        ("café", "cafe"),
        ("cafe\u0301", "café"),
        ("naïveBayes", "naive_bayes"),
        ("œuvre", "OEUVRE"),
        ("smørrebrød", "smorrebrod"),
        ("ıstanbul", "istanbul"),
        ("Ａｂｃ", "abc"),
        ("ПолучитьДанные", "получить_данные"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
    ],
)
def test_accents_case_and_width_are_folded(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


def test_an_accented_name_is_split_like_any_other() -> None:
    assert terms("größeBerechnen")[0] == terms("größe")[0]


@pytest.mark.parametrize(
    ("text", "asked"),
    [("データベース接続を開く", "接続"), ("打开数据库连接", "数据库"), ("데이터베이스 연결", "연결"), ("ฐานข้อมูล", "ข้อมูล")],
)
def test_scripts_without_spaces_are_found_by_a_part(text: str, asked: str) -> None:
    assert set(terms(asked)) <= set(terms(text))


def test_one_character_of_han_is_a_word() -> None:
    assert terms("库") == ["库"]


def test_a_long_sentence_without_spaces_is_kept_to_its_end() -> None:
    assert set(terms("终点")) <= set(terms("数据" * 60 + "终点"))


def test_code_and_han_glued_together_give_both() -> None:
    found = terms("connectDB接続")
    assert {"connect", "db", "接続"} <= set(found)


def test_vowel_signs_do_not_break_a_word() -> None:
    assert len(terms("हिन्दी")) == 1


# -- questions --


def test_a_question_drops_what_every_question_holds() -> None:
    assert query_terms("Where do we retry the failed uploads?") == ["retri", "fail", "upload"]


def test_a_question_of_stop_words_alone_keeps_them() -> None:
    assert query_terms("how do I do this") == terms("how do I do this") != []


def test_a_stop_word_inside_a_name_stays() -> None:
    assert query_terms("is_valid") == ["is", "valid", "is_valid"]


def test_stop_words_are_lower_case_words() -> None:
    assert all(word == word.lower() and word.isalpha() for word in STOP_WORDS)


@given(st.text(max_size=60))
def test_a_question_only_asks_for_terms_of_its_text(text: str) -> None:
    assert set(query_terms(text)) <= set(terms(text))


# -- hostile text --


@given(st.text(max_size=80))
def test_any_text_gives_clean_terms(text: str) -> None:
    for term in terms(text):
        assert term
        assert not any(character.isspace() or character in "\0\"'%*()" for character in term)


@pytest.mark.parametrize(
    "text", ["caf\udce9 name", "\ud800name", "a\0b", "x\u2028y", "\x1b[31mred\x1b[0m", "'; DROP TABLE x; --", "100%_done"]
)
def test_odd_characters_only_separate(text: str) -> None:
    found = terms(text)
    assert found
    assert all(term.replace("_", "").isalnum() for term in found)


def test_a_giant_word_is_cut_to_its_head() -> None:
    assert sum(map(len, terms("a" * 5_000_000))) <= 64
    assert sum(map(len, terms("é" + "a" * 5_000_000))) <= 1000
    assert len(terms("数" * 2_000_000)) < 1000


def test_a_giant_line_of_words_is_read_whole() -> None:
    assert len(terms("word " * 100_000)) == 100_000


# -- the fields of a chunk --


def test_a_chunks_words_by_field() -> None:
    found = words(made(parent="Store", docstring="Saves the token.", code="def save(self): write(token)"))
    assert found == Words("save", "store", "save the token", "def save self write token", "token store token_store", "src auth")


def test_a_blocks_name_is_no_word() -> None:
    assert words(made(symbol_type="block", symbol_name="src/a.py:1-9")).name == ""


@pytest.mark.parametrize("name", ["Foo::bar", "Foo.bar", "pkg/Foo.bar", "bar"])
def test_the_name_is_the_last_part_of_the_qualified_one(name: str) -> None:
    assert words(made(symbol_name=name)).name == "bar"


@pytest.mark.parametrize(
    "path", [".gitignore", "Makefile", "a/b/c/d/e/deep.tar.gz", "odd\nname.py", "caf\udce9.py", "ünïcode/größe.py", "x"]
)
def test_any_path_gives_words(path: str) -> None:
    assert words(made(filepath=path)).stem


def test_only_the_nearest_folders_count() -> None:
    assert words(made(filepath="a/b/c/d/e.py")).folder == "b c d"
