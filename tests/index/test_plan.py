"""Does a plan name exactly what must be done?"""

from __future__ import annotations

from clew.core.answer import Skip
from clew.core.catalog import FileRecord
from clew.index.plan import plan
from clew.sources.walking import Found

KNOWN = {"a.py": FileRecord("a.py", size=10, mtime_ns=5), "b.py": FileRecord("b.py", size=20, mtime_ns=6)}


def test_nothing_is_to_be_done_when_sizes_and_times_are_known() -> None:
    todo = plan(KNOWN, {"a.py": Found(10, 5), "b.py": Found(20, 6)})
    assert not todo
    assert todo.unchanged == 2


def test_new_files_and_files_of_another_size_or_time_are_read() -> None:
    todo = plan(KNOWN, {"a.py": Found(11, 5), "b.py": Found(20, 7), "c.py": Found(1, 1)})
    assert todo.suspects == ("a.py", "b.py", "c.py")
    assert todo.deleted == ()


def test_a_file_that_is_no_longer_listed_is_deleted_whether_it_is_gone_or_ignored() -> None:
    assert plan(KNOWN, {"a.py": Found(10, 5)}).deleted == ("b.py",)


def test_a_file_that_is_left_out_now_loses_its_chunks_and_keeps_its_reason() -> None:
    todo = plan(KNOWN, {"a.py": Found(10, 5)}, (Skip("b.py", "binary"),))
    assert todo.deleted == ()
    assert todo.skips == (Skip("b.py", "binary"),)


def test_a_known_skip_is_no_news_until_its_reason_changes() -> None:
    known = {"b.py": FileRecord("b.py", 0, 0, skipped="binary")}
    assert not plan(known, {}, (Skip("b.py", "binary"),))
    assert plan(known, {}, (Skip("b.py", "too large"),)).skips


def test_a_plan_with_distrust_reads_every_file() -> None:
    todo = plan(KNOWN, {"a.py": Found(10, 5), "b.py": Found(20, 6)}, distrust=True)
    assert todo.suspects == ("a.py", "b.py")


def test_the_order_of_a_plan_does_not_depend_on_the_order_of_the_listing() -> None:
    found = {"z.py": Found(1, 1), "a.py": Found(1, 1)}
    assert plan({}, found).suspects == plan({}, dict(reversed(found.items()))).suspects == ("a.py", "z.py")
