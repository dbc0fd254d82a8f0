"""Does any input end, or hang, what reads it? Bytes that grow toward unseen branches, for ignore rules, the chunker and questions.

    pip install atheris
    python bench/fuzz.py ignoring|chunking|asking [CORPUS] [-max_total_time=600] [other options of libFuzzer]

An exception, a broken promise or more than TOO_LONG_S for one input ends the run and leaves the input in a file `crash-…` or `timeout-…`.
Not part of the tests, which try the same with hypothesis: this wants minutes, and Linux.
"""

from __future__ import annotations

import sys

import atheris

TOO_LONG_S = 10
LONGEST = 4_096

with atheris.instrument_imports(include=["clew"]):
    from clew.core.answer import Question
    from clew.core.document import Document
    from clew.core.words import terms
    from clew.index.chunker import Belonging, Budget, chunk
    from clew.search.question import read
    from clew.search.router import route
    from clew.sources.decoding import decode
    from clew.sources.ignoring import ignores, parse_rules
    from clew.sources.languages import language_of
    from clew.sources.outliner import outline
    from clew.sources.reading import split_lines

NAMES = (
    "a.py",
    "b.ts",
    "c.go",
    "d.rs",
    "e.java",
    "f.cpp",
    "g.rb",
    "h.md",
    "i.sql",
    "j.cs",
    "k.sh",
    "l.ipynb",
    "m.html",
    "n.hs",
    "o.css",
    "p",
)
BELONGING = Belonging("fuzz", "private", 0)


def ignoring(data: bytes) -> None:
    """Rules, then a path that is matched against them."""
    rules, _, path = data.partition(b"\0")
    path = path.strip(b"/") or b"src/a.py"
    stack = (parse_rules(rules), parse_rules(rules, b"src/"))
    for is_folder in (False, True):
        ignores(stack, path, is_folder)


def chunking(data: bytes) -> None:
    """A file whose name the first byte says: every line of text is in a chunk, none beyond the end, no key twice."""
    decoded = decode(data[1:])
    if decoded is None or not data:
        return
    name = NAMES[data[0] % len(NAMES)]
    language = language_of(name, decoded.text)
    lines = tuple(split_lines(decoded.text))
    chunks = chunk(Document(name, language, lines, outline(lines, language)), Budget(), BELONGING)
    shown = {line for one in chunks for line in range(one.line_start, one.line_end + 1)}
    assert shown <= set(range(1, len(lines) + 1))
    assert len({one.id for one in chunks}) == len(chunks)
    if language not in ("sql", "notebook"):  # of which row data and pictures are left out
        assert all(number in shown for number, line in enumerate(lines, start=1) if line.strip())


def asking(data: bytes) -> None:
    """A text that is asked."""
    text = data.decode("utf-8", "surrogateescape")
    query = read(text)
    route(query, Question(text), 1_000)
    terms(text)


def main() -> None:
    targets = {target.__name__: target for target in (ignoring, chunking, asking)}
    if len(sys.argv) < 2 or sys.argv[1] not in targets:
        raise SystemExit(__doc__)
    options = [sys.argv[0], f"-timeout={TOO_LONG_S}", f"-max_len={LONGEST}", *sys.argv[2:]]
    atheris.Setup(options, targets[sys.argv[1]])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
