"""What does a folder with a transformer hold? The files that sentence-transformers writes say how its vectors are made; weights as ONNX."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.errors import UsageError

WEIGHTS = ("model.onnx", "onnx/model.onnx", "onnx/model_quantized.onnx", "model_quantized.onnx")
"""Where weights lie, the first that is there."""
TOKENIZER = "tokenizer.json"
POOLINGS = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_sqrt_len_tokens": "sqrt",
    "pooling_mode_lasttoken": "last",
}
LONGEST = 512
"""Tokens where no file says: what models of this kind are trained with."""
_UNBOUNDED = 100_000
"""More tokens than any model reads: what tokenizers write who know no bound."""
_WHOLE, _SAMPLES, _SAMPLE = 64_000_000, 256, 65_536
"""Weights up to so many bytes are hashed whole; of larger ones, which would take a second at every start, so many samples of so many bytes."""


@dataclass(frozen=True, slots=True)
class Transformer:
    """A folder's model: `document` and `query` are put before a text, `digest` names all that makes its vectors."""

    folder: Path
    weights: Path
    pooling: str
    longest: int
    document: str
    query: str
    lowers: bool
    digest: str


def read_folder(folder: Path, query: str = "") -> Transformer:
    """What the folder's files say; `query` is put before questions where they say nothing of that. Raises UsageError for a folder that holds no such model."""
    weights = next((folder / name for name in WEIGHTS if (folder / name).is_file()), None)
    if weights is None or not (folder / TOKENIZER).is_file():
        raise UsageError(f"{folder} holds no transformer", f"it needs {TOKENIZER} and {WEIGHTS[0]} (or {', '.join(WEIGHTS[1:])})")
    modules = _json(folder / "modules.json", [])
    unknown = [
        str(one.get("type")) for one in modules if str(one.get("type")).rpartition(".")[2] not in ("Transformer", "Pooling", "Normalize")
    ]
    if unknown:
        raise UsageError(f"the model in {folder} has a part that is not known: {', '.join(unknown)}", "choose a model without it")
    pooling_folder = next((str(one["path"]) for one in modules if str(one.get("type")).endswith("Pooling")), "1_Pooling")
    prompts = _json(folder / "config_sentence_transformers.json", {}).get("prompts") or {}
    return Transformer(
        folder,
        weights,
        _pooling(folder, _json(folder / pooling_folder / "config.json", {})),
        _longest(folder),
        str(prompts.get("document") or prompts.get("passage") or ""),
        str(prompts.get("query") or query),
        bool(_json(folder / "sentence_bert_config.json", {}).get("do_lower_case")),
        _digest(folder, weights, query),
    )


def _pooling(folder: Path, config: dict[str, Any]) -> str:
    chosen = [name for key, name in POOLINGS.items() if config.get(key)]
    if len(chosen) > 1:
        raise UsageError(f"the model in {folder} pools in several ways at once: {', '.join(chosen)}", "choose a model that pools in one")
    return chosen[0] if chosen else "mean"


def _longest(folder: Path) -> int:
    """The tokens that the model reads of a text, by the first file that says."""
    said = (
        _json(folder / "sentence_bert_config.json", {}).get("max_seq_length"),
        _json(folder / "tokenizer_config.json", {}).get("model_max_length"),
        _json(folder / "config.json", {}).get("max_position_embeddings"),
    )
    return next((int(one) for one in said if isinstance(one, int | float) and 0 < one < _UNBOUNDED), LONGEST)


def _json(path: Path, default: Any) -> Any:
    """A file's content; the default where there is none. Raises UsageError for one that is damaged."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return default
    except (OSError, ValueError) as fault:
        raise UsageError(f"{path} cannot be read: {fault}", "copy the model's folder again") from fault
    if not isinstance(found, type(default)):
        raise UsageError(f"{path} is not what sentence-transformers writes", "copy the model's folder again")
    return found


def _digest(folder: Path, weights: Path, query: str) -> str:
    digest = hashlib.sha256(query.encode())
    size = weights.stat().st_size
    with weights.open("rb") as file:
        starts = range(0, size, _SAMPLE) if size <= _WHOLE else [size * at // _SAMPLES for at in range(_SAMPLES)]
        digest.update(f"{size}\n".encode())
        for start in starts:
            file.seek(start)
            digest.update(file.read(_SAMPLE))
    for path in sorted((*folder.glob("*.json"), *folder.glob("*/config.json"))):
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode() + path.read_bytes())
    return digest.hexdigest()
