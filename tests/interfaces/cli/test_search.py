"""Does `clew search` keep its contract?"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
ANSWER = ["query", "mode", "results", "confidence", "confidence_score", "hint", "warnings", "stale", "tokens", "reasons", "neighbours"]
RESULT = (
    "id namespace filepath absolute_path symbol_name symbol_type language line_start line_end signature parent docstring "
    "imports calls code_snippet from_index score reasons"
).split()


def paths(answer: Any) -> list[str]:
    return [result["filepath"] for result in answer["results"]]


def test_the_first_search_makes_the_index_and_finds_the_place(project: Path, clew: Run) -> None:
    done = clew("search", "--json", "total_price")
    assert done.code == 0
    assert list(done.json) == ANSWER
    first = done.json["results"][0]
    assert list(first) == RESULT
    assert (first["filepath"], first["symbol_name"]) == ("src/basket.py", "Basket.total_price")
    assert first["absolute_path"] == str(project / "src" / "basket.py")
    lines = (project / "src" / "basket.py").read_text().split("\n")
    assert first["code_snippet"] == "\n".join(lines[first["line_start"] - 1 : first["line_end"]])
    assert (project / ".clew").is_dir()


@pytest.mark.parametrize("mode", ["auto", "fast", "semantic", "hybrid"])
def test_every_mode_finds_what_the_words_say(project: Path, clew: Run, mode: str) -> None:
    done = clew("search", "--json", "--mode", mode, "sum up what the customer has to pay")
    assert done.code == 0
    assert done.json["results"][0]["symbol_name"].startswith("Basket")


def test_nothing_found_is_exit_code_1_with_an_answer_and_a_hint(project: Path, clew: Run) -> None:
    done = clew("search", "--json", "--mode", "fast", "zyxwvut")
    assert done.code == 1
    assert done.json["results"] == []
    assert done.json["confidence"] == "none"
    assert done.json["hint"]
    plain = clew("search", "--mode", "fast", "zyxwvut")
    assert (plain.code, plain.out) == (1, "")
    assert "nothing found" in plain.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["search", ""], "empty"),
        (["search", "  \n"], "empty"),
        (["search"], "one question"),
        (["search", "x", "--batch", "y"], "one question"),
        (["search", "x", "--limit", "0"], "limit"),
        (["search", "x", "--limit", "ten"], "--limit"),
        (["search", "x", "--max-tokens", "-1"], "max_tokens"),
        (["search", "x", "--ef", "-1"], "ef"),
        (["search", "x", "--mode", "quick"], "quick"),
        (["search", "x", "--mode", "deeper"], "deeper"),
        (["search", "x", "--bogus"], "--bogus"),
        (["search", "x", "y"], "y"),
        (["search", "x", "--in", ""], "in"),
        (["search", "x", "--in", "/"], "outside"),
        (["search", "x", "--namespace", "another"], "another"),
        (["search", "x", "--embedder", "nowhere:"], "nowhere"),
        (["search", "x", "--path", "no/such/folder"], "no/such/folder"),
        (["serch", "x"], "serch"),
    ],
)
def test_wrong_use_is_exit_code_2_and_valid_json(project: Path, clew: Run, arguments: list[str], said: str) -> None:
    done = clew(*arguments, "--json") if "--batch" not in arguments else clew(*arguments)
    assert done.code == 2
    assert set(done.json["error"]) == {"code", "message", "hint"}
    assert done.json["error"]["code"] == "usage"
    assert said in done.json["error"]["message"]
    plain = clew(*arguments)
    assert plain.code == 2
    if "--batch" not in arguments:
        assert plain.out == ""
        assert said in plain.err


def test_filters_restrict_the_answer(project: Path, clew: Run) -> None:
    everything = paths(clew("search", "--json", "customer").json)
    assert set(everything) == {"src/basket.py", "web/mail.js"}
    for options in (["--in", "web"], ["--in", "*.js"], ["--language", "javascript"], ["--in", str(project / "web")]):
        assert set(paths(clew("search", "--json", "customer", *options).json)) == {"web/mail.js"}
    methods = clew("search", "--json", "basket", "--symbol-type", "method").json["results"]
    assert {result["symbol_type"] for result in methods} == {"method"}


def test_several_filters_of_one_kind_mean_or(project: Path, clew: Run) -> None:
    done = clew("search", "--json", "customer", "--in", "web", "--in", "src", "--language", "python", "--language", "javascript")
    assert set(paths(done.json)) == {"src/basket.py", "web/mail.js"}


def test_the_own_namespace_is_no_restriction(project: Path, clew: Run) -> None:
    name = clew("index", "--json").json["namespace"]
    assert clew("search", "--json", "Basket", "--namespace", name).code == 0


def test_limit_and_max_tokens_are_kept(project: Path, clew: Run) -> None:
    assert len(clew("search", "--json", "customer", "--limit", "1").json["results"]) == 1
    small = clew("search", "--json", "customer", "--max-tokens", "120").json
    assert small["tokens"] <= 120


def test_a_query_that_starts_with_a_dash_goes_after_two(project: Path, clew: Run) -> None:
    (project / "flags.txt").write_text("--error-on-warnings stops at the first warning\n")
    done = clew("search", "--json", "--", "--error-on-warnings")
    assert done.code == 0
    assert paths(done.json)[0] == "flags.txt"
    assert clew("search", "--", "--json").code in (0, 1)


def test_a_search_from_a_folder_inside_answers_for_the_project(project: Path, clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    clew("index")
    monkeypatch.chdir(project / "web")
    assert paths(clew("search", "--json", "total_price").json)[0] == "src/basket.py"


def test_piped_output_is_like_greps(project: Path, clew: Run) -> None:
    done = clew("search", "total_price")
    first, second = done.out.split("\n")[:2]
    assert first == "src/basket.py:14-16  Basket.total_price"
    assert second == "14      def total_price(self, prices: dict) -> float:"
    assert "\x1b" not in done.out + done.err


def test_explain_shows_score_and_reasons(project: Path, clew: Run) -> None:
    done = clew("search", "--explain", "total_price")
    assert done.out.split("\n")[1].startswith("    score ")
    assert "mode fast" in done.err


def test_color_can_be_asked_for(project: Path, clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_COLOR", "always")
    done = clew("search", "total_price", "--explain")
    assert "\x1b[" in done.out
    assert "total_price" in done.out
    monkeypatch.setenv("CLEW_COLOR", "never")
    assert "\x1b" not in clew("search", "total_price").out


@pytest.mark.parametrize("color", ["always", "never"])
def test_control_characters_of_a_file_never_reach_the_terminal(
    project: Path, clew: Run, monkeypatch: pytest.MonkeyPatch, color: str
) -> None:
    (project / "evil.py").write_text('def evil_title():\n    return "\x1b]0;owned\x07 \x9b31m \u202e"\n')
    monkeypatch.setenv("CLEW_COLOR", color)
    done = clew("search", "evil_title")
    assert "evil_title" in done.out
    for acting in ("\x1b]", "\x07", "\x9b", "\u202e"):
        assert acting not in done.out
    assert "\\x1b]0;owned" in re.sub(r"\x1b\[[0-9;]*m", "", done.out)


def test_undecodable_names_are_shown_by_their_bytes(project: Path, clew: Run) -> None:
    Path(str(project / "caf\udce9.py")).write_text("def espresso_machine():\n    return 1\n")
    done = clew("search", "--json", "espresso_machine")
    assert paths(done.json)[0] == "caf\\xe9.py"
    assert "caf\\xe9.py:1-2" in clew("search", "espresso_machine").out


def test_a_long_snippet_is_cut(project: Path, clew: Run) -> None:
    body = "\n".join(f"    value_{number} = {number}  # lorem ipsum" for number in range(400))
    (project / "long.py").write_text(f"def very_long_function():\n{body}\n")
    snippets = [result["code_snippet"] for result in clew("search", "--json", "very_long_function value").json["results"]]
    assert all(len(snippet) <= 2_000 + len("\n... (truncated)") for snippet in snippets)


def test_rerank_without_a_reranker_is_said(project: Path, clew: Run) -> None:
    assert any("rerank" in warning for warning in clew("search", "--json", "--rerank", "Basket").json["warnings"])


def test_an_unknown_variable_of_ours_is_warned_about_on_stderr(project: Path, clew: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_LIMITS", "3")
    done = clew("search", "--json", "Basket")
    assert "CLEW_LIMITS" in done.err
    assert done.code == 0


def test_settings_of_the_project_count(project: Path, clew: Run) -> None:
    (project / "clew.toml").write_text('limit = 1\nexclude = ["web"]\n')
    answer = clew("search", "--json", "customer").json
    assert len(answer["results"]) == 1
    assert paths(answer) == ["src/basket.py"]


def test_a_faulty_clew_toml_is_exit_code_2(project: Path, clew: Run) -> None:
    (project / "clew.toml").write_text("limit = = 1")
    done = clew("search", "--json", "customer")
    assert done.code == 2
    assert "clew.toml" in done.json["error"]["message"]


def test_a_damaged_index_is_exit_code_4_and_says_how_to_rebuild(project: Path, clew: Run) -> None:
    clew("index")
    for part in (project / ".clew").glob("catalog.db*"):
        part.write_bytes(b"this is no database, and long enough to look like one" * 100)
    done = clew("search", "--json", "Basket")
    assert done.code == 4
    assert "--rebuild" in done.json["error"]["hint"]
    assert clew("index", "--rebuild").code == 0
    assert clew("search", "Basket").code == 0
