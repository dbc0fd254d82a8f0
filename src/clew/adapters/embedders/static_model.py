"""What is a static model made of? A table of rows, their weights, and what turns text into row numbers, read from a folder."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from clew.adapters.embedders import model2vec
from clew.adapters.embedders.word_parts import WordParts
from clew.errors import UsageError
from clew.settings import user_models_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

VOCABULARY, TABLE, SCALE, QUERY = FILES = ("vocab.txt", "emb_int8.npy", "scale.npy", "qlogw.npy")
DIGEST = "digest.txt"
BUNDLED = Path(__file__).parent / "models"
_AGAIN = "copy the model's folder again"


class Splitter(Protocol):
    """What turns a text into row numbers, or many texts into one array of them and how many each has."""

    def rows(self, text: str) -> list[int]: ...

    def rows_of_each(self, texts: Sequence[str]) -> tuple[NDArray[np.int32], list[int]]: ...


@dataclass(frozen=True, slots=True)
class StaticModel:
    """`table` has a row for each part, in any numeric type; a row counts times its `weights`, in a question times its
    `query_weights`. `is_damped`: a part that occurs n times counts 1 + ln n times, else n times. `digest` names all of it.
    """

    name: str
    table: NDArray[np.generic]
    weights: NDArray[np.float32]
    query_weights: NDArray[np.float32]
    splitter: Splitter
    is_damped: bool
    digest: str


def read_model(name: str) -> StaticModel:
    """The bundled model of that name, or the one in the folder. Raises UsageError with what to do."""
    is_bundled = bool(name) and Path(name).name == name and (BUNDLED / name).is_dir()
    folder = BUNDLED / name if is_bundled else Path(name).expanduser()
    fetched = user_models_folder("static") / name
    if not is_bundled and not folder.is_dir() and fetched.is_dir():
        folder = fetched
    try:
        if all((folder / file).is_file() for file in FILES):
            return _own(f"static:{name}", folder, is_bundled)
        if all((folder / file).is_file() for file in model2vec.FILES):
            return _model2vec(f"static:{name}", folder)
    except (OSError, EOFError, ValueError, LookupError, TypeError, AttributeError) as fault:
        raise UsageError(f"the model in {folder} cannot be read: {fault}", _AGAIN) from fault
    bundled = ", ".join(sorted(path.name for path in BUNDLED.iterdir() if path.is_dir()))
    if not folder.is_dir():
        raise UsageError(
            f"there is no static model {name!r}",
            f"give the path of a model's folder, or one of: {bundled}; clew models get static:{name} fetches one from a hub by OWNER/MODEL",
        )
    raise UsageError(
        f"{folder} holds no static model", f"it needs {', '.join(model2vec.FILES)} (model2vec) or {', '.join(FILES)}; shipped: {bundled}"
    )


def digest_of(folder: Path, files: Sequence[str]) -> str:
    """SHA-256 over names, sizes and bytes of the files."""
    digest = hashlib.sha256()
    for name in files:
        path = folder / name
        digest.update(f"{name}:{path.stat().st_size}\n".encode())
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _own(name: str, folder: Path, is_bundled: bool) -> StaticModel:
    """Our own format. The digest of a bundled model is a file beside it: hashing 10 MB would be half of loading."""
    import numpy as np

    splitter = WordParts((folder / VOCABULARY).read_text("utf-8").removesuffix("\n").split("\n"))
    table = np.asarray(np.load(folder / TABLE, mmap_mode="r", allow_pickle=False))
    scale = np.load(folder / SCALE, allow_pickle=False).astype(np.float32).reshape(-1)
    query = np.load(folder / QUERY, allow_pickle=False).astype(np.float32).reshape(-1)
    if table.ndim != 2 or not len(splitter) == len(table) == len(scale) == len(query):
        raise UsageError(f"the files in {folder} do not belong together: {len(splitter)} words, {len(table)} rows", _AGAIN)
    digest = (folder / DIGEST).read_text("ascii").strip() if is_bundled else digest_of(folder, FILES)
    return StaticModel(name, table, scale, scale * np.exp(query), splitter, is_damped=True, digest=digest)


def _model2vec(name: str, folder: Path) -> StaticModel:
    import numpy as np

    if not isinstance(json.loads((folder / model2vec.CONFIG).read_text("utf-8")), dict):
        raise UsageError(f"{folder / model2vec.CONFIG} is not a model2vec configuration", _AGAIN)
    found = model2vec.tensors(folder / model2vec.TABLE)
    if "embeddings" not in found or found["embeddings"].ndim != 2:
        raise UsageError(f"{folder / model2vec.TABLE} has no table called embeddings", _AGAIN)
    table = found["embeddings"]
    splitter = model2vec.Tokens(folder)
    if "mapping" in found:
        table = table[found["mapping"]]
    if len(splitter) > len(table):
        raise UsageError(f"the files in {folder} do not belong together: {len(splitter)} tokens, {len(table)} rows", _AGAIN)
    weights = np.asarray(found["weights"], np.float32) if "weights" in found else np.ones(len(table), np.float32)
    if weights.shape != (len(table),):
        raise UsageError(f"the files in {folder} do not belong together: {len(weights)} weights, {len(table)} rows", _AGAIN)
    return StaticModel(name, table, weights, weights, splitter, is_damped=False, digest=digest_of(folder, model2vec.FILES))
