"""Is a text read in the encoding it was written in?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.sources.decoding import decode, looks_binary

GERMAN = "# Größe prüfen, falls das Gerät fehlt\ndef pruefe(wert):\n    return wert or 'überlang'\n"
FRENCH = "/* Vérifie la clé à l’entrée du château */\nint vérifier(int clé);  // « reçu » – fin\n"
RUSSIAN = "// Проверяет подпись и возвращает Ключ пользователя\nbool check();  // Ошибка при чтении файла\n"
CHINESE = "/* 订单校验：检查数量是否大于零 */\nint validate(int qty);  /* 数量 */\n"
SHORT_CHINESE = "/* 订单校验 */\nint validate(int qty);  /* 数量 */\n"
TRADITIONAL = "// 檢查訂單的數量，並傳回使用者的資料\nint check(void);\n"
KOREAN = "// 회원 등급을 계산하고 결과를 반환한다\nclass Member {}\n"
SHORT_KOREAN = "// 회원 등급\nclass Member {}\n"
JAPANESE = "// ユーザーの認証トークンを更新する。期限切れの場合はエラー\nvoid refresh();\n"


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (GERMAN, "latin-1", "windows-1252"),
        (FRENCH, "cp1252", "windows-1252"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (RUSSIAN, "koi8_r", "KOI8-R"),
        (RUSSIAN, "cp866", "IBM866"),
        (CHINESE, "gbk", "GB18030"),
        (SHORT_CHINESE, "gbk", "GB18030"),
        (CHINESE, "gb18030", "GB18030"),
        (TRADITIONAL, "big5", "Big5"),
        (KOREAN, "euc-kr", "EUC-KR"),
        (SHORT_KOREAN, "euc-kr", "EUC-KR"),
        (KOREAN, "cp949", "EUC-KR"),
        (JAPANESE, "shift_jis", "Shift_JIS"),
        (JAPANESE, "euc_jp", "EUC-JP"),
        (GERMAN, "utf-16", "UTF-16"),
        (JAPANESE, "utf-32", "UTF-32"),
    ],
)
def test_an_old_encoding_is_recognised_and_named(text: str, codec: str, name: str) -> None:
    assert decode(text.encode(codec)) == (text, f"decoded as {name}")


@pytest.mark.parametrize(("mark", "codec"), [(b"\xfe\xff", "utf-16-be"), (b"\0\0\xfe\xff", "utf-32-be"), (b"\xef\xbb\xbf", "utf-8")])
def test_a_byte_order_mark_is_obeyed_and_is_no_text(mark: bytes, codec: str) -> None:
    decoded = decode(mark + "große Zahl\n".encode(codec))
    assert decoded is not None
    assert decoded.text == "große Zahl\n"


def test_utf8_needs_no_remark() -> None:
    assert decode(JAPANESE.encode()) == (JAPANESE, "")


def test_what_a_text_declares_counts_before_a_guess() -> None:
    text = "# -*- coding: iso-8859-15 -*-\nprice = '5 €'\n"
    assert decode(text.encode("iso-8859-15")) == (text, "decoded as iso8859-15")


@pytest.mark.parametrize("declared", ["rot13", "zlib", "unicode_escape", "nonsense", "utf-8", "ascii"])
def test_a_declaration_that_does_not_fit_is_ignored(declared: str) -> None:
    text = f"# coding: {declared}\n# Größe prüfen\n"
    assert decode(text.encode("latin-1")) == (text, "decoded as windows-1252")


def test_a_few_wrong_bytes_do_not_turn_utf8_into_something_else() -> None:
    decoded = decode("# Größe prüfen\n".encode() + b"broken = '\xff'\n")
    assert decoded == ("# Größe prüfen\nbroken = '\ufffd'\n", "decoded lossily: 1 byte is not UTF-8")


def test_bytes_of_no_known_encoding_are_replaced_and_said_to_be() -> None:
    decoded = decode(b"name = 1\n" * 20 + b"\x81\x8d \x8f \x90\xff\x9d \x81\n")
    assert decoded is not None
    assert decoded.text.startswith("name = 1\n")
    assert "\ufffd" in decoded.text
    assert decoded.note.startswith("decoded lossily")


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n\0\0", b"PK\x03\x04\0", b"ELF\0", b"a\0b"])
def test_a_nul_means_binary(data: bytes) -> None:
    assert looks_binary(data)


def test_wide_encodings_with_a_mark_are_not_binary() -> None:
    assert not looks_binary("hello".encode("utf-16"))
    assert not looks_binary("hello".encode("utf-32"))


def test_compressed_data_is_no_text_though_it_holds_no_nul() -> None:
    data = bytes((i * i * 31 + i * 7 + (i >> 3)) % 255 + 1 for i in range(4_000))
    assert decode(data) is None


def test_binary_data_that_begins_like_utf16_is_no_text() -> None:
    assert decode(b"\xff\xfe" + bytes((i * 37 + (i >> 2)) % 256 for i in range(2_000))) is None


@given(st.binary(max_size=300))
def test_no_bytes_make_decoding_fail_and_every_text_can_be_written_again(data: bytes) -> None:
    decoded = decode(data)
    if decoded is not None:
        assert decoded == decode(data)
        decoded.text.encode("utf-8")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_every_utf8_text_comes_back_as_it_is(text: str) -> None:
    decoded = decode(text.encode())
    assert decoded == (text.removeprefix("\ufeff"), "")
