"""Does a server keep to its OpenAPI description, whatever is sent? Schemathesis makes the requests, as many as are asked for.

    python bench/contract.py PROJECT [--examples 200]

PROJECT is indexed already. Starts `clew serve` on a free port with a token, and runs schemathesis over /openapi.json: all its checks, requests that keep to the
description and requests that do not. Its exit code is that of schemathesis.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from load import started

CONFIGURATION = """\
[checks]
positive_data_acceptance.expected-statuses = ["2xx", 400, 404]
"""
"""A path may lead out of a project, a name may be of no database: what keeps to the description may mean nothing all the same."""


def main() -> int:
    """Run it."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("project", type=Path)
    arguments.add_argument("--examples", type=int, default=200)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder, started(given.project, Path(folder)) as (server, token, address):
        if server.stderr is not None:
            threading.Thread(target=server.stderr.read, daemon=True).start()
        (Path(folder) / "schemathesis.toml").write_text(CONFIGURATION)
        program = str(Path(sys.executable).with_name("schemathesis"))
        command = [program, "--config-file", f"{folder}/schemathesis.toml", "run", f"{address}/openapi.json"]
        options = [
            "--header",
            f"Authorization: Bearer {token}",
            "--max-examples",
            str(given.examples),
            "--phases",
            "examples,coverage,fuzzing",
        ]
        return subprocess.run([*command, *options], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
