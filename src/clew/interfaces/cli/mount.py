"""What does `clew mount` do? It lets a project's questions be answered from another project's index as well, without copying it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from clew.errors import ClewError, UsageError
from clew.interfaces.cli.options import json_option, project_option
from clew.interfaces.cli.output import emit, emit_json, note

if TYPE_CHECKING:
    from clew.core.mounts import Mount


@click.command
@click.argument("store", required=False)
@click.option(
    "--namespace",
    metavar="NAME",
    multiple=True,
    help="Only this namespace of the store. May be repeated.  [default: all that may be mounted]",
)
@click.option("--remove", is_flag=True, help="Take the mount of STORE away; its index stays as it is.")
@project_option
@json_option
def mount(store: str | None, namespace: tuple[str, ...], remove: bool, path: str, as_json: bool) -> int:
    """Search the namespaces of another store beside the project's own. STORE is the folder of a project, or mongodb://…; without one, list the mounts.

    What is private can be mounted by its owner alone: `clew namespace visibility` opens it. Mounts are kept for you, not in the project; a
    project's clew.toml may have [[mounts]] of folders.
    """
    from clew.assembly import open_mounts

    mounts = open_mounts(Path(path))
    try:
        if store is None:
            if remove or namespace:
                raise UsageError("no STORE was given", "clew mount STORE [--namespace NAME]")
            return _listed([_state(one, mounts.names) for one in mounts.all()], as_json=as_json)
        if remove:
            done = mounts.remove(store)
            return _said({"removed": store} if done else {"unchanged": store}, as_json=as_json)
        added = mounts.add(store, namespace)
        return _said({"mounted": store, "namespaces": list(mounts.names(added))}, as_json=as_json)
    finally:
        mounts.close()


def _state(mount: Mount, names: Any) -> dict[str, Any]:
    """A mount as it is shown, with what may be asked there now, or why nothing may."""
    told = {"store": mount.store, "origin": mount.origin}
    try:
        return {**told, "namespaces": list(names(mount)), "error": ""}
    except ClewError as fault:
        return {**told, "namespaces": list(mount.namespaces), "error": fault.message}


def _listed(mounts: list[dict[str, Any]], *, as_json: bool) -> int:
    if as_json:
        emit_json({"mounts": mounts})
        return 0
    for one in mounts:
        emit(f"{one['store']}  {', '.join(one['namespaces']) or 'nothing that may be mounted'}  ({one['origin']})")
        if one["error"]:
            note(f"warning: {one['store']}: {one['error']}")
    if not mounts:
        note("nothing is mounted: clew mount FOLDER searches another project's index too")
    return 0


def _said(done: dict[str, Any], *, as_json: bool) -> int:
    if as_json:
        emit_json(done)
    elif "mounted" in done:
        emit(f"mounted {done['mounted']}: {', '.join(done['namespaces'])}")
    elif "removed" in done:
        emit(f"{done['removed']} is no longer mounted")
    else:
        note(f"{done['unchanged']} was not mounted by `clew mount`")
    return 0
