"""What does an engine do whose index, or whose project, is taken away while it is open? It makes the index anew and says so, or says what is gone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clew.assembly import open_engine
from clew.core.answer import Question
from clew.errors import NoIndex, UsageError
from clew.index.upkeep import DELETED

ONLY_IN_3 = Question("only_in_3", mode="fast")


def test_an_index_deleted_while_it_is_open_is_made_anew_and_that_is_said_once(project: Path) -> None:
    with open_engine(project) as engine:
        engine.index()
        before = engine.search(ONLY_IN_3)
        shutil.rmtree(project / ".clew")
        (project / "late.py").write_text("def late_comer():\n    return 1\n")

        first, second = engine.search(Question("late_comer", mode="fast")), engine.search(ONLY_IN_3)

        assert [r.chunk.symbol_name for r in first.results] == ["late_comer"]
        assert DELETED in first.warnings
        assert DELETED not in second.warnings
        assert [r.chunk.symbol_name for r in second.results] == [r.chunk.symbol_name for r in before.results]
        assert engine.status().files == 13
    with open_engine(project) as another:
        assert another.status().files == 13


def test_an_index_replaced_while_it_is_open_is_the_one_that_answers(project: Path) -> None:
    with open_engine(project) as engine:
        engine.index()
        engine.search(ONLY_IN_3)
        shutil.rmtree(project / ".clew")
        (project / "late.py").write_text("def late_comer():\n    return 1\n")
        with open_engine(project) as another:
            another.index()
        answer = engine.search(Question("late_comer", mode="fast"))
    assert [r.chunk.symbol_name for r in answer.results] == ["late_comer"]
    assert DELETED not in answer.warnings


@pytest.mark.parametrize("indexed", [True, False])
def test_a_project_that_is_gone_is_said_and_not_made_again(project: Path, indexed: bool) -> None:
    with open_engine(project) as engine:
        if indexed:
            engine.index()
        project.rename(project.with_name("moved"))
        for use in (engine.index, lambda: engine.search(ONLY_IN_3)):
            with pytest.raises(NoIndex, match="gone"):
                use()
    assert not project.exists()
    with open_engine(project.with_name("moved")) as moved:
        assert moved.search(ONLY_IN_3).results
        assert moved.status().files == 12


def test_a_closed_engine_says_that_it_is_closed(project: Path) -> None:
    engine = open_engine(project)
    engine.index()
    engine.close()
    for use in (lambda: engine.search(ONLY_IN_3), engine.status, engine.index, lambda: engine.outline("part0/file0.py")):
        with pytest.raises(UsageError, match="closed"):
            use()
    engine.close()
