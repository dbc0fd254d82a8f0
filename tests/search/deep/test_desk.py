"""Is every move, however absurd, answered within a page, at once, and with nothing from outside of the index?"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from clew.assembly import open_engine
from clew.core.tokens import count_tokens
from clew.engine import Engine
from clew.search.deep.desk import PAGE_LINES, PAGE_TOKENS, Desk
from clew.search.deep.moves import Move
from clew.search.deep.notes import Notes

FRAME = 400
"""Tokens that a page has beside its lines, and of one line that is cut."""
ABSURD = (
    "../../../etc/passwd", "..", "/..", "a/" * 400, "*" * 999, "*a" * 400 + "b", "[" * 400, "**/" * 300, "(a+)+$", "((((x*)*)*)*)*y", "(?=a)" * 50, "\\1" * 90, "a{1,99999}" * 20,
    "(" * 900, "[[:alpha:]]", "\\", "%s%n", "' OR 1=1 --", "\0", "\x1b[31m", "\u202e", "name" * 2_000, "-", "~root", "C:\\Windows", "file:///etc/passwd", "src/\u2028", ".clew/catalog.db",
)  # fmt: skip


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    root = tmp_path_factory.mktemp("desk") / "shop"
    (root / "many").mkdir(parents=True)
    for number in range(200):
        (root / "many" / f"file_{number:03}.py").write_text(f"def common_{number}():\n    return shared\n")
    (root / "long.py").write_text("".join(f"def name_{number}():\n    return 1\n\n\n" for number in range(500)))
    (root / "wide.txt").write_text("a" * 30_000 + "!\n" + "ab " * 9_000 + "\n")
    (tmp_path_factory.getbasetemp() / "secret.txt").write_text("the secret of the house")
    with open_engine(root) as engine:
        engine.index()
        yield engine


def desk_of(engine: Engine) -> Desk:
    return Desk(engine._ground)


NUMBERS = some.one_of(some.integers(-3, 600), some.sampled_from([10**30, -(10**30), 2**63]))
MOVES = some.builds(
    Move,
    action=some.sampled_from(["ls", "cd", "cat", "find", "grep", "outline", "callers", "note"]),
    target=some.one_of(some.sampled_from(ABSURD), some.text(max_size=60), some.sampled_from(["many", "long.py", "wide.txt", ".", "shared", "common_7"])),
    line_start=NUMBERS,
    line_end=NUMBERS,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(moves=some.lists(MOVES, max_size=4))
def test_whatever_is_asked_a_page_answers_and_shows_nothing_from_outside(engine: Engine, moves: list[Move]) -> None:
    desk = desk_of(engine)
    notes = Notes(desk)
    for move in moves:
        page = notes.add(move) if move.action == "note" else desk.look(move)
        assert page and count_tokens(page) <= PAGE_TOKENS + FRAME
        assert "secret of the house" not in page and "root:" not in page and "\x1b" not in page
    assert all(1 <= one.line_start <= one.line_end and one.filepath in engine.files() for one in notes.kept)


@pytest.mark.parametrize("target", ABSURD)
def test_an_absurd_target_is_answered_by_every_move(engine: Engine, target: str) -> None:
    desk = desk_of(engine)
    for action in ("ls", "cd", "cat", "find", "grep", "outline", "callers"):
        assert desk.look(Move(action=action, target=target))  # type: ignore[arg-type]


def test_a_list_goes_on_where_it_was_cut_until_all_of_it_was_seen(engine: Engine) -> None:
    desk = desk_of(engine)
    for move, whole in (
        (Move(action="ls", target="many"), {f"file_{number:03}.py" for number in range(200)}),
        (Move(action="find", target="many"), {f"many/file_{number:03}.py" for number in range(200)}),
        (Move(action="grep", target="shared"), {f"many/file_{number:03}.py:2" for number in range(200)}),
        (Move(action="outline", target="long.py"), {f"name_{number}" for number in range(500)}),
    ):
        seen, start = set[str](), 0
        for _ in range(40):
            page = desk.look(move.model_copy(update={"line_start": start}))
            lines = [line for line in page.split("\n") if not line.startswith("…")]
            assert len(lines) <= PAGE_LINES
            seen |= {word for line in lines for word in line.split(" ")}
            if " more: " not in page:
                break
            start = int(page.rpartition("line_start ")[2])
        assert whole <= seen


def test_a_pattern_that_many_lines_match_shows_every_file_once(engine: Engine) -> None:
    page = desk_of(engine).look(Move(action="grep", target="name_"))
    assert page == "long.py:1 def name_0(): (+499 in this file)"
