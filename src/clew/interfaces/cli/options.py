"""Which options do several commands share?"""

from __future__ import annotations

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
