"""Which options do several commands share?"""

from __future__ import annotations

from pathlib import Path

import click

project_argument = click.argument("path", default=".")
project_option = click.option(
    "--path",
    metavar="PATH",
    default=".",
    show_default="the current folder",
    help="The project, or a folder in it: the nearest folder above with an index counts, else the git root, else the folder itself.",
)
embedder_option = click.option("--embedder", metavar="PROVIDER:MODEL", help="The embedding model, instead of the one that is set.")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout, whatever happens.")
tokens_option = click.option(
    "--tokens",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The file of tokens.  [default: tokens.json beside your config.toml]",
)
