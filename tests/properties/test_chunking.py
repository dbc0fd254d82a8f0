"""Does every document, however odd, fall into chunks that lose nothing, repeat nothing and fit the budget?"""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from clew.core.chunk import Chunk
from clew.core.document import Definition, Document, Outline, Reference
from clew.core.tokens import count_tokens
from clew.index.chunker import Budget, chunk

_KINDS = ("class", "function", "method", "section", "constant")
_LINES = st.one_of(
    st.sampled_from(
        ["", "   ", "\t", "}", "});", "end", "    end", "{", "---", "import os", "    return self.value", "class Foo:", "x = 1"]
    ),
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=30),
    st.integers(1, 300).map(lambda size: "word " * size),
    st.integers(1, 900).map(lambda size: "x9" * size),
)
_BUDGETS = st.builds(Budget, st.sampled_from([4, 8, 16, 40, 100, 512]), st.sampled_from([0, 8, 32]), st.sampled_from([1, 3, 10, 50]))
_PATHS = st.sampled_from(["a.py", "src/pkg/module.py", "odd\nname\x1b[31m.py", "caf\udce9.c", "/".join(["deep"] * 60) + "/x.rb"])


@st.composite
def outlines(draw: st.DrawFn, size: int) -> Outline:
    """Nested spans, each inside its parent and after its elder siblings, each on lines of its own or not."""
    definitions: list[Definition] = []

    def grow(first: int, last: int, parent: str, depth: int) -> None:
        line = first
        while line <= last and len(definitions) < 40 and draw(st.booleans()):
            start = draw(st.integers(line, min(last, line + 6)))
            end = draw(st.integers(start, min(last, start + 25)))
            name = draw(st.sampled_from(["Foo", "bar", "get", "ünï", "operator()", "x y"]))
            qualified = f"{parent}.{name}" if parent else name
            definitions.append(
                Definition(name, qualified, draw(st.sampled_from(_KINDS)), start, end, parent, f"def {name}()", "Says.", start + 1)
            )
            if depth < 4:
                grow(start + draw(st.integers(0, 1)), end, qualified, depth + 1)
            line = end + draw(st.integers(0, 3))

    grow(1, size, "", 1)
    cuts = draw(st.lists(st.tuples(st.integers(1, size), st.integers(1, 4)), max_size=12))
    references = draw(
        st.lists(
            st.builds(Reference, st.sampled_from(["call", "import"]), st.sampled_from(["os", "a.b", "x", "Foo"]), st.integers(1, size)),
            max_size=8,
        )
    )
    return Outline(tuple(definitions), tuple(references), tuple(sorted(cuts)), parsed=True)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    lines = tuple(draw(st.lists(_LINES, min_size=1, max_size=60)))
    outline = draw(st.one_of(st.just(Outline()), outlines(len(lines))))
    return Document(draw(_PATHS), "python", lines, outline)


@st.composite
def hostile_documents(draw: st.DrawFn) -> Document:
    """Outlines that break every promise: spans out of order, overlapping, outside of the document."""
    lines = tuple(draw(st.lists(_LINES, min_size=0, max_size=20)))
    numbers = st.integers(-3, 30)
    spans = draw(st.lists(st.tuples(numbers, numbers), max_size=8))
    definitions = tuple(Definition("f", "f", "function", start, end, draw(st.sampled_from(["", "f", "g"]))) for start, end in spans)
    cuts = tuple(draw(st.lists(st.tuples(numbers, numbers), max_size=8)))
    return Document("a.py", "python", lines, Outline(definitions, (), cuts, parsed=True))


def covered(chunks: list[Chunk]) -> Counter[int]:
    """How many chunks show each line; slices of one giant line count once."""
    found: Counter[int] = Counter()
    slices: set[tuple[str, int]] = set()
    for one in chunks:
        if one.line_start == one.line_end:
            key = (one.symbol_name, one.line_start)
            if key in slices:
                continue
            slices.add(key)
        found.update(range(one.line_start, one.line_end + 1))
    return found


def shared(document: Document) -> set[int]:
    """Lines that are the first to say anything for more than one definition."""
    heads: Counter[int] = Counter()
    for definition in document.outline.definitions:
        numbers = range(definition.line_start, definition.line_end + 1)
        heads.update(next(([number] for number in numbers if document.lines[number - 1].strip()), []))
    return {line for line, times in heads.items() if times > 1}


def check_exact(document: Document, chunks: list[Chunk]) -> None:
    """Each chunk's code is its lines; of a line that is longer than the budget, a part."""
    for one in chunks:
        assert 1 <= one.line_start <= one.line_end <= len(document.lines)
        lines = document.lines[one.line_start - 1 : one.line_end]
        assert lines[0].strip()
        assert lines[-1].strip()
        if one.line_start == one.line_end:
            assert one.code in lines[0]
        else:
            assert one.code == "\n".join(lines)


def check_covered(document: Document, chunks: list[Chunk]) -> None:
    times = covered(chunks)
    repeatable = shared(document)
    for number, line in enumerate(document.lines, 1):
        if line.strip():
            assert times[number] == 1 or (number in repeatable and times[number] > 1), (number, line)


@settings(deadline=None, max_examples=100)
@given(documents(), _BUDGETS)
def test_each_line_is_in_exactly_one_chunk_and_stands_there_as_it_is(document: Document, budget: Budget) -> None:
    chunks = chunk(document, budget)
    check_exact(document, chunks)
    check_covered(document, chunks)


@settings(deadline=None, max_examples=60)
@given(documents(), _BUDGETS)
def test_no_chunk_is_over_the_budget(document: Document, budget: Budget) -> None:
    for one in chunk(document, budget):
        assert count_tokens(one.text) <= budget.tokens or len(one.code) == 1


@settings(deadline=None, max_examples=60)
@given(documents(), _BUDGETS)
def test_every_definition_has_a_chunk_and_nothing_else_is_named(document: Document, budget: Budget) -> None:
    names = Counter((one.symbol_name, one.symbol_type) for one in chunk(document, budget) if one.symbol_type != "block")
    visible = {
        (definition.qualified_name, definition.kind)
        for definition in document.outline.definitions
        if any(line.strip() for line in document.lines[definition.line_start - 1 : definition.line_end])
    }
    assert set(names) == visible


@settings(deadline=None, max_examples=60)
@given(documents(), _BUDGETS)
def test_ids_are_unique_and_chunking_is_a_pure_function_in_order_of_lines(document: Document, budget: Budget) -> None:
    chunks = chunk(document, budget)
    assert len({one.id for one in chunks}) == len(chunks)
    assert chunk(document, budget) == chunks
    assert [one.line_start for one in chunks] == sorted(one.line_start for one in chunks)


@settings(deadline=None, max_examples=60)
@given(hostile_documents(), _BUDGETS)
def test_an_outline_that_breaks_its_promises_loses_no_line(document: Document, budget: Budget) -> None:
    chunks = chunk(document, budget)
    check_exact(document, chunks)
    times = covered(chunks)
    assert all(times[number] for number, line in enumerate(document.lines, 1) if line.strip())


@settings(deadline=None, max_examples=60)
@given(st.text("ab (,)\t", min_size=1, max_size=4000), st.sampled_from([8, 40, 512]))
def test_the_parts_of_a_giant_line_together_are_the_line(line: str, tokens: int) -> None:
    parts = chunk(Document("a.txt", "text", (line,)), Budget(tokens))
    place = 0
    for one in parts:
        found = line.find(one.code, place)
        assert not line[place:found].strip()
        place = found + len(one.code)
    assert not line[place:].strip()
