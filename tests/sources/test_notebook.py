"""Do the cells of a notebook stand at the lines of its file, and is everything else left out?"""

from __future__ import annotations

import json

from clew.sources.notebook import Cell, notebook_lines
from clew.sources.outliner import outline

NOTEBOOK = {
    "metadata": {"kernelspec": {"language": "python"}},
    "cells": [
        {"cell_type": "markdown", "source": ["# Lemurs\n", "Younger than 30 days."]},
        {"cell_type": "code", "outputs": [{"data": {"image/png": "aGk" * 500}, "traceback": ["outputOnly"]}],
         "source": ["%matplotlib inline\n", "def churn(df):\n", "    return df.lost.mean()\n"]},
    ],
}  # fmt: skip


def test_source_lines_stand_where_the_file_has_them():
    text = json.dumps(NOTEBOOK, indent=1)
    lines, cells = notebook_lines(text)
    physical = text.split("\n")
    assert len(lines) == len(physical)
    row = lines.index("def churn(df):")
    assert "def churn(df):" in physical[row]
    assert [cell.language for cell in cells] == ["markdown", "python"]
    assert not any("outputOnly" in line or "aGk" in line for line in lines)


def test_a_notebook_on_one_line_gives_readable_cells_one_after_another():
    lines, cells = notebook_lines(json.dumps(NOTEBOOK))
    assert lines[6:8] == ["def churn(df):", "    return df.lost.mean()"]
    assert cells == [Cell(1, "markdown", 1, 3), Cell(2, "python", 5, 8)]


def test_code_cells_hold_what_they_define_and_magics_are_no_errors():
    lines, _ = notebook_lines(json.dumps(NOTEBOOK, indent=1))
    found = outline(lines, "notebook")
    assert [(d.kind, d.qualified_name) for d in found.definitions] == [
        ("section", "cell 1"),
        ("cell", "cell 2"),
        ("function", "cell 2.churn"),
    ]
    assert found.errors == 0


def test_broken_empty_and_deep_notebooks_fall_back_quietly():
    assert notebook_lines('{"cells": [ {"source": ["def cut_off')[0] == ['{"cells": [ {"source": ["def cut_off']
    assert notebook_lines("x" + "QUJD" * 100)[0] == [""]
    assert notebook_lines('{"cells": []}') == ([""], [])
    assert notebook_lines("[" * 100_000)[1] == []
    assert notebook_lines('{"cells": 3}') == ([""], [])
