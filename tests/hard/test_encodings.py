"""Are names, text and line numbers right in files that are not plain ASCII with `\\n`?"""

from __future__ import annotations

from typing import Any

import pytest

Project = Any

CSHARP = """using System;

namespace Shipping
{
    /// <summary>计算运费 (freight charge)</summary>
    public class FreightCalculator
    {
        /// <summary>Never asks more than the carrier's tariff allows.</summary>
        public decimal ClampFreightToTariff(decimal asked, decimal tariff)
        {
            return asked > tariff ? tariff : asked;
        }
    }
}
"""


@pytest.mark.parametrize("query", ["ClampFreightToTariff", "keep the freight charge below the tariff of the carrier"])
def test_a_method_is_found_behind_a_byte_order_mark_and_carriage_returns(project: Project, query: str) -> None:
    project.write("src/Freight.cs", b"\xef\xbb\xbf" + CSHARP.replace("\n", "\r\n").encode())
    report = project.index()
    assert report["files"] == {"indexed": 1, "unchanged": 0, "deleted": 0, "skipped": 0}
    found = project.find(query, "src/Freight.cs", (9, 12))
    assert found["line_start"] == 8
    for result in project.search(query):
        assert "\ufeff" not in result["code_snippet"]
        assert "\r" not in result["code_snippet"] + result["symbol_name"]


def test_a_comment_in_chinese_comes_back_unbroken(project: Project) -> None:
    project.write("src/Freight.cs", b"\xef\xbb\xbf" + CSHARP.replace("\n", "\r\n").encode())
    project.index()
    assert "计算运费" in project.find("FreightCalculator", "src/Freight.cs")["code_snippet"]


def test_files_in_old_encodings_are_indexed_and_named(project: Project) -> None:
    project.write("rohr.py", "# Länge des Rohres prüfen\ndef pruefe_laenge(wert):\n    return wert or 'überlang'\n".encode("latin-1"))
    project.write("order.c", "/* 订单数量检查 */\nint check_order_gbk(int qty)\n{\n    return qty > 0;   /* 数量 */\n}\n".encode("gbk"))
    project.write(
        "Member.java", "// 회원 등급 계산\nclass Member {\n    int gradeOfMember(int point) { return point / 100; }\n}\n".encode("euc-kr")
    )
    project.write("plain.py", "def control_in_utf8():\n    return 'ok'\n")
    report = project.index()
    assert report["files"]["indexed"] == 4
    for name, path in (
        ("pruefe_laenge", "rohr.py"),
        ("check_order_gbk", "order.c"),
        ("gradeOfMember", "Member.java"),
        ("control_in_utf8", "plain.py"),
    ):
        project.find(name, path)
    assert "Länge des Rohres" in project.find("pruefe_laenge", "rohr.py")["code_snippet"]
    notes = {note["filepath"]: note["note"] for note in project.status()["notes"]}
    assert set(notes) == {"rohr.py", "order.c", "Member.java"}
    assert all(note.startswith("decoded as") for note in notes.values())


def test_names_are_exact_behind_characters_of_several_bytes(project: Project) -> None:
    project.write(
        "emoji.py",
        '"""Grüße 😀👩‍👩‍👧 — 数据处理 e\u0301"""\n\nICON = "🚀🚀🚀"\n\n\ndef before_rocket(a):\n    return a\n\n\ndef after_rocket(b):\n    """説明"""\n    return b\n',
    )
    project.write(
        "emoji.js",
        "// ✅ 完了 🎉\nconst banner = '𝒳𝒴𝒵';\nfunction drawBannerEnd(x) {\n  return banner + x;\n}\nclass Ünïcode { lastMethodOfAll() { return '终'; } }\n",
    )
    project.index()
    for name, path, lines in (
        ("before_rocket", "emoji.py", (6, 7)),
        ("after_rocket", "emoji.py", (10, 12)),
        ("drawBannerEnd", "emoji.js", (3, 5)),
        ("lastMethodOfAll", "emoji.js", (6, 6)),
    ):
        found = project.find(name, path, lines)
        assert found["symbol_name"].rpartition(".")[2] == name
        assert (found["line_start"], found["line_end"]) == lines


def test_lines_are_counted_as_editors_and_sed_count_them(project: Project) -> None:
    project.write("crlf.js", "".join(f"// filler {i}\r\n" for i in range(1, 41)) + "function behindCrlf() {\r\n  return 42;\r\n}\r\n")
    project.write("feeds.py", "import os\n\x0c\n# section\n\x0c\ndef behind_feeds():\n    return os.getcwd()\n")
    project.write("separators.py", "A = 'x\u2028y'\nB = 'p\u0085q'\nC = '\x1c\x1d'\n\ndef behind_separators():\n    return A + B + C\n")
    project.index()
    for name, path, lines in (
        ("behindCrlf", "crlf.js", (41, 43)),
        ("behind_feeds", "feeds.py", (5, 6)),
        ("behind_separators", "separators.py", (5, 6)),
    ):
        found = project.find(name, path, lines)
        assert found["line_end"] == lines[1]
        assert name in found["code_snippet"]


def test_null_characters_and_escapes_in_a_text_reach_no_terminal(project: Project, command: Any) -> None:
    project.write("a.py", "x = 1\n" * 2_000 + "def with_escape():\n    return '\x1b[31mred\x1b[0m \x00 \x07'\n")
    project.index()
    project.find("with_escape", "a.py", (2001, 2002))
    shown = command("search", "--path", str(project.root), "with_escape")
    assert shown.code == 0
    assert not set(shown.out) & set(b"\x1b\x00\x07")
