"""What does an engine answer in the corner cases of size and state?"""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from clew.assembly import open_engine
from clew.core.answer import Question
from clew.errors import NoIndex, UsageError, WriterBusy
from clew.stores.embedded import EmbeddedStore


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    root = tmp_path / "tiny"
    root.mkdir()
    (root / "app.py").write_text('def create_user(name):\n    """Create a user."""\n    return save(name)\n', encoding="utf-8")
    (root / "users.py").write_text("def delete_user(name):\n    return drop(name)\n", encoding="utf-8")
    (root / "auth.py").write_text("def login(user):\n    return user.session\n", encoding="utf-8")
    return root


def test_a_project_of_three_files_answers_a_vague_question_and_marks_it_weak(tiny: Path) -> None:
    with open_engine(tiny) as engine:
        answer = engine.search(Question("how do users log in", mode="hybrid"))
    assert "auth.py" in [r.chunk.filepath for r in answer.results[:2]]
    assert answer.confidence == "low"
    assert answer.hint


def test_a_plain_text_takes_options_by_name(tiny: Path) -> None:
    with open_engine(tiny) as engine:
        answer = engine.search("create_user", mode="fast", limit=1)
        assert answer == engine.search(Question("create_user"), mode="fast", limit=1)
        assert (answer.mode, len(answer.results)) == ("fast", 1)
        with pytest.raises(UsageError):
            engine.search("create_user", mode="fastest")


def test_a_question_about_something_else_gets_no_answer_there(tiny: Path) -> None:
    with open_engine(tiny) as engine:
        assert not engine.search(Question("quantum chromodynamics lattice", mode="hybrid")).results


def test_an_edit_is_seen_by_the_next_question_of_the_same_process(tiny: Path) -> None:
    with open_engine(tiny) as engine:
        assert not engine.search(Question("renew_passport", mode="fast")).results
        (tiny / "app.py").write_text("def renew_passport(name):\n    return name\n", encoding="utf-8")
        answer = engine.search(Question("renew_passport", mode="fast"))
        assert [r.chunk.symbol_name for r in answer.results] == ["renew_passport"]
        (tiny / "app.py").unlink()
        assert not engine.search(Question("renew_passport", mode="fast")).results


def test_a_changed_file_that_does_not_fit_the_time_budget_is_said_and_shown_from_the_index(tiny: Path) -> None:
    with open_engine(tiny) as engine:
        engine.index()
    (tiny / "app.py").write_text("\n\n\ndef create_user(name):\n    return None\n", encoding="utf-8")
    with open_engine(tiny, {"freshness_ms": 0}) as engine:
        answer = engine.search(Question("create_user", mode="fast"))
    assert answer.stale
    assert any("clew index" in warning for warning in answer.warnings)
    shown = next(r for r in answer.results if r.chunk.filepath == "app.py")
    assert shown.from_index
    assert "save(name)" in shown.code_snippet


def test_the_home_folder_is_not_indexed_unasked(home: Path) -> None:
    (home / "notes.py").write_text("def notes():\n    pass\n", encoding="utf-8")
    with open_engine(home) as engine:
        with pytest.raises(NoIndex):
            engine.search(Question("notes"))
        engine.index()
        assert engine.search(Question("notes", mode="fast")).results


def test_kept_chunks_are_all_that_were_there_before(tiny: Path) -> None:
    with open_engine(tiny) as engine:
        first = engine.index()
        second = engine.index()
    assert (first.chunks_added, first.chunks_kept) == (3, 0)
    assert (second.chunks_added, second.chunks_kept) == (0, 3)


def test_reading_and_outlining_tell_what_stands_in_a_file(tiny: Path) -> None:
    with open_engine(tiny) as engine:
        engine.index()
        assert [d.qualified_name for d in engine.outline("auth.py")] == ["login"]
        assert engine.read("auth.py", 2, 2) == "    return user.session"
        with pytest.raises(UsageError):
            engine.read("absent.py")
        with pytest.raises(UsageError):
            engine.outline("absent.py")


@pytest.mark.parametrize("mode", ["fast", "hybrid"])
def test_a_single_edit_never_needs_an_index_run_however_short_the_budget(tiny: Path, mode: str) -> None:
    with open_engine(tiny) as engine:
        engine.index()
    with (tiny / "users.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef rename_zebra(name):\n    return name\n")
    with open_engine(tiny, {"freshness_ms": 1}) as engine:
        answer = engine.search(Question("rename_zebra", mode=mode))
    assert not answer.stale
    assert answer.results[0].chunk.symbol_name == "rename_zebra"


def test_a_qualified_name_that_is_all_of_the_question_comes_before_everything_else(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(
        "class App:\n    def context_push(self):\n        '''Push an app context: context push, push context.'''\n        return AppContext.push(self)\n",
        encoding="utf-8",
    )
    (tmp_path / "ctx.py").write_text(
        "class AppContext:\n    def pop(self):\n        pass\n\n    def push(self):\n        stack.append(self)\n", encoding="utf-8"
    )
    with open_engine(tmp_path) as engine:
        for mode in ("auto", "fast", "hybrid"):
            first = engine.search(Question("AppContext.push", mode=mode)).results[0]
            assert first.chunk.symbol_name == "AppContext.push"


def test_a_place_as_clew_prints_it_leads_to_the_chunk_that_holds_the_line(tiny: Path) -> None:
    (tiny / "app.py").write_text("def one():\n    return 1\n\n\ndef two():\n    return 2\n", encoding="utf-8")
    with open_engine(tiny) as engine:
        for text, name in (
            ("app.py:6", "two"),
            ("app.py:1", "one"),
            ('File "/elsewhere/tiny/app.py", line 5, in two', "two"),
            ("./app.py", "one"),
        ):
            assert engine.search(Question(text)).results[0].chunk.symbol_name == name, text


def test_a_new_ignore_file_counts_for_the_next_question_of_the_same_process(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "a.py").write_text("def brand_new_thing():\n    return 1\n")
    with open_engine(tmp_path, {"freshness_ms": -1}) as engine:
        engine.index()
        assert engine.search(Question("brand_new_thing", mode="fast")).results
        assert engine.search(Question("brand_new_thing", mode="fast")).results
        (tmp_path / ".gitignore").write_text("inside/a.py\n")
        assert not engine.search(Question("brand_new_thing", mode="fast")).results


def test_an_index_run_waits_for_a_writer_that_is_done_in_a_moment(tiny: Path) -> None:
    done: list[int] = []

    def run() -> None:
        with open_engine(tiny) as engine:
            done.append(engine.index().indexed)

    waiting = threading.Thread(target=run)
    with EmbeddedStore.open(tiny / ".clew") as busy, busy.writer():
        waiting.start()
    waiting.join()
    assert done == [3]


def test_an_index_run_names_a_writer_that_takes_longer(tiny: Path) -> None:
    with EmbeddedStore.open(tiny / ".clew") as busy, busy.writer(), open_engine(tiny) as engine, pytest.raises(WriterBusy, match="process"):
        engine.index()


@pytest.mark.parametrize("mode", ["fast", "hybrid"])
def test_a_bare_class_is_shown_at_the_line_that_defines_it_not_at_its_long_comment_or_a_constructor(tmp_path: Path, mode: str) -> None:
    root = tmp_path / "bank"
    root.mkdir()
    comment = "".join(
        f" * Paragraph {n}: an Account has an owner, a balance and a currency that never change together.\n" for n in range(60)
    )
    body = (
        "    public Account(String owner) {\n        this.owner = owner;\n    }\n\n    public long balance() {\n        return 0;\n    }\n"
    )
    text = f"package bank;\n\n/**\n{comment} */\npublic final class Account {{\n    private final String owner;\n\n{body}}}\n"
    (root / "Account.java").write_text(text, encoding="utf-8")
    (root / "Teller.java").write_text(
        "package bank;\n\nclass Teller {\n    Account open(String who) {\n        return new Account(who);\n    }\n}\n"
    )
    with open_engine(root) as engine:
        first = engine.search(Question("Account", mode=mode)).results[0]
    assert "class Account" in first.chunk.code
