"""What does `clew models` do? It tells which models are set and which could be: what is installed, what has a key, what they cost and how fast they are here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from clew.core.visible import visible
from clew.errors import ClewError
from clew.interfaces.cli.app import Commands
from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit_json, emit_lines, note

if TYPE_CHECKING:
    from clew.core.protocols import Embedder
    from clew.settings import Settings

SOMETHING_FAILED = 1
SAMPLE = 64
"""Texts that a local model embeds to show its speed: a second's work of a transformer."""
_TEXT = "def retry(upload, times):\n    for attempt in range(times):\n        if upload.send(attempt):\n            return True\n" * 3


class Provider(NamedTuple):
    """Where models may come from: what has to be installed for it, and what it is asked for."""

    name: str
    package: str
    extra: str
    gives: str


PROVIDERS = (
    Provider("static", "numpy", "", "embeddings"),
    Provider("onnx", "onnxruntime", "onnx", "embeddings, reranking"),
    Provider("voyage", "voyageai", "voyage", "embeddings, reranking"),
    Provider("gemini", "google.genai", "gemini", "embeddings"),
    Provider("openai", "openai", "openai", "embeddings"),
    Provider("cohere", "cohere", "cohere", "reranking"),
    Provider("llm", "pydantic_ai", "llm", "modes standard and deep, reranking, descriptions"),
)


@dataclass(frozen=True, slots=True)
class Known:
    """A model that is set. `state` is ready (it could be loaded), reachable (it answered) or what is wrong; `price` in dollars a million tokens, 0 for one of this
    machine, None where it is not known; `texts_a_second` where it was measured."""

    role: str
    name: str
    state: str
    hint: str = ""
    dims: int = 0
    price: float | None = None
    texts_a_second: float | None = None

    @property
    def is_wrong(self) -> bool:
        """Whether it cannot be used."""
        return self.state not in ("ready", "reachable")


@click.group(cls=Commands, names=("get",), prefix="models_", invoke_without_command=True)
@project_option
@click.option(
    "--check",
    is_flag=True,
    help="Also ask the models that are not on this machine: a text and a question each, which may cost a fraction of a cent.",
)
@json_option
@click.pass_context
def models(context: click.Context, path: str, check: bool, as_json: bool) -> int:
    """Tell which models are set and which could be: installed, with a key, dimensions, price, speed on this machine.

    Nothing is sent anywhere without --check. Exit code 1 where a model that is set cannot be used.
    """
    if context.invoked_subcommand:
        return 0
    from clew.settings import load_settings
    from clew.sources.project import project_root

    root = project_root(Path(path))
    settings = load_settings(root)
    known = [*_known(root, settings, check=check)]
    if as_json:
        emit_json({"models": [asdict(one) for one in known], "providers": [_provider_object(one) for one in PROVIDERS]})
    else:
        emit_lines(map(_model_line, known))
        emit_lines(map(_provider_line, PROVIDERS))
        for hint in dict.fromkeys(one.hint for one in known if one.hint):
            note(hint)
    return SOMETHING_FAILED if any(one.is_wrong for one in known) else 0


def _known(root: Path, settings: Settings, *, check: bool) -> Iterator[Known]:
    yield _embedder("embedder", settings, check=check)
    for name in settings.fallback:
        if name not in ("none", settings.embedder):
            yield _embedder("fallback", replace(settings, embedder=name, vector_dims=0), check=check)
    if settings.reranker:
        yield _reranker(root, settings, check=check)
    if settings.llm:
        yield _language_model(root, settings)


def _embedder(role: str, settings: Settings, *, check: bool) -> Known:
    from clew.assembly import bare_embedder

    name = settings.embedder
    try:
        model = bare_embedder(settings)
        is_far = getattr(model, "costly", False) and not name.startswith("onnx:")
        found = Known(role, name, "ready", dims=model.space.dims, price=_price(model) if is_far else 0.0)
        if is_far and not check:
            return found
        return replace(found, state="reachable" if is_far else "ready", texts_a_second=_speed(model, 1 if is_far else SAMPLE))
    except ClewError as fault:
        return Known(role, name, fault.message, fault.hint)


def _reranker(root: Path, settings: Settings, *, check: bool) -> Known:
    from clew.assembly import language_model
    from clew.assembly_models import reranker

    try:
        model = reranker(root, settings, lambda: language_model(root, settings))
        if not check and not settings.reranker.startswith("onnx:"):
            return Known("reranker", settings.reranker, "ready")
        began = time.perf_counter()
        model.relevance("where is the thread", ("the thread is in the labyrinth", "bread is baked"), float(settings.rerank_timeout))
        return Known("reranker", settings.reranker, "reachable", texts_a_second=round(2 / (time.perf_counter() - began), 1))
    except ClewError as fault:
        return Known("reranker", settings.reranker, fault.message, fault.hint)


def _language_model(root: Path, settings: Settings) -> Known:
    from clew.assembly import language_model

    try:
        return Known("llm", language_model(root, settings).name, "ready")
    except ClewError as fault:
        return Known("llm", settings.llm, fault.message, fault.hint)


def _price(model: Embedder) -> float | None:
    """Dollars a million tokens, by what the model says of a text."""
    told = getattr(model, "cost", None)
    cost = told([_TEXT]) if told else None
    return round(cost.dollars / cost.tokens * 1e6, 4) if cost and cost.dollars is not None and cost.tokens else None


def _speed(model: Embedder, count: int) -> float:
    """Texts of some 100 tokens in a second, after a question that has everything loaded."""
    model.embed_query("where is the thread")
    texts = [f"# {number}\n{_TEXT}" for number in range(count)]
    began = time.perf_counter()
    model.embed_documents(texts)
    return round(count / max(time.perf_counter() - began, 1e-6), 1)


def _is_installed(one: Provider) -> bool:
    try:
        return find_spec(one.package) is not None
    except ModuleNotFoundError:  # of a package inside one that is absent
        return False


def _install(one: Provider) -> str:
    return f"pip install 'clew[{one.extra}]'" if one.extra else ""


def _has_key(provider: str) -> bool | None:
    """Whether a key is set; None for one that needs none, or whose models each have their own."""
    from clew.adapters.access import KEYS, key_of

    return bool(key_of(provider)) if provider in KEYS else None


def _provider_object(one: Provider) -> dict[str, Any]:
    return {"provider": one.name, "gives": one.gives, "installed": _is_installed(one), "key": _has_key(one.name), "install": _install(one)}


def _provider_line(one: Provider) -> str:
    has = "installed" if _is_installed(one) else f"not installed: {_install(one)}"
    key = {True: ", its key is set", False: ", no key is set", None: ""}[_has_key(one.name)]
    return f"provider    {one.name}  {one.gives}; {has}{key}"


def _model_line(one: Known) -> str:
    price = "" if one.price is None else ", on this machine" if not one.price else f", {one.price:g} dollars a million tokens"
    speed = f", {one.texts_a_second:,g} texts a second" if one.texts_a_second else ""
    dims = f", {one.dims} dimensions" if one.dims else ""
    return f"{one.role:<10}  {visible(one.name)}  {visible(one.state)}{dims}{price}{speed}"
