"""Which options do several commands share?"""

from __future__ import annotations

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, whatever happens.")]
ProjectPath = Annotated[
    str,
    typer.Option(
        "--path",
        metavar="PATH",
        help="The project: the nearest folder above with an index, else the git root, else this folder.",
    ),
]
ProjectArgument = Annotated[str, typer.Argument(metavar="[PATH]", help="The project, or a folder in it.")]
EmbedderName = Annotated[str | None, typer.Option("--embedder", metavar="PROVIDER:MODEL", help="The embedding model.", show_default=False)]
