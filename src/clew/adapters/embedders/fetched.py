"""Which files of a model are fetched, and where are they found by its name afterwards?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from clew.adapters.embedders.model2vec import FILES
from clew.adapters.embedders.onnx import NAMED
from clew.adapters.embedders.onnx_folder import TOKENIZER, WEIGHTS
from clew.adapters.hub import File, fetch, is_name
from clew.errors import UsageError
from clew.settings import user_models_folder

_BESIDE = (
    "config.json",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "1_Pooling/config.json",
)
"""What says how a transformer's vectors are made, as far as it is there."""
PROVIDERS = ("onnx", "static")


def get(spec: str, hub: str, said: Callable[[str], None]) -> tuple[str, Path]:
    """Fetch the model of `onnx:NAME` or `static:NAME` (a known name alone is onnx's); its name for `embedder`, and its folder. Raises as `fetch`."""
    provider, colon, name = spec.partition(":") if ":" in spec else ("onnx" if spec in NAMED else "", ":", spec)
    if provider not in PROVIDERS or not is_name(name):
        known = ", ".join(f"onnx:{one}" for one in NAMED)
        raise UsageError(f"{spec!r} is no model that can be fetched", f"give {known}, onnx:OWNER/MODEL or static:OWNER/MODEL")
    repository = NAMED[name][0] if provider == "onnx" and name in NAMED else name
    if "/" not in repository:
        raise UsageError(f"{spec!r} does not say whose model it is", f"give {provider}:OWNER/MODEL")
    choose = _transformer if provider == "onnx" else _static
    return f"{provider}{colon}{name}", fetch(hub, repository, choose, user_models_folder(provider) / name, said)


def _transformer(files: Mapping[str, File]) -> Iterator[str]:
    weights = next((one for one in WEIGHTS if one in files), None)
    if weights is None or TOKENIZER not in files:
        raise UsageError("this model has no weights for onnxruntime, or no tokenizer", f"choose one that has {WEIGHTS[1]} and {TOKENIZER}")
    yield from (one for one in (*_BESIDE, TOKENIZER, f"{weights}_data", weights) if one in files)


def _static(files: Mapping[str, File]) -> Iterator[str]:
    if not all(one in files for one in FILES):
        raise UsageError("this is no model of model2vec", f"choose one that has {', '.join(FILES)}")
    yield from FILES
