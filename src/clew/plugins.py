"""Which object does a name like `static:` or `voyage:voyage-4` stand for?

Our own plug-ins are found by name; the installed packages' entry points are scanned only for names that we do not know.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, cast

from clew.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from clew.core.protocols import Embedder

EMBEDDERS = {"static": "clew.adapters.embedders.static:load"}
GROUP = "clew.embedders"


def load_embedder(spec: str, dims: int | None) -> Embedder:
    """The embedder that `provider:model` names. Raises UsageError for an unknown provider or an unusable model."""
    provider, _, model = spec.partition(":")
    return _factory(provider)(model, dims)


def _factory(provider: str) -> Callable[[str, int | None], Embedder]:
    target = EMBEDDERS.get(provider) or _entry_point(provider)
    module, _, name = target.partition(":")
    try:
        return cast("Callable[[str, int | None], Embedder]", getattr(import_module(module), name))
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
