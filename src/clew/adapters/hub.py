"""How does a model get onto this machine? From a hub that speaks as Hugging Face's does, only when its user says so: listed, bounded, checked, then in place at once."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from clew.errors import Unreachable, UsageError

LARGEST = 3_000_000_000
"""Bytes of a model: what onnxruntime reads from one file at most is 2 GB, some tables are beside it."""
_LARGEST_LIST = 5_000_000
_SECONDS = 30.0
"""Without a byte, after which the hub is given up."""
_BLOCK = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}(/[A-Za-z0-9][\w.-]{0,95})?")
_DONE = "from.json"
"""Written last into a model's folder: where it is from."""


class File(NamedTuple):
    """A file of a model on the hub: its size, and its digest as `sha256:…`, or `git:…` for one that git keeps itself."""

    path: str
    size: int
    digest: str


def is_name(name: str) -> bool:
    """Whether a name can be that of a model on a hub, or of its folder here: `model` or `owner/model`."""
    return _NAME.fullmatch(name) is not None


def fetch(
    hub: str, repository: str, choose: Callable[[Mapping[str, File]], Iterable[str]], folder: Path, said: Callable[[str], None]
) -> Path:
    """The chosen files of a model, in the folder, which is there as a whole or not at all; what was fetched whole by a run that was stopped is not fetched again.

    Raises UsageError for a model that is not there, that has not what is needed, or is too large; Unreachable for a hub that does not answer or whose files are not
    what it says.
    """
    if (folder / _DONE).is_file():
        said(f"{folder} is there already")
        return folder
    revision = str(_json(hub, f"/api/models/{repository}").get("sha") or "")
    if not re.fullmatch(r"[0-9a-f]{40}", revision):
        raise Unreachable(f"{hub} does not say which revision of {repository} it has", "is models_hub the address of a hub?")
    files = {one.path: one for one in _listed(_json(hub, f"/api/models/{repository}/tree/{revision}?recursive=true", []))}
    wanted = [files[path] for path in choose(files)]
    total = sum(one.size for one in wanted)
    if total > LARGEST:
        raise UsageError(f"{repository} has {total:,} bytes, more than {LARGEST:,}", "choose a smaller model")
    partial = folder.with_name(f".{folder.name}.{revision[:12]}.partial")
    try:
        for one in wanted:
            said(f"{one.path}, {one.size:,} bytes")
            _file(hub, f"/{repository}/resolve/{revision}/{quote(one.path)}", one, partial / one.path)
        (partial / _DONE).write_text(json.dumps({"hub": hub, "model": repository, "revision": revision}), "utf-8")
        if folder.exists():
            raise UsageError(f"{folder} is there, and not by this command", "move it away, or use it as it is")
        partial.rename(folder)
    except OSError as fault:
        raise Unreachable(f"{folder} cannot be written: {fault.strerror or fault}", "make room, or see to the folder's rights") from fault
    return folder


def _listed(told: Any) -> Iterator[File]:
    for one in told if isinstance(told, list) else ():
        large = one.get("lfs") or {}
        digest = f"sha256:{large['oid']}" if large.get("oid") else f"git:{one.get('oid')}"
        if one.get("type") == "file":
            yield File(str(one.get("path")), int(large.get("size") or one.get("size") or 0), digest)


def _json(hub: str, path: str, default: Any = {}) -> Any:  # noqa: B006 - never changed
    with _opened(hub, path) as answer:
        raw = answer.read(_LARGEST_LIST)
    try:
        found = json.loads(raw)
    except ValueError as fault:
        raise Unreachable(f"{hub} answers with what is no list of files", "is models_hub the address of a hub?") from fault
    if not isinstance(found, type(default)):
        raise Unreachable(f"{hub} answers with what is no list of files", "is models_hub the address of a hub?")
    return found


def _file(hub: str, path: str, file: File, place: Path) -> None:
    """Fetch one file, under another name until it is whole and the right one."""
    if place.is_file():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(place.parent).free < file.size:
        raise OSError(28, "no room on the disk")
    kind, _, wanted = file.digest.partition(":")
    digest = hashlib.sha256() if kind == "sha256" else hashlib.sha1(f"blob {file.size}\0".encode(), usedforsecurity=False)
    part = place.with_name(f"{place.name}.{os.getpid()}.part")
    size = 0
    try:
        with _opened(hub, path) as answer, part.open("wb") as out:
            while block := _read(hub, answer):
                size += len(block)
                if size > file.size:
                    break
                digest.update(block)
                out.write(block)
        if size != file.size or digest.hexdigest() != wanted:
            raise Unreachable(f"{file.path} is not what {hub} says it is", "try again; what was fetched whole is kept")
        part.replace(place)
    finally:
        part.unlink(missing_ok=True)


def _read(hub: str, answer: Any) -> bytes:
    try:
        return bytes(answer.read(_BLOCK))
    except (OSError, HTTPException) as fault:
        raise Unreachable(f"{hub} stopped answering", "try again; what was fetched whole is kept") from fault


def _opened(hub: str, path: str) -> Any:
    if urlsplit(hub).scheme not in ("http", "https"):
        raise UsageError(f"models_hub is {hub!r}, which is no address", "set it to one that begins with https://")
    try:
        return urlopen(Request(hub.rstrip("/") + path, headers={"User-Agent": "clew"}), timeout=_SECONDS)
    except HTTPError as fault:
        if fault.code in (401, 403, 404):
            raise UsageError(
                f"{hub} has no such model for everyone ({path.split('?', maxsplit=1)[0]})", "check its name; clew sends no key"
            ) from None
        raise Unreachable(f"{hub} answers with status {fault.code}", "try again later") from None
    except (OSError, HTTPException, ValueError) as fault:
        raise Unreachable(f"{hub} does not answer ({type(fault).__name__})", "is the network up, is models_hub right?") from None
