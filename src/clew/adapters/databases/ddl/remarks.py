"""What do the comments of a DDL file say of a table or column? Their text without marks; what tools write about themselves is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable

_DECORATION = re.compile(r"^[\s\-=*#/_~+|]*$")
# Headings of pg_dump, mysqldump, phpMyAdmin, SSMS, Oracle's and SQLite's tools.
_OF_TOOLS = re.compile(
    r"^(?:Name: .*; Type:|Table structure for|Dumping data|Data for Name:|Structure for view|Temporary (?:view|table) structure|Final view structure|Indexes for|"
    r"Constraints for|AUTO_INCREMENT for|Stand-in structure|Object:\s|Dumped (?:from|by)|DDL for|Table:?\s+\S+$|!\d{5})",
    re.IGNORECASE,
)


def remark(comments: Iterable[str]) -> str:
    """Comments as one text, marks and lines of dashes taken off."""
    lines = []
    for comment in comments:
        for line in _bare(comment).split("\n"):
            text = line.strip().lstrip("*").strip()
            if text and not _DECORATION.match(text) and not _OF_TOOLS.match(text):
                lines.append(text)
    return " ".join(lines)


def remark_before(lead: str) -> str:
    """The comments that stand directly before a statement, no blank line between, as one text."""
    lines = lead.replace("\r\n", "\n").split("\n")
    if lines and not lines[-1].strip():
        lines.pop()
    near = []
    for line in reversed(lines):
        if not line.strip() or line.strip().endswith(";"):
            break
        near.append(line.strip())
    return remark(reversed(near))


def _bare(comment: str) -> str:
    if comment.startswith("--"):
        return comment.lstrip("-").strip()
    if comment.startswith("#"):
        return comment.lstrip("#").strip()
    return comment.removeprefix("/*").removesuffix("*/").strip()
