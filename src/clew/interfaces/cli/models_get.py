"""What does `clew models get` do? It fetches a model from a hub: the one command that downloads anything."""

from __future__ import annotations

import click

from clew.interfaces.cli.options import json_option
from clew.interfaces.cli.output import emit, emit_json, note


@click.command
@click.argument("name")
@json_option
def models_get(name: str, as_json: bool) -> int:
    """Fetch an embedding model from a hub into your data folder: onnx:NAME or static:OWNER/MODEL.

    Nothing is ever fetched without this command. The hub is the setting `models_hub`, yours alone.
    """
    from clew.adapters.embedders.fetched import get
    from clew.settings import load_settings, user_models_folder

    settings = load_settings(user_models_folder("").parent)  # of no project: that may not say whence
    spec, folder = get(name, settings.models_hub, note)
    if as_json:
        emit_json({"embedder": spec, "folder": str(folder)})
    else:
        emit(f"{spec} is in {folder}: set `embedder` to it, or clew index --embedder {spec}")
    return 0
