"""Does the text of an error find the code that raises it? Messages of a project's own Python code, values put in, asked as the end of a log.

    python bench/messages.py PROJECT …

A question names the error and its message as somebody would see it, among words that say nothing; the right file is one that raises it.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
from pathlib import Path

from clew.assembly import open_engine
from clew.core.answer import Question
from clew.core.query import Scope
from clew.search.paths import path_words
from clew.search.report_rules import REPORT_RULES
from clew.search.searcher import Searcher

RAISED = re.compile(r"raise (\w+)\(\s*f?\"([^\"\n]{20,120})\"")
PUT_IN = re.compile(r"%[sdr]|\{[^}]*\}")
VALUES = ("tea", "/srv/x", "17", "None", "<Foo at 0x7f>")
MOST = 60


def messages(project: Path) -> dict[tuple[str, str], set[str]]:
    """Each error with its message, and the files that raise it."""
    draw = random.Random(1)
    found: dict[tuple[str, str], set[str]] = {}
    for path in sorted(project.rglob("*.py")):
        name = path.relative_to(project).as_posix()
        if path_words(name).role is None:
            for error, text in RAISED.findall(path.read_text(encoding="utf-8", errors="replace")):
                found.setdefault((error, PUT_IN.sub(lambda _: draw.choice(VALUES), text)), set()).add(name)
    return dict(sorted(found.items())[:MOST])


def report(error: str, message: str) -> str:
    """The end of a log, as it is asked about."""
    return f"The nightly job stopped\nThe log ends with this, and I do not know where it comes from:\n```\n{error}: {message}\n```\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", type=Path, nargs="+")
    for project in parser.parse_args().projects:
        asked = messages(project)
        with tempfile.TemporaryDirectory() as folder, open_engine(project, {"index_dir": folder}) as engine:
            engine.index(mode="fast")
            for title, rules in (("", REPORT_RULES), (", without the rule", [rule for rule in REPORT_RULES if rule.name != "message"])):
                searcher = Searcher(engine._store, None, report_rules=rules)
                first = three = 0
                for (error, message), right in asked.items():
                    lines = searcher.search(Scope((engine.namespace,)), Question(report(error, message), mode="fast", limit=10)).ranked
                    files = list(dict.fromkeys(line.chunk.filepath for line in lines))
                    first += bool(right & set(files[:1]))
                    three += bool(right & set(files[:3]))
                print(f"{project.name}{title}: of {len(asked)} messages {first} first, {three} among the first three", flush=True)


if __name__ == "__main__":
    main()
