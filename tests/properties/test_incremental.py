"""Does an index that followed a history equal one made from its end?"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.assembly import open_engine
from clew.core.answer import Question
from clew.engine import Engine

PATHS = ("app.py", "pkg/users.py", "pkg/orders.py", "web/client.ts", "notes.md", "data.txt")
BODIES = (
    "def create_user(name):\n    '''Create a user with a name.'''\n    return save(name)\n",
    "class Order:\n    total = 0\n\n    def cancel(self):\n        return refund(self.total)\n\n    def pay(self, amount):\n        self.total -= amount\n",
    "export function retryUpload(file) {\n  return upload(file);\n}\n",
    "# Users\n\nHow users are created and orders cancelled.\n\n## Retry\n\nUploads are tried again.\n",
    "",
    "plain words about users and orders\n" * 30,
)
QUESTIONS = ("create user", "cancel an order", "retryUpload", "how are uploads tried again", "Order")

write = st.tuples(st.just("write"), st.sampled_from(PATHS), st.integers(0, 4), st.lists(st.sampled_from(BODIES), max_size=3))
move = st.tuples(st.just("move"), st.sampled_from(PATHS), st.sampled_from(PATHS))
delete = st.tuples(st.just("delete"), st.sampled_from(PATHS))
histories = st.lists(st.one_of(write, move, delete), min_size=2, max_size=8)


def carry_out(root: Path, step: tuple[object, ...]) -> None:
    path = root / str(step[1])
    path.parent.mkdir(parents=True, exist_ok=True)
    if step[0] == "write":
        assert isinstance(step[2], int)
        assert isinstance(step[3], list)
        path.write_text("\n" * step[2] + "\n".join(step[3]), encoding="utf-8")
    elif step[0] == "move" and path.exists():
        target = root / str(step[2])
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
    elif step[0] == "delete":
        path.unlink(missing_ok=True)


def told(engine: Engine) -> dict[str, object]:
    """Everything that a user can see of an index, apart from when it was made."""
    answers = {}
    for text in QUESTIONS:
        for mode in ("fast", "hybrid"):
            answer = engine.search(Question(text, mode=mode, limit=50))
            assert not answer.stale
            answers[(text, mode)] = [
                (r.chunk.id, r.chunk.filepath, r.chunk.line_start, r.chunk.line_end, r.code_snippet, round(r.score, 6))
                for r in answer.results
            ]
    status = engine.status()
    outlines = {path: engine.outline(path) for path in PATHS if (engine.root / path).exists()}
    return {"answers": answers, "files": status.files, "chunks": status.chunks, "languages": dict(status.languages), "outlines": outlines}


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(histories, st.booleans())
def test_an_incremental_index_equals_a_rebuild(history: list[tuple[object, ...]], by_search: bool) -> None:
    place = Path(tempfile.mkdtemp(prefix="clew-history-"))
    overrides = {"namespace": "history", "freshness_ms": 60_000}
    try:
        root = place / "kept"
        root.mkdir()
        for step in history:
            carry_out(root, step)
            with open_engine(root, overrides) as engine:
                if by_search:
                    engine.search(Question("users", mode="fast"))
                else:
                    engine.index()
        with open_engine(root, overrides) as engine:
            engine.index()
            followed = told(engine)
        shutil.rmtree(root / ".clew")
        with open_engine(root, overrides) as engine:
            engine.index()
            assert followed == told(engine)
    finally:
        shutil.rmtree(place)
