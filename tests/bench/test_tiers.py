"""Do the scripted models do what they are for, over several repositories in one project, within the limits of the tiers?"""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.deep_reading import Tally as DeepTally
from bench.tiers import MODELS, Tally, merged, told

from clew.assembly import open_engine

NAMES = {"shop": ("refund", "charge", "ship"), "mail": ("send", "queue", "retry")}


def test_a_merged_project_is_asked_within_the_limits_and_the_oracle_reaches_the_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {}
    for name, words in NAMES.items():
        for word in words:
            (tmp_path / "trees" / name / word).mkdir(parents=True)
            for number in range(8):
                code = f"def {word}_{number}(customer):\n    return customer.{word}\n"
                (tmp_path / "trees" / name / word / f"{word}{number}.py").write_text(code)
        asked[name] = [
            {"query": f"how does a customer {word} thing {number}", "gold": [{"path": f"{word}/{word}{number}.py"}]}
            for word, number in zip(words, (5, 6, 7), strict=True)
        ]
    some = merged(tmp_path / "trees", tmp_path / "one", 1_000, asked)
    assert some[0]["gold"] == [{"path": "mail/send/send5.py"}] and len(some) == 6
    tally, deep = Tally(), DeepTally()
    with open_engine(tmp_path / "one", {"index_dir": str(tmp_path / "index")}) as engine:
        engine.index()
        for number, question in enumerate(some):
            tally.ask("one", engine._ground, question, number)
            deep.ask("one", engine._ground, question, sees_seeds=False)
    told(tally, 0)
    assert len(tally.calls) == len(MODELS) * 6 and max(tally.calls) <= 3 and max(tally.read) <= 6_000 and tally.lost == tally.empty == 0
    assert min(tally.scores["one"]["oracle"]) > 0.6 and max(tally.auto_calls) <= 4
    assert deep.found == [1.0] * 6 and max(deep.calls) <= 15, "blind to what was found he reads his way there"
    assert "0 answers lost" in capsys.readouterr().out
