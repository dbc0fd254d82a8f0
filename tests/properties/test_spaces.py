"""Do two spaces side by side ever exchange a vector? Not through edits, moves, outages, fallbacks and clearing out."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.core.answer import Question
from clew.core.query import Filters, Scope
from clew.engine import Engine
from clew.errors import ModelMismatch, Unreachable
from clew.index.models import Fallback
from clew.index.updater import Project
from clew.settings import load_settings
from clew.sources.rules import Rules
from clew.stores.embedded import EmbeddedStore, Limits
from clew.testing import HashingEmbedder

if TYPE_CHECKING:
    from clew.core.catalog import Space

NAMES = ("parse", "retry", "render", "cancel", "upload")
SCOPE = Scope(("spaces-test",))
ACTIONS = ("write", "move", "delete", "first away", "second away", "all there", "index", "rebuild", "search", "gc", "exchange", "settle")
MANY = 1_000


class World:
    """A project, two models of one size that may be away, and an engine that is opened anew for each step."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.models = [HashingEmbedder(8, "one"), HashingEmbedder(8, "two")]
        (root / "a.py").write_text("def parse(value):\n    return value\n")

    def engine(self) -> Engine:
        first, second = self.models
        project = Project(self.root, SCOPE.namespaces[0], "private", Rules())
        store = EmbeddedStore.open(self.root / ".clew", limits=Limits(rows=3))
        return Engine(project, load_settings(self.root), store, lambda: first, fallbacks=[Fallback("other:", lambda: second)])

    def do(self, action: str, path: str, name: str) -> None:
        file = self.root / path
        if action == "write":
            file.write_text(f"def {name}(value):\n    return value\n\n\ndef other_{name}():\n    return {name}(1)\n")
        elif action == "move" and file.exists():
            file.rename(self.root / f"moved_{path}")
        elif action == "delete":
            file.unlink(missing_ok=True)
        elif action.endswith("away"):
            self.models[action.startswith("second")].fault = Unreachable("away")
        elif action == "all there":
            for model in self.models:
                model.fault = None
        elif action == "exchange":
            self.models.reverse()
        else:
            self.ask(action, name)

    def ask(self, action: str, name: str) -> None:
        with self.engine() as engine:
            if action in ("index", "rebuild"):
                engine.index(rebuild=action == "rebuild")
            elif action == "gc" and engine.is_complete():
                engine.gc()
            elif action == "settle":
                engine.index(feed=True)
            elif action == "search":
                try:
                    engine.search(Question(f"where is {name}", mode="semantic"))
                except (ModelMismatch, Unreachable):
                    assert self.models[0].fault or self.models[1].fault

    def check(self) -> None:
        """Every vector of every space is what the space's own model makes of the chunk's text now."""
        away = [model.fault for model in self.models]
        for model in self.models:
            model.fault = None
        store = EmbeddedStore.open(self.root / ".clew")
        try:
            for space in store.spaces(SCOPE.namespaces[0]):
                self.check_space(store, space)
        finally:
            store.close()
            for model, fault in zip(self.models, away, strict=True):
                model.fault = fault

    def check_space(self, store: EmbeddedStore, space: Space) -> None:
        model = next(one for one in self.models if one.space == space)
        for name in NAMES:
            question = model.embed_query(f"{name} value")
            leg = store.nearest(SCOPE, space, question, Filters(), MANY)
            chunks = store.chunks(SCOPE, [hit.key for hit in leg.hits])
            for hit in leg.hits:
                own = float(model.embed_documents([chunks[hit.key].text])[0] @ question)
                assert np.isclose(hit.score, own, atol=1e-4), (space.model, hit)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(st.sampled_from(ACTIONS), st.sampled_from(("a.py", "b.py", "c.py")), st.sampled_from(NAMES)), min_size=3, max_size=14
    )
)
def test_every_vector_is_of_the_model_of_its_space(steps: list[tuple[str, str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder).resolve())
        for step in steps:
            world.do(*step)
        world.ask("index", "")
        world.check()
        world.do("all there", "", "")
        world.ask("index", "")
        world.check()
        with world.engine() as engine:
            state = engine.status()
            assert (state.chunks_unembedded, [one.unembedded for one in state.fallbacks]) == (0, [0])
