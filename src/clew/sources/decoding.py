"""In which encoding is a text written? Byte order marks, UTF-8, what the text itself declares, then the most plausible old encoding.

The guess is made from the letters that the bytes would give: frequent characters of each script, in runs that words have. It is
deterministic, needs no tables beyond Python's codecs, and is only made where a file is not UTF-8.
"""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

HEAD_BYTES = 8_000
"""Git, too, looks for NUL in this much of a file to tell text from binary."""

_SAMPLE = 2_000
"""Characters outside ASCII that a guess is made from."""
_PLAUSIBLE = 0.5
"""Real text in the right encoding scores 0.8 and more, in a wrong one under 0.4 (see the tests' samples)."""
_CONTROL_SHARE = 0.01
"""Text has hardly any control characters; compressed data has about a tenth."""

_UNPRINTABLE_SHARE = 0.05
"""Of random pairs of bytes, a seventh are private, unassigned or half a character in UTF-16; of text, next to none."""

_KANA_SHARE = 0.1
"""Of Japanese text a half is kana, of other text read as Japanese next to nothing."""
_WRONG = "\ufffd"
_WRONG_SHARE = 0.03
"""Damaged bytes, and characters of a newer edition of an encoding, that do not speak against it."""

_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8", ""),
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
_NAMES = {
    "cp1252": "windows-1252",
    "cp1251": "windows-1251",
    "koi8_r": "KOI8-R",
    "cp866": "IBM866",
    "gb18030": "GB18030",
    "cp949": "EUC-KR",
    "cp932": "Shift_JIS",
    "euc_jp": "EUC-JP",
    "big5hkscs": "Big5",
}
_DECLARED = re.compile(rb"""(?:coding|encoding|charset)\s*[:=]\s*["']?([A-Za-z][\w.-]{1,30})""")
_DECLARABLE = re.compile(r"iso8859-\d+|cp\d+|koi8-[rtu]|gb2312|gbk|gb18030|big5|big5hkscs|euc_\w+|shift_jis\w*|mac-\w+|tis-620|johab|hz")
_CONTROLS = bytes(b for b in range(32) if b not in b"\t\n\v\f\r\x1b\b") + b"\x7f"
_COMMON_LEADS = {"gb18030": (0xB0, 0xD7), "big5hkscs": (0xA4, 0xC6), "euc_jp": (0xB0, 0xCF), "cp932": (0x88, 0x97), "cp949": (0, 0)}
"""First bytes of each encoding's everyday ideographs (its "level 1"); those of Korean are rare in any text of today."""
_FREQUENT_HANGUL = frozenset(
    "이다는을의에하고가지로기사어시대있은한인를리일자서나아수정해도라부보전원스제상주그것들과만면여조신장선성동등급회계산값반환함"
    "파오류데터입력출생객체변경확검색결처음문열록목설명용호번중세개방법실행우않없때마모비공구분석관될된할니까"
)
_SYMBOLS = frozenset("«»“”‘’‚„–—…€£¥§©®™°±²³µ·•¿¡ªº´¨×÷¼½¾¬¦‰†‡\xa0\xad")


class Decoded(NamedTuple):
    """A text without its byte order mark; `note` says how it was decoded where that was not UTF-8."""

    text: str
    note: str = ""


def looks_binary(head: bytes) -> bool:
    """Whether the first bytes of a file are not text: a NUL, where no byte order mark explains it."""
    return b"\0" in head[:HEAD_BYTES] and not any(head.startswith(mark) for mark, _, name in _MARKS if name)


def decode(data: bytes) -> Decoded | None:
    """The text of a file's bytes, whatever they are; None where they are no text in any encoding."""
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], codec, name)
    try:
        return Decoded(data.decode())
    except UnicodeDecodeError:
        return _not_utf8(data)


def _marked(data: bytes, codec: str, name: str) -> Decoded | None:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        text = data.decode(codec, "replace")
        name = f"{name or 'UTF-8'}, lossily"
    if name and _is_noise(text):
        return None
    return Decoded(text, f"decoded as {name}" if name else "")


def _is_noise(text: str) -> bool:
    """Binary data that only began like UTF-16: control characters and unassigned ones all over."""
    head = text[:_SAMPLE]
    return sum(not c.isprintable() and c not in "\t\n\r\f\v" for c in head) > len(head) * _UNPRINTABLE_SHARE


def _not_utf8(data: bytes) -> Decoded | None:
    if len(data) - len(data.translate(None, _CONTROLS)) > len(data) * _CONTROL_SHARE:
        return None
    lossy = data.decode("utf-8", "replace")
    wrong = lossy.count(_WRONG)
    if len(lossy) - len(lossy.encode("ascii", "ignore")) - wrong >= wrong:
        return Decoded(lossy, f"decoded lossily: {wrong} byte{'s are' if wrong != 1 else ' is'} not UTF-8")
    codec = _declared(data) or _guess(data)
    if not codec:
        return Decoded(lossy, f"decoded lossily: {wrong} bytes are of an unknown encoding")
    name = _NAMES.get(codec, codec)
    try:
        return Decoded(data.decode(codec), f"decoded as {name}")
    except UnicodeDecodeError:
        return Decoded(data.decode(codec, "replace"), f"decoded as {name}, lossily")


def _declared(data: bytes) -> str:
    """The encoding that a text names in its first two lines, if it is one and fits."""
    head = b"\n".join(data[:1024].split(b"\n")[:2])
    for found in _DECLARED.finditer(head):
        try:
            codec = codecs.lookup(found[1].decode("ascii")).name
            if _DECLARABLE.fullmatch(codec):
                data.decode(codec)
                return codec
        except (LookupError, UnicodeDecodeError):
            continue
    return ""


def _guess(data: bytes) -> str:
    """The encoding in which the bytes read most like a language; empty where they do in none."""
    sample = _sample(data)
    best, best_score = "", _PLAUSIBLE
    for codec in _NAMES:
        text = sample.decode(codec, "replace")
        if text.count(_WRONG) > len(text) * _WRONG_SHARE:
            continue
        score = _east_asian(text, codec) if codec in _COMMON_LEADS else _alphabetic(text, cyrillic=codec != "cp1252")
        if score > best_score:
            best, best_score = codec, score
    return best


def _sample(data: bytes) -> bytes:
    """Whole lines that hold bytes outside ASCII, enough of them: no character of these encodings goes over a line's end."""
    lines: list[bytes] = []
    wanted = _SAMPLE
    for line in data.split(b"\n"):
        if not line.isascii():
            lines.append(line)
            wanted -= len(line.translate(None, bytes(range(128))))
            if wanted <= 0:
                break
    return b"\n".join(lines)


def _east_asian(text: str, codec: str) -> float:
    scores = [_ideographic(c, codec) for c in text if c > "\x7f"]
    mean = sum(scores) / max(1, len(scores))
    if codec not in ("euc_jp", "cp932"):
        return mean
    kana = sum("\u3040" <= c <= "\u30ff" for c in text)
    return mean if kana > len(scores) * _KANA_SHARE else mean * 0.6


def _ideographic(character: str, codec: str) -> float:
    """How likely a character is in a text of the encoding's language; 1 is what half of such a text consists of."""
    if "\uac00" <= character <= "\ud7a3":
        return (1.3 if character in _FREQUENT_HANGUL else 0.8) if codec == "cp949" else 0.1
    if "\u3040" <= character <= "\u30ff":
        return 1.2 if codec in ("euc_jp", "cp932") else 0.3
    if "\u4e00" <= character <= "\u9fff":
        low, high = _COMMON_LEADS[codec]
        raw = character.encode(codec, "replace")
        everyday = low <= raw[0] <= high and (codec != "gb18030" or raw[-1] >= 0xA1)
        return 1.0 if everyday else 0.3
    if (
        "\u3000" <= character <= "\u303f"
        or "\u3131" <= character <= "\u318e"
        or "\uff00" <= character <= "\uff60"
        or "\u2010" <= character <= "\u25ff"
    ):
        return 0.8
    return 0.1


def _alphabetic(text: str, *, cyrillic: bool) -> float:
    judge = _cyrillic if cyrillic else _latin
    scores = [judge(text[i - 1 : i], c, text[i + 1 : i + 2]) for i, c in enumerate(text) if c > "\x7f"]
    return sum(scores) / max(1, len(scores))


def _latin(before: str, character: str, after: str) -> float:
    """Accented letters stand among plain ones, and capitals at the front of a word."""
    if not character.isalpha():
        return 0.8 if character in _SYMBOLS else 0.1
    if character.isupper() and before.islower():
        return 0.1
    among = (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha())
    alone = not before.isalpha() and not after.isalpha()
    return 1.0 if among else 0.5 if alone else 0.2


def _cyrillic(before: str, character: str, after: str) -> float:
    """Letters stand in runs of their own, and capitals at the front of a word: KOI8-R read as windows-1251 swaps the cases."""
    if not ("\u0410" <= character <= "\u044f" or character in "ЁёІіЇїЄєҐґЎў"):
        return 0.6 if character in _SYMBOLS else 0.0
    if character.isupper() and before.islower():
        return 0.0
    if (before.isascii() and before.isalpha()) or (after.isascii() and after.isalpha()):
        return 0.1
    return 1.0 if character.islower() or after.islower() else 0.4
