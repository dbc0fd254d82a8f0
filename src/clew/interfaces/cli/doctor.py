"""What does `clew doctor` do? It shows every setting with its origin, and really tries every component."""

from __future__ import annotations

import platform
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from clew.core.visible import visible
from clew.errors import ClewError, IndexUnusable, NoIndex
from clew.interfaces.cli.options import embedder_option, json_option, project_option
from clew.interfaces.cli.output import emit, emit_json

if TYPE_CHECKING:
    from clew.settings import Settings

SOMETHING_FAILED = 1
_SECONDS = 10
"""git says its version in milliseconds; a hanging one must not hang us."""


class Check(NamedTuple):
    """One component that was tried: `state` is ok, warning (clew works without it) or failed."""

    name: str
    state: str
    detail: str


@click.command
@project_option
@embedder_option
@json_option
def doctor(path: str, embedder: str | None, as_json: bool) -> int:
    """Show every setting with its origin and try every component. Takes some seconds; changes nothing."""
    from clew.sources.project import project_root

    root = project_root(Path(path))
    settings, checks = _settings(root, embedder)
    checks += [*_trials(root, settings)]
    failed = any(check.state == "failed" for check in checks)
    if as_json:
        emit_json(_report(root, settings, checks, failed=failed))
    else:
        _show(root, settings, checks)
    return SOMETHING_FAILED if failed else 0


def _settings(root: Path, embedder: str | None) -> tuple[Settings | None, list[Check]]:
    from clew.settings import load_settings

    try:
        settings = load_settings(root, {"embedder": embedder})
    except ClewError as fault:
        return None, [Check("settings", "failed", _said(fault))]
    return settings, [Check("settings", "warning", warning) for warning in settings.warnings]


def _trials(root: Path, settings: Settings | None) -> Iterator[Check]:
    yield Check("python", "ok", f"{platform.python_version()} on {sys.platform}, {sys.executable}")
    yield _tried("sqlite", _try_sqlite)
    yield _tried("git", _try_git, unless="warning")
    yield from _grammars()
    yield _tried("lancedb", _try_lancedb)
    if settings is not None:
        yield _tried("embedder", lambda: _try_embedder(settings))
        for name in settings.fallback:
            if name not in ("none", settings.embedder):
                yield _tried(f"fallback {name}", partial(_try_embedder, replace(settings, embedder=name, vector_dims=0)), unless="warning")
        if settings.reranker:
            yield _tried("reranker", lambda: _try_reranker(root, settings), unless="warning")
        yield _tried("index folder", lambda: _try_folder(root, settings))
        yield _tried("index", lambda: _try_index(root, settings))
        yield _tried("index content", lambda: _try_content(root, settings))


def _tried(name: str, trial: Callable[[], str], *, unless: str = "failed") -> Check:
    try:
        return Check(name, "ok", trial())
    except ClewError as fault:
        return Check(name, unless, _said(fault))
    except Exception as fault:  # noqa: BLE001 - whatever a broken component does is the finding
        return Check(name, unless, f"{type(fault).__name__}: {fault}")


def _said(fault: ClewError) -> str:
    return f"{fault.message}; {fault.hint}" if fault.hint else fault.message


def _try_sqlite() -> str:
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        base.execute("INSERT INTO words VALUES ('thread labyrinth')")
        found = base.execute("SELECT count(*) FROM words WHERE words MATCH 'labyrinth'").fetchone()[0]
    return f"{sqlite3.sqlite_version} with FTS5, {found} of 1 test rows found"


def _try_git() -> str:
    said = subprocess.run(["git", "--version"], capture_output=True, text=True, timeout=_SECONDS, check=True, stdin=subprocess.DEVNULL)
    return said.stdout.strip()


def _grammars() -> Iterator[Check]:
    from clew.sources.language_grammars import ENTRIES, grammar, grammar_problem

    names = sorted(path.stem for path in ENTRIES.glob("*.toml"))
    loaded = [name for name in names if grammar(name)]
    yield Check("grammars", "ok" if loaded else "failed", f"{len(loaded)} load: {', '.join(loaded)}")
    for name in names:
        if problem := grammar_problem(name):
            yield Check(f"grammar {name}", "failed", f"{problem}; files of this language are cut into blocks")


def _try_lancedb() -> str:
    import lancedb

    with tempfile.TemporaryDirectory() as folder:
        base = lancedb.connect(folder)
        rows = base.create_table("trial", [{"id": "a", "vector": [1.0, 0.0]}]).count_rows()
    return f"{lancedb.__version__}, {rows} of 1 test rows stored"


def _try_embedder(settings: Settings) -> str:
    from clew.assembly import embedder

    model = embedder(settings)
    (document,), vector = model.embed_documents(["the thread is in the labyrinth"]), model.embed_query("where is the thread")
    if not len(document) == len(vector) == model.space.dims:
        raise IndexUnusable(f"{model.space.model} embeds documents and questions in {len(document)} and {len(vector)} dimensions")
    return f"{model.space.model}, {len(vector)} dimensions, fingerprint {model.space.fingerprint[:8]}"


def _try_reranker(root: Path, settings: Settings) -> str:
    from clew.assembly import language_model
    from clew.assembly_models import reranker

    model = reranker(root, settings, lambda: language_model(root, settings))
    texts = ("the ball of thread lies in the labyrinth", "bread is baked in an oven")
    first, second = model.relevance("where is the thread", texts, float(settings.rerank_timeout))
    return f"{model.name} {'tells' if first > second else 'does not tell'} two texts apart"


def _try_folder(root: Path, settings: Settings) -> str:
    from clew.assembly_stores import index_folder

    folder = index_folder(root, settings)
    nearest = next(place for place in (folder, *folder.parents) if place.is_dir())
    with tempfile.TemporaryFile(dir=nearest):
        return f"{folder} can be written"


def _try_index(root: Path, settings: Settings) -> str:
    from clew.assembly import open_engine

    try:
        with open_engine(root, {"embedder": settings.embedder}, create=False) as engine:
            state = engine.status()
    except NoIndex:
        return "none yet; the first search makes it"
    finished = "complete" if state.complete else "not complete: run `clew index`"
    return f"{state.files:,} files, {state.chunks:,} chunks, {finished}"


def _try_content(root: Path, settings: Settings) -> str:
    from clew.assembly_stores import index_folder
    from clew.stores.embedded.verifying import damages

    try:
        found = [*damages(index_folder(root, settings))]
    except NoIndex:
        return "none yet"
    if found:
        raise IndexUnusable("; ".join(found), "make it anew: clew index --rebuild")
    return "every chunk and vector is what was written"


def _report(root: Path, settings: Settings | None, checks: list[Check], *, failed: bool) -> dict[str, Any]:
    return {
        "ok": not failed,
        "root": str(root),
        "settings": [{"name": name, "value": value, "origin": origin} for name, value, origin in _rows(settings)],
        "checks": [check._asdict() for check in checks],
    }


def _show(root: Path, settings: Settings | None, checks: list[Check]) -> None:
    emit(f"project {visible(str(root))}")
    for name, value, origin in _rows(settings):
        emit(f"  {name:<16} {visible(repr(value)):<32} {visible(origin)}")
    for check in checks:
        emit(f"{check.state:<8} {check.name}: {visible(check.detail)}")


def _rows(settings: Settings | None) -> Iterator[tuple[str, Any, str]]:
    if settings is not None:
        for name, origin in settings.origins.items():
            value = getattr(settings, name)
            yield name, list(value) if isinstance(value, tuple) else value, origin
