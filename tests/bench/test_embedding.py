"""Does the embedding benchmark rank, score and compare as it says?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from bench.embedding import Ours, interval, ndcg, ranked, repositories, scores, speed

QUESTION = '{"id": "1", "repo": "shop", "query": "open the door", "gold": [{"path": "shop/door.py"}]}\n{"id": "2", "repo": "other", "query": "x", "gold": []}\n'


def test_a_file_stands_where_its_nearest_chunk_stands() -> None:
    cosines = np.array([0.2, 0.9, 0.5, 0.5], np.float32)
    assert ranked(cosines, ["a.py", "b.py", "a.py", "c.py"]) == ["b.py", "a.py", "c.py"]


def test_a_question_with_two_answers_is_answered_in_full_by_both() -> None:
    gold = [{"path": "src/a.py"}, {"path": "src/b.py"}]
    assert ndcg(["src/b.py", "src/a.py"], gold) == 1
    assert ndcg(["b.py", "a.py"], gold) == 1
    assert 0 < ndcg(["c.py", "src/a.py"], gold) < ndcg(["src/a.py", "c.py"], gold) < 1
    assert ndcg(["c.py"], gold) == 0


def test_the_interval_holds_the_mean_and_is_the_same_each_time() -> None:
    differences = [[0.1, 0.0, 0.2, 0.1], [0.0, 0.3, 0.1, 0.0]]
    low, high = interval(differences)
    assert 0 <= low < 0.1 < high
    assert interval(differences) == (low, high)


def test_a_repository_is_cut_and_its_questions_are_answered(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "door.py").write_text("def open_door(key):\n    return key.turn()\n", "utf-8")
    (tmp_path / "shop" / "till.py").write_text("def count_money(coins):\n    return sum(coins)\n", "utf-8")
    queries = tmp_path / "queries.jsonl"
    queries.write_text(QUESTION, "utf-8")
    (found,) = repositories(queries, tmp_path, ["shop"])
    assert sorted(found.paths) == ["door.py", "till.py"]
    assert scores(Ours(""), found) == [1.0]
    assert speed("", [found]) > 0
