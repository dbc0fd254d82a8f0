"""Where does the table start? At what all-MiniLM-L6-v2 makes of each word part alone, or at random."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 256
_SMOOTH = 1e-3
"""A part found in this share of the texts starts at half the length of a rare one (smooth inverse frequency, Arora et al. 2017)."""


def random_table(frequencies: NDArray[np.float64], dims: int, seed: int) -> NDArray[np.float32]:
    """Directions at random, shorter for what is frequent."""
    table = np.random.default_rng(seed).standard_normal((len(frequencies), dims)) / np.sqrt(dims)
    return np.asarray(table * _lengths(frequencies)[:, None], np.float32)


def distilled_table(parts: Sequence[str], frequencies: NDArray[np.float64], dims: int, model: Path, tokenizer: Path) -> NDArray[np.float32]:
    """Each part's embedding by the transformer, centred, its `dims` strongest axes kept, shorter for what is frequent."""
    whole = _embedded(parts, model, tokenizer)
    whole -= whole.mean(axis=0)
    _, axes = np.linalg.eigh((whole.T @ whole).astype(np.float64))
    table = whole @ axes[:, ::-1][:, :dims].astype(np.float32)
    table /= np.linalg.norm(table, axis=1, keepdims=True) + 1e-9
    return np.asarray(table * _lengths(frequencies)[:, None], np.float32)


def _lengths(frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
    return _SMOOTH / (_SMOOTH + frequencies)


def english(tokenizer: Path) -> list[str]:
    """The transformer's own whole words, commonest first: those that no package holds still mean something to who asks."""
    with zipfile.ZipFile(tokenizer) as archive:
        words: dict[str, int] = json.loads(archive.read(_member(archive, "tokenizer.json")))["model"]["vocab"]
    return [word for word in sorted(words, key=words.__getitem__) if re.fullmatch("[a-z]{3,}", word)]


def _embedded(parts: Sequence[str], model: Path, tokenizer: Path) -> NDArray[np.float32]:
    """The mean of the transformer's token vectors, `[CLS]` and `[SEP]` among them, in batches of equal length."""
    from onnxruntime import InferenceSession, SessionOptions
    from tokenizers import Tokenizer

    options = SessionOptions()
    options.intra_op_num_threads = 1
    with zipfile.ZipFile(model) as archive:
        session = InferenceSession(archive.read(_member(archive, "model.onnx")), options, providers=["CPUExecutionProvider"])
    with zipfile.ZipFile(tokenizer) as archive:
        splitter = Tokenizer.from_str(archive.read(_member(archive, "tokenizer.json")).decode("utf-8"))
    splitter.no_padding()
    wanted = {one.name for one in session.get_inputs()}
    tokens = [one.ids for one in splitter.encode_batch(list(parts))]
    order = sorted(range(len(parts)), key=lambda place: len(tokens[place]))
    found = np.zeros((len(parts), 384), np.float32)
    start = 0
    while start < len(order):
        size = len(tokens[order[start]])
        some = [place for place in order[start : start + _AT_ONCE] if len(tokens[place]) == size]
        ids = np.array([tokens[place] for place in some], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        given = {name: value for name, value in inputs.items() if name in wanted}
        output = session.run(None, given)[0]
        found[some] = output.mean(axis=1) if output.ndim == 3 else output
        start += len(some)
    return found


def _member(archive: zipfile.ZipFile, name: str) -> str:
    return next(one for one in archive.namelist() if one.endswith("/" + name))
