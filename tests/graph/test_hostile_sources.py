"""Does following names end well, whatever stands in the files?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.graph import Facts, Symbol
from clew.graph.questions import Graph
from clew.graph.resolver import Resolver
from clew.graph.semantics import semantics
from clew.graph.types import named_types
from clew.sources.facts import facts
from clew.sources.languages import language_of
from clew.sources.outliner import outline

LINES = st.sampled_from(
    (
        "import a", "import a.b as c", "from . import a", "from .. import *", "from a import *", "from .b import a as b", "class a(b):",
        "class b(a.b, metaclass=c):", "class c(c):", "def a(self, b=a(), *c):", "    def b(self) -> 'a | Optional[b]':", "    def a(self):",
        "        return self.a.b().c", "        self.a = self.b()", "        super().a()", "        a = a.b", "        with a() as b: b.c()",
        "    x: a = b()", "a = b()", "b: 'a[b' = a", "@a.b(c)", "    return a or b()", "lambda a: b(a)", "a()()()", "(a or b).c()", "a[0].b()",
        "for a in b(): a.c()", "\udcff = a()", "a(", ")", "x\u2028y()", "\x00a()", "global a", "async def c(): await a().b()", "    @property", "",
    )
)  # fmt: skip


class Few:
    """A project of some texts."""

    name = "a"

    def __init__(self, texts: Mapping[str, list[str]], language: str = "python") -> None:
        self.files = dict.fromkeys(sorted(texts), language)
        self._facts = {path: facts(path, language, lines, outline(lines, language).definitions) for path, lines in texts.items()}

    def facts(self, filepath: str) -> Facts | None:
        return self._facts.get(filepath)

    def holding(self, word: str) -> tuple[str, ...]:
        return tuple(self.files)

    def lines(self, filepath: str) -> tuple[str, ...]:
        return ()

    def named(self, name: str) -> tuple[Symbol, ...]:
        return tuple(
            Symbol(path, one.qualified_name, one.kind, one.line_start, one.line_end)
            for path, known in self._facts.items()
            for one in (known.definitions if known else ())
            if one.name == name
        )


@settings(deadline=None)
@given(
    st.dictionaries(st.sampled_from(("a.py", "b.py", "__init__.py", "a/__init__.py", "a/b.py")), st.lists(LINES, max_size=12), min_size=1)
)
def test_every_call_of_any_text_is_resolved_or_not_and_nothing_else(texts: dict[str, list[str]]) -> None:
    project = Few(texts)
    resolver = Resolver(project, {})
    for path in project.files:
        view = resolver.values.view(path)
        for call in view.facts.calls if view else ():
            meant = resolver.call(view, call) if view else None
            assert meant is not None
            assert not meant.certain or len(meant.symbols) == 1
    graph = Graph(project, {})
    for symbol in project.named("a"):
        graph.callers([symbol], depth=3)
        graph.callees([symbol])
    for path in project.files:
        graph.importers(path)


SOURCES = sorted(path for path in (Path(__file__).parent / "projects").rglob("*.*") if semantics(language_of(path.name, "")))


@settings(deadline=None)
@given(st.sampled_from(SOURCES), st.randoms(use_true_random=False))
def test_real_lines_in_any_order_are_resolved_or_not_and_nothing_else(path: Path, random: Random) -> None:
    lines = path.read_text("utf-8").split("\n")
    random.shuffle(lines)
    language = language_of(path.name, "")
    project = Few({path.name: lines, f"other{path.suffix}": path.read_text("utf-8").split("\n")}, language)
    resolver = Resolver(project, {})
    view = resolver.values.view(path.name)
    for call in view.facts.calls if view else ():
        meant = resolver.call(view, call) if view else None
        assert meant is not None
        assert not meant.certain or len(meant.symbols) == 1


@settings(deadline=None)
@given(st.text(alphabet="ab.[]<>|,\"'&*? :Optional", max_size=60))
def test_types_are_read_from_any_text(text: str) -> None:
    named_types(text)


def test_types_inside_types_inside_types_end() -> None:
    named_types("Optional[" * 5000 + "a" + "]" * 5000)
    assert [one.chain for one in named_types("'Optional[a.B] | None | type[C]'")] == ["a.B", "C"]
