"""Which of the model's claims count? Notes of lines that are there, each once, and sentences that rest on a note."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from clew.core.answer import Citation
from clew.search.deep.desk import Desk
from clew.search.deep.moves import Move

MOST_NOTES = 20
MOST_LINES = 60
"""Of one note: who notes a whole file has not said where."""
WHY_CHARACTERS = 300
ANSWER_CHARACTERS = 4_000
_CITED = re.compile(r"\[\s*(\d{1,3}(?:\s*,\s*\d{1,3})*)\s*\]")
_SENTENCE_END = re.compile(r"(?<=[.!?])(?=\s)|(?<=\])(?=\s+[A-Z`])|\n+")


@dataclass(slots=True)
class Notes:
    """The evidence so far. A note is checked against the file when it is made, and again before it is shown."""

    desk: Desk
    kept: list[Citation] = field(default_factory=list)

    def add(self, move: Move) -> str:
        """Keep a note, and say under which number; or why not."""
        path = self.desk.path(move.target)
        lines = self.desk.lines(path)
        if not lines:
            return f"not noted: there is no {path or 'such file'} in the index"
        if not 1 <= move.line_start <= len(lines) or move.line_end < 0:
            return f"not noted: {path} has lines 1 to {len(lines)}; say which"
        last = min(max(move.line_end, move.line_start), len(lines), move.line_start + MOST_LINES - 1)
        if not any(line.strip() for line in lines[move.line_start - 1 : last]):
            return f"not noted: lines {move.line_start}-{last} of {path} are empty"
        for number, one in enumerate(self.kept, 1):
            if one.filepath == path and one.line_start <= move.line_start and last <= one.line_end:
                return f"noted already as [{number}]"
        if len(self.kept) == MOST_NOTES:
            return "not noted: there are notes enough; be done"
        why = " ".join(move.text.split())[:WHY_CHARACTERS]
        self.kept.append(Citation(path, move.line_start, last, why))
        return f"noted as [{len(self.kept)}]"

    def still_there(self, again: Desk) -> dict[int, Citation]:
        """The notes, by number, whose lines are the same on the disk now."""
        return {number: one for number, one in enumerate(self.kept, 1) if self._cut(again, one) == self._cut(self.desk, one)}

    @staticmethod
    def _cut(desk: Desk, one: Citation) -> tuple[str, ...]:
        return desk.lines(one.filepath)[one.line_start - 1 : one.line_end]


def borne_out(text: str, notes: dict[int, Citation]) -> tuple[str, int]:
    """The sentences that rest on notes, their numbers become places; and how many sentences rest on nothing and are left out."""
    sentences = [one.strip() for one in _SENTENCE_END.split(text[:ANSWER_CHARACTERS]) if one and one.strip()]
    kept = [said for one in sentences if (said := _placed(one, notes))]
    return " ".join(kept), len(sentences) - len(kept)


def _placed(sentence: str, notes: dict[int, Citation]) -> str:
    """The sentence with places for numbers; nothing where it cites no note that there is."""
    cited = [int(number) for match in _CITED.finditer(sentence) for number in match[1].split(",")]
    if not any(number in notes for number in cited):
        return ""

    def places(match: re.Match[str]) -> str:
        known = [notes[int(number)] for number in match[1].split(",") if int(number) in notes]
        return f"[{', '.join(f'{one.filepath}:{one.line_start}-{one.line_end}' for one in known)}]" if known else ""

    return _CITED.sub(places, sentence)
