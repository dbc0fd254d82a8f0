"""Which object does a name like `static:` or `voyage:voyage-4` stand for?

Our own plug-ins are found by name; the installed packages' entry points are scanned only for names that we do not know.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, cast

from clew.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.core.embedding import Access
    from clew.core.protocols import Embedder, Reranker

REMOTE = {provider: f"clew.adapters.embedders.{provider}:load" for provider in ("gemini", "openai", "voyage")}
"""Those that ask over a network: they are told how."""
EMBEDDERS = {"onnx": "clew.adapters.embedders.onnx:load", "static": "clew.adapters.embedders.static:load", **REMOTE}
RERANKERS = {name: f"clew.adapters.rerankers.{name}:load" for name in ("cohere", "onnx", "voyage")}
GROUP = "clew.embedders"
_DIMS = re.compile(r"@([0-9]{1,5})\Z")


def load_embedder(spec: str, dims: int | None, access: Callable[[str], Access] | None = None) -> Embedder:
    """The embedder that `provider:model` or `provider:model@dims` names; `access` says of a provider how it is reached.

    Raises UsageError for an unknown provider, an unusable model or two lengths that differ, MissingExtra.
    """
    provider, _, model = spec.partition(":")
    if said := _DIMS.search(model):
        if dims not in (None, int(said[1])):
            raise UsageError(f"{spec} and vector_dims say two lengths of a vector", "leave one of them out")
        model, dims = model[: said.start()], int(said[1])
    make = _factory(provider)
    if provider in REMOTE:
        from clew.core.embedding import Access

        return make(model, dims, access(provider) if access else Access())
    return make(model, dims)


def _factory(provider: str) -> Callable[..., Embedder]:
    target = EMBEDDERS.get(provider) or _entry_point(provider)
    module, _, name = target.partition(":")
    try:
        return cast("Callable[..., Embedder]", getattr(import_module(module), name))
    except (ImportError, AttributeError) as fault:
        raise UsageError(
            f"the embedding provider {provider!r} cannot be loaded: {fault}", f"install or repair what holds {target}"
        ) from fault


def _entry_point(provider: str) -> str:
    from importlib.metadata import entry_points  # scanning costs 30 ms and more, so only for unknown names

    found = {point.name: point.value for point in entry_points(group=GROUP)}
    if provider not in found:
        known = ", ".join(f"{name}:" for name in sorted({*EMBEDDERS, *found}))
        raise UsageError(f"unknown embedding provider {provider!r}", f"choose one of {known} (a package may add more)")
    return found[provider]


def load_reranker(spec: str, access: Callable[[str], Access]) -> Reranker:
    """The reranker that `provider:model` names; `access` says of a provider how it is reached. Raises UsageError for an unknown one, MissingExtra."""
    provider, _, model = spec.partition(":")
    if provider not in RERANKERS:
        raise UsageError(
            f"unknown reranking provider {provider!r}", f"choose one of {', '.join(f'{name}:' for name in sorted((*RERANKERS, 'llm')))}"
        )
    module, _, name = RERANKERS[provider].partition(":")
    made: Callable[..., Reranker] = getattr(import_module(module), name)
    return made(model) if provider == "onnx" else made(model, access(provider))
