"""Answers to questions, from the legs to the ranked lines."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.search.conftest import SCOPE, Piece, make

from clew.core.answer import Question
from clew.core.query import Filters, PathFilter
from clew.errors import IndexUnusable, ModelMismatch, UsageError
from clew.search.searcher import Searcher
from clew.testing import HashingEmbedder

if TYPE_CHECKING:
    from clew.core.catalog import Vector

NOISE = {f"src/module_{i}.py": f"def unrelated_{i}(value):\n    return value + {i}" for i in range(12)}


class Translating(HashingEmbedder):
    """A model that knows the meaning of one unknown word."""

    def embed_query(self, text: str) -> Vector:
        return super().embed_query(text.replace("zebra pancake velocipede", "src/billing.py def settle pass"))


def test_the_definition_of_a_bare_name_comes_before_files_that_use_it() -> None:
    project = make(
        NOISE
        | {
            "src/use.py": "open_invoice(1)\nopen_invoice(2)\nopen_invoice(3)",
            "src/billing.py": [Piece("import x"), Piece("def open_invoice(customer):\n    return customer", "open_invoice")],
        }
    )
    first = project.ranked("open_invoice")[0]
    assert (first.chunk.filepath, first.chunk.symbol_name) == ("src/billing.py", "open_invoice")


def test_a_test_does_not_outrank_what_it_tests_unless_it_is_asked_for() -> None:
    body = "def rotate_signing_key():\n    rotate the signing key"
    project = make(NOISE | {"src/keys.py": body, "tests/test_keys.py": body + "\n" + body})
    assert project.files("how is the signing key rotated")[0] == "src/keys.py"
    assert project.files("tests of signing key rotation")[0] == "tests/test_keys.py"


def test_generated_vendored_and_written_noise_stays_below_the_code() -> None:
    noise = "rotate signing key\n" * 30
    project = make(
        NOISE
        | {
            "src/keys.py": [Piece('def rotate_signing_key(store):\n    """Rotate the signing key."""', "rotate_signing_key")],
            "proto/keys_pb2.py": noise,
            "vendor/acme/keys.py": noise,
            "poetry.lock": noise,
            "CHANGELOG.md": noise,
        }
    )
    for question in ("rotate_signing_key", "rotate signing key", "how is the signing key rotated"):
        assert project.files(question)[0] == "src/keys.py"


def test_a_vendored_copy_is_found_where_only_it_is_searched() -> None:
    project = make({"src/keys.py": "def rotate(): pass", "vendor/acme/keys.py": "def rotate(): pass"})
    inside = Filters(paths=(PathFilter("vendor"),))
    assert project.files("rotate", filters=inside) == ["vendor/acme/keys.py"]


def test_a_file_that_is_called_what_is_asked_comes_first() -> None:
    body = "def run(value):\n    return the redirect of a request"
    project = make(NOISE | {"src/alpha.py": body, "src/redirect.py": body, "src/zeta.py": body})
    assert project.files("redirect of requests")[0] == "src/redirect.py"


def test_of_two_files_of_one_name_the_one_in_the_folder_that_is_asked_for_comes_first() -> None:
    body = "def convert(text):\n    return markdown of the text"
    project = make(NOISE | {"src/readers/markdown.py": body, "src/writers/markdown.py": body})
    assert project.files("reader for markdown")[0] == "src/readers/markdown.py"
    assert project.files("writer for markdown")[0] == "src/writers/markdown.py"


def test_beside_vectors_a_file_among_others_that_fit_comes_before_an_equal_one_alone() -> None:
    body = "def run(value):\n    drain the queue of jobs"
    beside = "def pull(value):\n    a worker pulls jobs from the queue"
    project = make(NOISE | {"lib/first.py": body, "src/second.py": body, "src/third.py": beside}, vectors=True)
    assert project.files("drain the queue of jobs", mode="hybrid")[:2] == ["src/second.py", "lib/first.py"]


def test_with_words_alone_a_file_whose_definitions_are_called_so_comes_before_one_that_talks_of_it() -> None:
    talk = [Piece(f"def step_{i}(value):\n    evict cache entries, evict cache entries", f"step_{i}") for i in range(3)]
    does = [Piece(f"def {name}(value):\n    return value", name) for name in ("evict_entries", "evict_oldest", "cache_entries")]
    project = make(NOISE | {"src/a_talk.py": talk, "src/store.py": does})
    assert project.files("evict entries of the cache", mode="fast")[0] == "src/store.py"


def test_a_file_that_is_near_as_a_whole_comes_before_one_with_a_single_near_chunk() -> None:
    pieces = [Piece(f"def f{i}(): invoice payment total {i}", f"f{i}") for i in range(4)]
    other = [Piece("def g(): invoice payment total", "g"), *(Piece(f"def h{i}(): socket poll thread {i}", f"h{i}") for i in range(3))]
    project = make(NOISE | {"src/a.py": other, "src/b.py": pieces}, vectors=True)
    assert project.files("invoice payment total", mode="semantic")[0] == "src/b.py"


def test_the_best_of_the_first_file_stands_twice_before_a_file_that_is_hardly_one() -> None:
    keys = [
        Piece("def sign_session_cookie(secret):\n    sign the session cookie with the key", "sign_session_cookie"),
        Piece("def sign_key(secret):\n    sign the session cookie key", "sign_key"),
        Piece("def unrelated(): pass", "unrelated"),
    ]
    aside = "def show(page):\n    sign the session cookie" + " and other words of many kinds which fill it up" * 3
    mentions = {f"src/page_{i}.py": aside for i in range(4)}
    project = make(NOISE | mentions | {"src/keys.py": keys})
    assert project.files("sign the session cookie", limit=5)[:3] == ["src/keys.py", "src/keys.py", "src/page_0.py"]
    scores = [line.score for line in project.ranked("sign the session cookie")]
    assert scores == sorted(scores, reverse=True)


def test_every_file_that_fits_comes_before_most_of_the_chunks_of_one() -> None:
    project = make(
        {
            "a.py": [Piece(f"def cache_{i}(): cache", f"cache_{i}") for i in range(6)],
            "b.py": [Piece("def cache(): cache", "cache")],
            "c.py": [Piece("def store(): cache", "store")],
            **NOISE,
        }
    )
    files = project.files("cache store")
    assert {"a.py", "b.py", "c.py"} <= set(files[:5])


def test_a_bare_name_is_defined_where_it_is_spelled_so() -> None:
    uses = [Piece(f"def deserialize(value_{i}):\n    deserialize deserialize", "deserialize") for i in range(4)]
    project = make(NOISE | {"src/deserialize.py": uses, "src/traits.py": [Piece("class Deserialize:\n    pass", "Deserialize", "trait")]})
    assert project.files("Deserialize")[0] == "src/traits.py"
    assert project.files("deserialize")[0] == "src/deserialize.py"


def test_of_a_bare_name_the_outermost_definition_comes_first() -> None:
    inner = {
        f"src/visitor_{i}.py": [Piece("class Visitor:\n    visitor visitor", f"parse_{i}.Visitor", "struct"), Piece("visitor", "visit")]
        for i in range(8)
    }
    project = make(NOISE | inner | {"src/walking.py": [Piece("class Visitor:\n    pass", "Visitor", "trait")]})
    assert project.files("Visitor")[0] == "src/walking.py"


def test_what_extends_a_type_does_not_define_it() -> None:
    extends = {f"src/wrapper_{i}.py": [Piece("extension Wrapper: wrapper wrapper", "Wrapper", "extension")] for i in range(3)}
    project = make(NOISE | extends | {"src/kit.py": [Piece("struct Wrapper: pass", "Wrapper", "struct")]})
    assert project.files("Wrapper")[0] == "src/kit.py"


def test_an_older_version_beside_a_newer_one_is_held_back_unless_it_is_named() -> None:
    old = Piece("def parse_schema(text):\n    parse the schema, parse the schema", "parse_schema")
    new = Piece("def parse_schema(text):\n    parse the schema", "parse_schema")
    project = make(NOISE | {"src/v3/parse.py": [old], "src/v4/parse.py": [new]})
    assert project.files("parse the schema")[0] == "src/v4/parse.py"
    assert project.files("parse the schema in v3")[0] == "src/v3/parse.py"


def test_the_limit_counts_lines() -> None:
    project = make({f"f{i}.py": "cache" for i in range(9)})
    assert len(project.files("cache", limit=4)) == 4


def test_a_file_named_by_its_path_comes_first() -> None:
    project = make(NOISE | {"src/api/h.py": "pass", "src/apiary/h.py": "api h src py " * 9})
    assert project.files("src/api/h.py")[0] == "src/api/h.py"


def test_a_path_alone_shows_the_definitions_of_that_file_and_of_no_other() -> None:
    pieces = [
        Piece("import billing\nimport src.billing"),
        Piece("class Invoice:\n    total = 0", "Invoice", "class"),
        Piece("def pay(self): pass", "Invoice.pay", "method"),
        Piece("def open_invoice(): pass", "open_invoice"),
    ]
    project = make(NOISE | {"src/billing.py": pieces, "src/use.py": "import src.billing, billing.py"})
    ranked = project.ranked("src/billing.py")
    assert [line.chunk.symbol_name for line in ranked[:3]] == ["Invoice", "open_invoice", "Invoice.pay"]
    assert {line.chunk.filepath for line in ranked} == {"src/billing.py"}
    assert "src/use.py" in project.files("src/nowhere.py of billing")
    assert project.ranked("src/billing.py:2")[0].chunk.symbol_type == "block"


def test_equal_files_are_ordered_by_path() -> None:
    project = make(dict.fromkeys(("c.py", "a.py", "b.py"), "def cache(): pass"))
    assert project.files("cache") == ["a.py", "b.py", "c.py"]


@pytest.mark.parametrize("mode", ["fast", "hybrid", "semantic", "auto"])
def test_punctuation_alone_finds_nothing_and_is_no_error(mode: str) -> None:
    found = make(NOISE, vectors=True).search("%_% {}[] \\ * ( \" '", mode)
    assert (found.ranked, found.confidence.level) == ((), "none")


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("--error-on-warnings", "cli.rs"),
        ("config::Loader", "cli.rs"),
        ("multi-agent", "ver.py"),
        ("can't open file: don't retry", "ver.py"),
        ("C:\\Temp\\out.txt", "ver.py"),
        ("^foo\\.(bar|baz)*$", "ver.py"),
        ("审批流程", "zh.py"),
        ("認証", "ja.py"),
        ("등급", "ko.py"),
        ("Höchstgeschwindigkeit", "de.py"),
        ("Ho\u0308chstgeschwindigkeit", "de.py"),
    ],
)
@pytest.mark.parametrize("mode", ["fast", "auto"])
def test_questions_in_any_script_or_syntax_are_only_text(question: str, path: str, mode: str) -> None:
    project = make(
        NOISE
        | {
            "cli.rs": 'args.any(|a| a == "--error-on-warnings")\nimpl config::Loader {}',
            "ver.py": 'MSG = "can\'t open file: don\'t retry"\nP = r"^foo\\.(bar|baz)*$"\nW = "C:\\\\Temp\\\\out.txt"\nN = "multi-agent"',
            "zh.py": "# 采购订单自动审批流程",
            "ja.py": "# ユーザー認証のトークンを更新する",
            "ko.py": "# 회원 등급을 계산한다",
            "de.py": "# Berechnet die Höchstgeschwindigkeit der Förderanlage",
        }
    )
    assert project.files(question, mode)[0] == path


# -- legs that fail --


def test_fast_answers_without_numpy() -> None:
    script = "import sys, clew.search.searcher; sys.exit('numpy' in sys.modules or 'sqlite3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_fast_never_asks_for_the_embedder() -> None:
    def load() -> HashingEmbedder:
        raise AssertionError("loaded")

    project = make(NOISE, vectors=True)
    assert Searcher(project.store, load).search(SCOPE, Question("unrelated_3", mode="fast")).ranked


def test_without_an_embedder_hybrid_answers_by_words_and_says_so() -> None:
    found = make(NOISE).search("unrelated value", "hybrid")
    assert found.ranked
    assert "no embedder" in found.warnings[0]


def test_without_vectors_semantic_is_an_error() -> None:
    project = make(NOISE)
    with pytest.raises(IndexUnusable):
        Searcher(project.store, HashingEmbedder).search(SCOPE, Question("value", mode="semantic"))


def test_vectors_of_another_model_are_not_compared() -> None:
    project = make(NOISE, vectors=True)
    searcher = Searcher(project.store, lambda: HashingEmbedder(dims=64))
    with pytest.raises(ModelMismatch):
        searcher.search(SCOPE, Question("unrelated value", mode="semantic"))
    found = searcher.search(SCOPE, Question("unrelated value", mode="hybrid"))
    assert found.ranked
    assert "another model" in found.warnings[0]


def test_an_embedder_that_breaks_costs_its_leg_only() -> None:
    def load() -> HashingEmbedder:
        raise OSError("weights.npy is gone")

    project = make(NOISE, vectors=True)
    found = Searcher(project.store, load).search(SCOPE, Question("unrelated value", mode="hybrid"))
    assert found.ranked
    assert "weights.npy is gone" in found.warnings[0]


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(UsageError):
        make(NOISE).search("x", "psychic")


# -- modes and confidence --


def test_semantic_finds_by_vectors_alone() -> None:
    project = make(NOISE | {"src/billing.py": "create an invoice for the customer"}, vectors=True)
    assert project.files("create an invoice for a customer", "semantic")[0] == "src/billing.py"


def test_auto_answers_a_name_fast_and_words_with_vectors() -> None:
    project = make(NOISE | {"a.py": [Piece("def open_invoice(): pass", "open_invoice")]}, vectors=True)
    assert project.search("open_invoice", "auto").mode == "fast"
    assert project.search("unrelated values are returned", "auto").mode == "hybrid"


def test_auto_goes_on_to_vectors_when_a_name_is_found_nowhere() -> None:
    found = make(NOISE, vectors=True).search("velocipede", "auto")
    assert found.mode == "hybrid"
    assert any("not confident" in reason for reason in found.reasons)


def test_auto_keeps_the_one_place_of_a_word_that_stands_in_the_code() -> None:
    project = NOISE | {"notes.md": [Piece("Some lines about nothing much, and velocipede among them.", "notes.md:1-1")]}
    found = make(project, vectors=True).search("velocipede", "auto")
    assert "notes.md" in [ranked.chunk.filepath for ranked in found.ranked]


def test_nonsense_finds_nothing_by_words() -> None:
    found = make(NOISE, vectors=True).search("zebra pancake velocipede submarine trombone", "fast")
    assert (found.ranked, found.confidence.level) == ((), "none")


def test_what_is_too_weak_to_be_shown_is_counted() -> None:
    words = " ".join(f"unknown{letter}" for letter in "abcdefghij")
    found = make(NOISE | {"src/billing.py": "invoice"}).search(f"invoice {words}", "fast")
    assert (found.ranked, found.withheld) == ((), 1)
    assert make(NOISE).search("zebra pancake", "fast").withheld == 0


def test_what_is_near_is_shown_as_weak_where_no_word_of_the_question_occurs() -> None:
    project = make(NOISE | {"src/billing.py": [Piece("def settle(): pass", "settle")]}, embedder=Translating())
    found = project.search("zebra pancake velocipede", "hybrid")
    assert 0 < len(found.ranked) <= 5
    assert found.confidence.level == "low"
    assert any("weak" in warning for warning in found.warnings)
    assert project.search("zebra pancake velocipede", "fast").ranked == ()


def test_nonsense_is_never_sure_and_scores_far_below_a_true_match() -> None:
    project = make(
        NOISE | {"src/billing.py": [Piece('def open_invoice(customer):\n    """Create an invoice for the customer."""', "open_invoice")]},
        vectors=True,
    )
    true = project.search("create an invoice for a customer", "hybrid")
    nonsense = project.search("zebra pancake velocipede submarine trombone", "hybrid")
    assert true.confidence.level in ("high", "medium")
    assert nonsense.confidence.level in ("low", "none")
    assert max((line.score for line in nonsense.ranked), default=0.0) < true.ranked[0].score / 2


def test_one_known_word_among_unknown_ones_is_a_weak_match() -> None:
    project = make(NOISE | {"src/billing.py": "invoice"})
    found = project.search("invoice zebra", "fast")
    assert (found.confidence.level, len(found.ranked)) == ("low", 1)
    assert any("weak" in warning for warning in found.warnings)


def test_every_line_says_why_it_is_there() -> None:
    project = make(NOISE | {"src/billing.py": [Piece("def open_invoice(): pass", "open_invoice")]})
    assert "defines the name" in project.ranked("open_invoice")[0].reasons


def test_a_file_without_any_evidence_is_no_result() -> None:
    project = make({"src/billing.py": "create an invoice for the customer", "src/mail.py": "zebra pancake"}, vectors=True)
    assert project.files("create an invoice for a customer", "hybrid") == ["src/billing.py"]
