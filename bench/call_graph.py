"""How right is the call graph? Certain edges of Python packages beside what jedi, an analyser of its own, says of the same calls.

python bench/call_graph.py --jedi PYTHON PACKAGE…

PACKAGE is a folder with an importable package; it is copied, without anything else. PYTHON has jedi installed (it is not needed otherwise).
A call counts where jedi's `goto`, imports followed, leads to a function or class of the package: *recall* is the share of those of which the same
definition is claimed as certain, *precision* the share of the certain claims about them that name the same one. Claims about calls for which
jedi leads nowhere are counted beside: nothing is known of them.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from clew.assembly import open_engine
from clew.core.graph import Facts, last_name
from clew.graph.resolver import Resolver

Site = tuple[str, int, str]
"""A file, a line and the last name of what is called there."""
Target = tuple[str, str]

_ASKED = """
import ast, json, sys
from pathlib import Path
import jedi
root = Path(sys.argv[1]).resolve()
project = jedi.Project(root)
answers = []
for path in sorted(root.rglob("*.py")):
    text = path.read_text("utf-8")
    script = jedi.Script(text, path=path, project=project)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call):
            continue
        name = node.func
        if isinstance(name, ast.Attribute):
            line, column, spelled = name.end_lineno, name.end_col_offset - 1, name.attr
        elif isinstance(name, ast.Name):
            line, column, spelled = name.lineno, name.col_offset, name.id
        else:
            continue
        # ast counts columns in bytes, jedi in characters
        column = len(text.split("\\n")[line - 1].encode()[:column].decode("utf-8", "ignore"))
        try:
            found = script.goto(line, column, follow_imports=True)
        except Exception as fault:
            found = []
        targets = []
        for one in found:
            inside = one.module_path and root in one.module_path.resolve().parents
            targets.append([one.module_path.resolve().relative_to(root).as_posix() if inside else "", one.line or 0, one.name, one.type])
        answers.append([path.relative_to(root).as_posix(), line, spelled, targets])
print(json.dumps(answers))
"""


def main() -> int:
    """Print a line for each package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", nargs="+", type=Path)
    parser.add_argument("--jedi", default=sys.executable)
    parser.add_argument("--show", type=int, default=0, help="list so many differences")
    options = parser.parse_args()
    print("| package | calls | jedi: of the package | certain | same | other | precision | recall | possible besides | jedi silent |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for package in options.packages:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve() / "project"
            shutil.copytree(package, root / package.name, ignore=shutil.ignore_patterns("__pycache__"))
            compare(package.name, root, options.jedi, options.show)
    return 0


def compare(name: str, root: Path, python: str, show: int) -> None:
    """Print what the two say of one package."""
    reference = jedi_says(root, python)
    claims, facts = clew_says(root)
    counted: Counter[str] = Counter()
    differences = []
    for site, targets in reference.items():
        truth = {target for target in (as_target(facts, *one) for one in targets) if target}
        kinds = {kind for *_, kind in targets}
        certain, possible = claims.get(site, (set(), set()))
        counted["calls"] += 1
        if truth:
            counted["of the package"] += 1
            counted["same" if certain & truth else "other" if certain else "possible" if possible & truth else "missed"] += 1
            if not certain & truth:
                differences.append((site, sorted(truth), sorted(certain), sorted(possible)))
        elif certain:
            counted["silent" if not targets or kinds <= {"param", "statement", "instance"} else "other"] += 1
            differences.append((site, targets, sorted(certain), sorted(possible)))
    same, other = counted["same"], counted["other"]
    print(
        f"| {name} | {counted['calls']} | {counted['of the package']} | {same + other} | {same} | {other} | {same / max(same + other, 1):.3f} | "
        f"{same / max(counted['of the package'], 1):.3f} | {counted['possible']} | {counted['silent']} |",
        flush=True,
    )
    for difference in differences[:show]:
        print("   ", *difference)


def jedi_says(root: Path, python: str) -> dict[Site, list[Any]]:
    """For each call, where jedi goes."""
    done = subprocess.run([python, "-c", _ASKED, str(root)], capture_output=True, text=True, check=True)
    found: dict[Site, list[Any]] = {}
    for filepath, line, name, targets in json.loads(done.stdout):
        found.setdefault((filepath, line, name), []).extend(targets)
    return found


def clew_says(root: Path) -> tuple[dict[Site, tuple[set[Target], set[Target]]], dict[str, Facts]]:
    """For each call, the definitions that are claimed as certain and those that are possible; and what each file says."""
    claims: dict[Site, tuple[set[Target], set[Target]]] = {}
    known: dict[str, Facts] = {}
    with open_engine(root) as engine:
        engine.index(mode="fast")
        with engine._navigator._structure() as (structure, _):
            resolver = Resolver(structure, structure.remembered.views)
            for filepath in structure.files:
                view = resolver.values.view(filepath)
                if view is None:
                    continue
                known[filepath] = view.facts
                for call in view.facts.calls:
                    meant = resolver.call(view, call)
                    site = claims.setdefault((filepath, call.line, last_name(call.chain)), (set(), set()))
                    site[0 if meant.certain else 1].update(symbol.key for symbol in meant.symbols)
    return claims, known


def as_target(facts: dict[str, Facts], filepath: str, line: int, name: str, kind: str) -> Target | None:
    """The definition of ours that jedi's place is; None where it is no function or class of the package."""
    if filepath not in facts or kind not in ("function", "class"):
        return None
    inside = [one for one in facts[filepath].definitions if one.name == name and one.line_start <= line <= one.line_end]
    return (filepath, inside[-1].qualified_name) if inside else (filepath, f"{name}:{line}")


if __name__ == "__main__":
    raise SystemExit(main())
