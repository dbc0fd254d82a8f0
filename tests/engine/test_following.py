"""Does an engine that follows a project wait for another writer, and say for whom?"""

from __future__ import annotations

import queue
from pathlib import Path
from threading import Event, Thread

from clew.assembly import open_engine
from clew.index.following import Followed
from clew.stores.embedded import EmbeddedStore

SOON = 60


def test_while_another_process_writes_it_is_named_and_the_change_is_taken_in_after(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "one.py").write_text("def one():\n    return 1\n")
    said: queue.Queue[Followed] = queue.Queue()
    stop = Event()
    with open_engine(root) as engine:
        other = EmbeddedStore.open(root / ".clew")
        thread = Thread(target=engine.follow, args=(stop, said.put), daemon=True)
        try:
            with other.writer():
                thread.start()
                busy = said.get(timeout=SOON)
            taken_in = said.get(timeout=SOON)
        finally:
            stop.set()
            thread.join(timeout=SOON)
            other.close()

    assert "is writing the index" in busy.warnings[0]
    assert (busy.indexed, taken_in.indexed) == (0, 1)
    assert not thread.is_alive()
