"""How does text become a vector without a neural network? The weighted rows of its words, added up."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from clew.adapters.embedders.static_model import StaticModel, read_model
from clew.core.catalog import Space
from clew.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from clew.core.catalog import Vector, Vectors

SHIPPED = "clew-static-2"
_FORMAT = 3
"""Counted up when the same files would give other vectors (tokens, weights, normalisation)."""
PATH_SHARE, NAME_SHARE = 0.3, 0.5
"""What stands in front of a chunk, its path and its kind and name, says what the lines are about, which may be hundreds of words: the direction of
each is added to that of the whole by these shares, however long that is (bench/results/embedding.md; packages kept out of training, MRR@10: .294 with the
header three times in the whole, .319 so; files of eight repositories, NDCG@10: .716, .726)."""
_BATCH = 1024
"""Texts whose parts are counted together: sorting that many is fast and takes a few MB."""


def load(model: str, dims: int | None = None) -> StaticEmbedder:
    """The shipped model (`""` or its name), or one in a folder: model2vec's format or our own. Nothing is ever fetched.

    `dims` keeps the first dims of each vector; the shipped model's are ordered by weight (bench/embedding.py, NDCG@10
    over files of sixteen repositories: .829 with 256, .829 with 128, .814 with 64). Raises UsageError for a folder that is missing or damaged and for more dims than
    the model has, MissingExtra where model2vec's tokenizer is not installed.
    """
    read = read_model(model or SHIPPED)
    most = read.table.shape[1]
    if dims is not None and not 1 <= dims <= most:
        raise UsageError(f"{read.name} has {most} dims, not {dims}", f"set vector_dims to {most} or less, or choose another model")
    return StaticEmbedder(read, dims or most)


class StaticEmbedder:
    """A text's vector is the sum of its parts' rows, each by how often it occurs (damped) and its weight, at length 1; then so much of its path's
    and of its name's."""

    def __init__(self, model: StaticModel, dims: int) -> None:
        self._model = model
        fingerprint = hashlib.sha256(f"{_FORMAT}:{model.digest}:{dims}".encode()).hexdigest()
        self.space = Space(fingerprint, model.name, dims)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """float32, shape (len(texts), dims); a text without a known part gives zeros."""
        vectors = self._summed(texts)
        if self._model.is_damped:
            paths, names = zip(*map(header_of, texts), strict=True) if texts else ((), ())
            vectors += PATH_SHARE * self._of_each(paths)
            vectors += NAME_SHARE * self._of_each(names)
        return _normalised(vectors)

    def _of_each(self, texts: Sequence[str]) -> Vectors:
        """`_summed`, each distinct text once: the chunks of a file have one path."""
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        return self._summed(list(places))[[places[text] for text in texts]]

    def _summed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        vectors = np.zeros((len(texts), self.space.dims), np.float32)
        for start in range(0, len(texts), _BATCH):
            self._add(vectors[start : start + _BATCH], texts[start : start + _BATCH])
        return _normalised(vectors)

    def embed_query(self, text: str) -> Vector:
        """float32, shape (dims,): the parts weighted as the model weighs questions."""
        import numpy as np

        counted = sorted(Counter(self._model.splitter.rows(text)).items())
        rows, counts = np.array(counted, np.int64).reshape(-1, 2).T
        vectors = np.zeros((1, self.space.dims), np.float32)
        vectors[0] = (self._damped(counts) * self._model.query_weights[rows]) @ self._rows(rows)
        first: Vector = _normalised(vectors)[0]
        return first

    def _add(self, vectors: Vectors, texts: Sequence[str]) -> None:
        """Fill `vectors` with the sums for `texts`: distinct parts of all texts at once, then one small product a text."""
        import numpy as np

        found, lengths = self._model.splitter.rows_of_each(texts)
        size = len(self._model.table)
        keys = np.repeat(np.arange(len(texts), dtype=np.int64) * size, lengths)
        keys += found
        keys.sort()
        firsts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if len(keys) else np.zeros(0, np.int64)
        counts = np.diff(firsts, append=len(keys))
        keys = keys[firsts]
        rows = keys % size
        weights = self._damped(counts) * self._model.weights[rows]
        ends = np.searchsorted(keys, np.arange(1, len(texts) + 1, dtype=np.int64) * size).tolist()
        start = 0
        for i, end in enumerate(ends):
            vectors[i] = weights[start:end] @ self._rows(rows[start:end])
            start = end

    def _rows(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        import numpy as np

        return self._model.table.take(rows, 0)[:, : self.space.dims].astype(np.float32)

    def _damped(self, counts: NDArray[np.int64]) -> NDArray[np.float32]:
        import numpy as np

        times = counts.astype(np.float32)
        return np.float32(1) + np.log(times) if self._model.is_damped else times


def header_of(text: str) -> tuple[str, str]:
    """The two lines that stand in front of a chunk: its path, and its kind and name."""
    path, _, rest = text.partition("\n")
    return path, rest.partition("\n")[0]


def _normalised(vectors: Vectors) -> Vectors:
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors /= np.where(lengths > 0, lengths, 1)
    return vectors
