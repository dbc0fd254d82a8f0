"""What does a model2vec folder hold? A tokenizer, a table of token vectors, and how they are averaged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TABLE, TOKENIZER, CONFIG = FILES = ("model.safetensors", "tokenizer.json", "config.json")
_LARGEST_HEADER = 100_000_000
"""Bytes; the format's own limit."""
_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I8": "|i1", "I64": "<i8", "I32": "<i4"}


class Tokens:
    """Turns text into token numbers with the folder's own tokenizer; unknown tokens are left out."""

    def __init__(self, folder: Path) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError as fault:
            raise MissingExtra("a model2vec folder needs the package tokenizers", "pip install 'clew[model2vec]'") from fault
        text = (folder / TOKENIZER).read_text("utf-8")
        try:
            self._tokenizer = Tokenizer.from_str(text)
        except Exception as fault:  # tokenizers raises nothing narrower
            raise ValueError(f"{TOKENIZER}: {fault}") from fault
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        model = json.loads(text).get("model", {})
        unknown = model.get("unk_token") or ""
        self._unknown = self._tokenizer.token_to_id(unknown) if unknown else model.get("unk_id")

    def __len__(self) -> int:
        return int(self._tokenizer.get_vocab_size())

    def rows(self, text: str) -> list[int]:
        """The token numbers of a text, repeated as often as they occur."""
        return self._tokens([text])[0]

    def rows_of_each(self, texts: Sequence[str]) -> tuple[NDArray[np.int32], list[int]]:
        """`rows` of all texts, one after the other, and how many each has."""
        import numpy as np

        found = self._tokens(texts)
        return np.array(list(chain.from_iterable(found)), np.int32), list(map(len, found))

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        encoded = self._tokenizer.encode_batch(clean, add_special_tokens=False)
        return [[token for token in one.ids if token != self._unknown] for one in encoded]


def tensors(path: Path) -> dict[str, NDArray[np.generic]]:
    """A safetensors file's arrays, mapped, not read. Raises UsageError when it is damaged or holds a type that numpy lacks."""
    import numpy as np

    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= min(size - 8, _LARGEST_HEADER):
            raise UsageError(f"{path} is not a safetensors file", "copy the model's folder again")
        header: dict[str, Any] = json.loads(file.read(length))
    found: dict[str, NDArray[np.generic]] = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = entry["data_offsets"]
        if entry["dtype"] not in _TYPES:
            raise UsageError(f"{path}: {name} has the type {entry['dtype']}", f"save it as one of {', '.join(_TYPES)}")
        kind = np.dtype(_TYPES[entry["dtype"]])
        if end > size - 8 - length or end - start != kind.itemsize * int(np.prod(entry["shape"])):
            raise UsageError(f"{path} is cut short", "copy the model's folder again")
        found[name] = np.memmap(path, kind, "r", 8 + length + start, tuple(entry["shape"]))
    return found
