"""Are huge files, huge lines and huge definitions searchable, or named as left out?"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

Project = Any
NOBODY = 65534
ODD = b"def odd_one():\n    return '\x81\x8d \x8f \x90\xff\x9d'\n"


def test_a_minified_bundle_is_named_and_the_source_comes_first(project: Project) -> None:
    body = "".join(f"function f{i}(a,b){{return a*{i}+b}}" for i in range(3000))
    project.write("public/app.min.js", f"!function(){{{body}function computeParcelZone(p){{return p.length%7}}}}();")
    project.write(
        "src/parcel.js",
        "// Picks the zone for a postcode.\nexport function computeParcelZone(code) {\n  const head = code.slice(0, 2);\n  return ZONES[head];\n}\n",
    )
    report = project.index()
    assert [skip["filepath"] for skip in report["skipped"]] == ["public/app.min.js"]
    assert report["skipped"][0]["reason"].startswith("minified")
    assert project.status()["skipped"] == report["skipped"]
    project.find("computeParcelZone", "src/parcel.js", (2, 5), top=1)


def test_a_huge_line_in_a_file_that_is_kept_gives_small_results(project: Project) -> None:
    project.write(
        "data.sql",
        "CREATE TABLE wide_table (a INT);\nINSERT INTO wide_table VALUES " + ",".join(f"({i}, 'wide row')" for i in range(30_000)) + ";\n",
    )
    project.index()
    project.find("wide_table", "data.sql")
    assert project.search("wide row")


def test_a_written_file_with_one_long_line_is_indexed(project: Project) -> None:
    project.write(
        "badge.py",
        f'"""Badges."""\nLOGO = "{"QUJD" * 380}"\n\n\ndef draw_badge_svg(label):\n    """Return an SVG badge."""\n    return label\n\n\ndef key_of_badge(label):\n    return label\n',
    )
    report = project.index()
    assert report["skipped"] == []
    assert project.find("draw_badge_svg", "badge.py", (5, 7))["line_start"] == 5
    assert project.find("key_of_badge", "badge.py", (10, 11))["line_start"] == 10


def test_the_end_of_an_oversized_literal_is_found_near_its_line(project: Project) -> None:
    rows = "".join(f'    "fee_code_{i}": {{"fee": {i}, "label": "step {i} of the fee table"}},\n' for i in range(1, 4001))
    project.write("fees.py", "FEES = {\n" + rows + '    "fee_code_otter_last": {"fee": 9, "label": "otter surcharge"},\n}\n')
    project.index()
    found = project.find("fee_code_otter_last", "fees.py", (4002, 4002))
    assert found["line_end"] - found["line_start"] < 400


def test_the_end_of_a_long_section_of_prose_is_found_near_its_line(project: Project) -> None:
    paragraph = "An operator may change the window when the disk is close to full.\n\n"
    project.write(
        "handbook.md",
        "# Handbook\n\n## Windows\n\n" + paragraph * 800 + "Finally, the lynx override closes the window for sealed buckets.\n",
    )
    project.index()
    found = project.find("lynx override for sealed buckets", "handbook.md", (1605, 1605))
    assert found["line_end"] - found["line_start"] < 400


def test_a_source_of_four_megabytes_is_indexed_to_its_last_line(project: Project) -> None:
    project.write("big.ts", "".join(f"export function bigCase{i}(x: number): number {{ return x + {i}; }}\n" for i in range(20_000)))
    project.write("small.ts", 'import { bigCase1 } from "./big";\nexport function smallEntry() { return bigCase1(1); }\n')
    assert project.index("--mode", "fast")["skipped"] == []
    project.find("bigCase19999", "big.ts", (20_000, 20_000))
    project.find("smallEntry", "small.ts", (2, 2))


def test_a_file_over_the_limit_is_named_by_index_status_and_an_empty_answer(project: Project) -> None:
    project.write("clew.toml", "max_file_bytes = 1000\n")
    project.write("big.ts", "export function insideTheBigOne() { return 1; }\n" * 100)
    project.write("small.ts", "export function smallEntry() { return 1; }\n")
    expected = {"filepath": "big.ts", "reason": "4800 bytes, over the limit of 1000 (max_file_bytes)"}
    report = project.index()
    assert report["files"]["skipped"] == 1
    assert report["skipped"] == [expected]
    assert project.status()["skipped"] == [expected]
    project.find("smallEntry", "small.ts")
    answer = project.answer("insideTheBigOne", "--mode", "fast")
    assert answer["results"] == []
    assert "big.ts" in answer["hint"]


@pytest.fixture
def others(project: Project, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """A project in a place that every user may enter; the test acts as its owner, whom permissions bind, even if it runs as root."""
    with tempfile.TemporaryDirectory() as place:
        home, root = Path(place, "home"), Path(place, "project")
        monkeypatch.setenv("HOME", str(home))
        for folder in (Path(place), home, root):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
        if os.geteuid() != 0:
            yield type(project)(root)
            return
        for folder in (home, root):
            os.chown(folder, NOBODY, NOBODY)
        project.write("odd.py", ODD)
        project.index()  # loads what this user may not: Python itself can be in a place that is closed to others
        project.find("odd_one", "odd.py")
        os.seteuid(NOBODY)
        try:
            yield type(project)(root)
        finally:
            os.seteuid(0)


def test_one_odd_one_unreadable_and_one_huge_file_end_no_run(others: Project) -> None:
    others.write("odd.py", ODD)
    others.write("huge.py", b"#" * 6_000_000)
    others.write("closed.py", "def closed_one():\n    return 1\n").chmod(0)
    others.write("closed/inside.py", "def inside_one():\n    return 1\n").parent.chmod(0)
    others.write("good.py", "def good_one():\n    return 1\n")
    report = others.index()
    expected = {
        "closed.py": "permission denied",
        "closed/": "permission denied",
        "huge.py": "6000000 bytes, over the limit of 5000000 (max_file_bytes)",
    }
    assert {skip["filepath"]: skip["reason"] for skip in report["skipped"]} == expected
    assert {skip["filepath"]: skip["reason"] for skip in others.status()["skipped"]} == expected
    assert [note["filepath"] for note in others.status()["notes"]] == ["odd.py"]
    others.find("good_one", "good.py")
    others.find("odd_one", "odd.py")
    (others.root / "closed.py").chmod(0o644)
    others.find("closed_one", "closed.py")
