"""How does a transformer on this machine embed? By onnxruntime, as the model's own files say: tokens, pooling, prefixes, length."""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.adapters.embedders.onnx_folder import TOKENIZER, Transformer, read_folder
from clew.core.catalog import Space
from clew.core.embedding import BATCH, EmbeddedBatch
from clew.errors import MissingExtra, UsageError
from clew.settings import user_cache_folder, user_models_folder

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from clew.core.catalog import Vector, Vectors

NAMED = {
    "all-MiniLM-L6-v2": ("sentence-transformers/all-MiniLM-L6-v2", ""),
    "bge-small-en": ("BAAI/bge-small-en-v1.5", "Represent this sentence for searching relevant passages: "),
    "jina-embeddings-v2-base-code": ("jinaai/jina-embeddings-v2-base-code", ""),
}
"""Models by short name: where they are published, and what their documentation, not their files, puts before a question."""
DEFAULT = "all-MiniLM-L6-v2"
NO_SPINNING = ("session.intra_op.allow_spinning", "0")
"""Threads that wait for each other sleep: spinning takes processor time from everyone else (bench/results/providers.md: on a busy machine 4.9 texts a CPU second, 8.1 so)."""
_FORM = 1
"""Counted up when the same files would give other vectors."""
_PER_TENSOR = b"DynamicQuantizeLinear"
"""Weights quantised so that a text's vector depends on the texts beside it: those are run one by one."""


def models_folder() -> Path:
    """Where models are looked for by name."""
    return user_cache_folder() / "models"


def load(model: str, dims: int | None = None) -> OnnxEmbedder:
    """The model in a folder, or one of that name in the user's folder of models. Nothing is ever fetched.

    Raises UsageError for a model that is not there or damaged and for more dims than it has, MissingExtra.
    """
    try:
        import onnxruntime
        import tokenizers
    except ImportError as fault:
        raise MissingExtra("onnx: needs the packages onnxruntime and tokenizers", "pip install 'clew[onnx]'") from fault
    name = model or DEFAULT
    published, query = NAMED.get(name, ("", ""))
    folder = _folder(name)
    if not folder.is_dir():
        fetch = f"clew models get onnx:{name}"
        said = (
            f"{fetch} fetches it; or put the files of {published} there: {TOKENIZER}, the *.json, 1_Pooling, and onnx/model.onnx"
            if published
            else f"give a model's folder, or one of: {', '.join(NAMED)}; {fetch} fetches one from a hub by OWNER/MODEL"
        )
        raise UsageError(f"there is no model {name!r}: {folder} is no folder", said)
    read = read_folder(folder, query)
    try:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.add_session_config_entry(*NO_SPINNING)
        session = onnxruntime.InferenceSession(str(read.weights), options, providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_str((folder / TOKENIZER).read_text("utf-8"))
    except Exception as fault:  # both raise nothing narrower
        raise UsageError(f"the model in {folder} cannot be read: {fault}", "copy the model's folder again") from fault
    return OnnxEmbedder(name, read, session, tokenizer, dims)


def _folder(name: str) -> Path:
    """Where a model lies: a folder of that path, the one that `clew models get` made of its name, or the one for names that are known."""
    named, fetched = Path(name).expanduser(), user_models_folder("onnx") / name
    if name not in NAMED and (named.is_dir() or not fetched.is_dir()):
        return named
    return fetched if fetched.is_dir() else models_folder() / name


def _holds(path: Path, name: bytes) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        return mapped.find(name) >= 0


class OnnxEmbedder:
    """An `Embedder`: what the model makes of a text's tokens, pooled, at length 1. A longer text than the model reads counts by its beginning."""

    costly = True

    def __init__(self, name: str, model: Transformer, session: Any, tokenizer: Any, dims: int | None) -> None:
        self._model = model
        self._session = session
        self._tokenizer = tokenizer
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(model.longest)
        self._inputs = {one.name for one in session.get_inputs()}
        self._batch = 1 if _holds(model.weights, _PER_TENSOR) else BATCH
        most = self._run([self._tokens("a")]).shape[1]
        if dims is not None and not 1 <= dims <= most:
            raise UsageError(f"onnx:{name} has {most} dims, not {dims}", f"set vector_dims to {most} or less, or choose another model")
        length = dims or most
        fingerprint = hashlib.sha256(f"{_FORM}:{model.digest}:{length}".encode()).hexdigest()
        self.space = Space(fingerprint, f"onnx:{name}", length)

    def embed_query(self, text: str) -> Vector:
        """float32, shape (dims,)."""
        first: Vector = self._normal(self._run([self._tokens(self._model.query + text)]))[0]
        return first

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """float32, shape (len(texts), dims)."""
        import numpy as np

        vectors = np.zeros((len(texts), self.space.dims), np.float32)
        for done in self.embed_each(texts):
            vectors[list(done.places)] = done.vectors
        return vectors

    def embed_each(self, texts: Sequence[str]) -> Iterator[EmbeddedBatch]:
        """Batches of like length, the shortest first, so that little is padded."""
        import numpy as np

        tokens = [self._tokens(self._model.document + text) for text in texts]
        order = sorted(range(len(texts)), key=lambda place: len(tokens[place].ids))
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            steps = [places[at : at + self._batch] for at in range(0, len(places), self._batch)]
            rows = np.concatenate([self._run([tokens[place] for place in step]) for step in steps])
            truncated = sum(bool(tokens[place].overflowing) for place in places)
            yield EmbeddedBatch(tuple(places), self._normal(rows), truncated=truncated)

    def _tokens(self, text: str) -> Any:
        clean = text.encode("utf-8", "replace").decode("utf-8")
        return self._tokenizer.encode(clean.lower() if self._model.lowers else clean)

    def _run(self, encoded: Sequence[Any]) -> NDArray[np.float32]:
        """One vector a text, not yet at length 1."""
        import numpy as np

        longest = max(len(one.ids) for one in encoded)
        ids, mask, types = (np.zeros((len(encoded), longest), np.int64) for _ in range(3))
        for row, one in enumerate(encoded):
            size = len(one.ids)
            ids[row, :size], mask[row, :size], types[row, :size] = one.ids, 1, one.type_ids
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        output = np.asarray(self._session.run(None, {name: given[name] for name in self._inputs if name in given})[0], np.float32)
        return output if output.ndim == 2 else self._pooled(output, mask)

    def _pooled(self, output: NDArray[np.float32], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        import numpy as np

        weights = mask[:, :, None].astype(np.float32)
        counts = weights.sum(axis=1)
        match self._model.pooling:
            case "cls":
                return np.asarray(output[:, 0], np.float32)
            case "max":
                return np.asarray(np.where(weights > 0, output, np.float32(-np.inf)).max(axis=1), np.float32)
            case "last":
                return np.asarray(output[np.arange(len(output)), mask.sum(axis=1) - 1], np.float32)
            case "sqrt":
                return np.asarray((output * weights).sum(axis=1) / np.sqrt(counts), np.float32)
            case _:
                return np.asarray((output * weights).sum(axis=1) / counts, np.float32)

    def _normal(self, rows: NDArray[np.float32]) -> Vectors:
        import numpy as np

        kept = np.ascontiguousarray(rows[:, : self.space.dims])
        lengths = np.linalg.norm(kept, axis=1, keepdims=True)
        return np.asarray(kept / np.where(lengths > 0, lengths, 1), np.float32)
