"""How does a cross-encoder on this machine rerank? By onnxruntime: question and text go in together, one number comes out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from clew.errors import MissingExtra, Unreachable, UsageError

BATCH = 8
"""Pairs that are read together: between two batches the time is looked at."""
LONGEST = 512
"""Tokens of a pair where the model's files do not say."""
_WEIGHTS = ("model.onnx", "onnx/model.onnx", "model_quantized.onnx", "onnx/model_quantized.onnx")


def load(model: str) -> CrossEncoder:
    """The model in a folder. Nothing is ever fetched. Raises MissingExtra, and UsageError for a folder that is missing or damaged."""
    try:
        import onnxruntime
        import tokenizers
    except ImportError as fault:
        raise MissingExtra("onnx: needs the packages onnxruntime and tokenizers", "pip install 'clew[onnx]'") from fault
    folder = Path(model).expanduser()
    weights = next((folder / name for name in _WEIGHTS if (folder / name).is_file()), None)
    if not model or weights is None:
        raise UsageError(
            f"{model!r} is no folder with a cross-encoder", "give one with model.onnx (or onnx/model.onnx), tokenizer.json, config.json"
        )
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # as in embedders/onnx.py
        session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_str((folder / "tokenizer.json").read_text("utf-8"))
        return CrossEncoder(f"onnx:{folder.name}", session, tokenizer, _longest(folder))
    except Exception as fault:  # both raise nothing narrower
        raise UsageError(f"the model in {folder} cannot be read: {fault}", "copy the model's folder again") from fault


def _longest(folder: Path) -> int:
    """How many tokens the model reads, by its own files."""
    said = []
    for name, key in (("config.json", "max_position_embeddings"), ("tokenizer_config.json", "model_max_length")):
        path = folder / name
        if path.is_file():
            value = json.loads(path.read_text("utf-8")).get(key)
            said += [int(value)] if isinstance(value, int | float) and 8 <= value <= 100_000 else []
    return min([*said, LONGEST * 16 if said else LONGEST])


class CrossEncoder:
    """A `Reranker`. A longer pair than the model reads counts by the text's beginning."""

    def __init__(self, name: str, session: Any, tokenizer: Any, longest: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._session = session
        self._tokenizer = tokenizer
        self._clock = clock
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(longest, strategy="longest_first")
        self._inputs = {one.name for one in session.get_inputs()}

    @property
    def name(self) -> str:
        """The folder's name."""
        return self._name

    def relevance(self, question: str, texts: Sequence[str], seconds: float) -> Sequence[float]:
        """As the protocol says; the time is looked at after each batch."""
        ends = self._clock() + seconds
        pairs = [self._tokenizer.encode(_clean(question), _clean(text)) for text in texts]
        order = sorted(range(len(pairs)), key=lambda place: len(pairs[place].ids))
        scores = [0.0] * len(pairs)
        for start in range(0, len(order), BATCH):
            if start and self._clock() > ends:
                raise Unreachable(f"{self._name} was not done in {seconds:g} s", "raise rerank_timeout, or lower rerank_pool")
            places = order[start : start + BATCH]
            for place, score in zip(places, self._run([pairs[place] for place in places]), strict=True):
                scores[place] = score
        return scores

    def _run(self, encoded: Sequence[Any]) -> list[float]:
        import numpy as np

        longest = max(len(one.ids) for one in encoded)
        ids, mask, types = (np.zeros((len(encoded), longest), np.int64) for _ in range(3))
        for row, one in enumerate(encoded):
            size = len(one.ids)
            ids[row, :size], mask[row, :size], types[row, :size] = one.ids, 1, one.type_ids
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        output = np.asarray(self._session.run(None, {name: given[name] for name in self._inputs if name in given})[0], np.float64)
        rows = output.reshape(len(encoded), -1)
        # One number is the relevance; of two classes the second says yes.
        return [float(row[0] if len(row) == 1 else row[1] - row[0]) for row in rows]


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
