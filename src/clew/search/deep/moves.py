"""What may the model do in one move? One flat shape, so that a small model can keep to it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field, field_validator

Action = Literal["ls", "cd", "cat", "find", "grep", "outline", "callers", "note", "done"]


class Move(BaseModel):
    """The next move."""

    thought: str = Field("", description="What is still to be found out, in a few words.")
    action: Action
    target: str = Field(
        "", description="ls, cd, outline, cat, note: a path. find: part of a path or name, or a glob. grep: a pattern. callers: a name."
    )
    line_start: int = Field(
        0, description="cat, note: the first line. ls, find, grep, callers: the entry with which to go on, outline: the line."
    )
    line_end: int = Field(0, description="cat, note: the last line.")
    text: str = Field(
        "", description="note: what these lines show. done: the answer; each sentence ends with the number of its note, as in [1]."
    )
    missing: str = Field("", description="done: what could not be found; empty where nothing is missing.")

    @field_validator("thought", "target", "text", "missing")
    @classmethod
    def _is_text(cls, said: str) -> str:
        """Halves of surrogate pairs, which some clients let pass, can be neither stored nor sent."""
        return said.encode("utf-8", "replace").decode()

    @property
    def key(self) -> tuple[str, str, int, int]:
        """What makes two moves the same."""
        return (self.action, self.target.strip(), self.line_start, self.line_end)

    def told(self) -> str:
        """The move in one line, as it is shown to people and kept in the transcript."""
        lines = f":{self.line_start}-{self.line_end}" if self.action in ("cat", "note") and self.line_start else ""
        lines = f" from {self.line_start}" if not lines and self.line_start > 1 else lines
        return f"{self.action} {' '.join(self.target.split())[:120]}{lines}".rstrip()


INSTRUCTIONS = """A developer asks a question about a code base. Find the code that answers it, as a developer would: look, follow calls, read, note.
Make one move at a time:
ls PATH - what a folder holds; cd PATH - go there; find TEXT - files and definitions by a part of their name, or a glob; grep PATTERN - lines that match;
outline PATH - the definitions of a file; cat PATH line_start line_end - read lines; callers NAME - who calls it;
note PATH line_start line_end text - keep these lines as evidence, with what they show: note as soon as you have seen something that answers;
done text - answer from the notes alone, each sentence with its note's number, as in [1]; `missing` says what you could not find.
Begin with what search found. Do not make a move twice. Be done before the moves that are left are used up."""
