"""What do agents read before they call a tool? When to use what, and prompts for common tasks."""

from __future__ import annotations

from dataclasses import dataclass

INSTRUCTIONS = """\
clew finds code in the user's projects. Use it before grep, or reading whole files.
- You know what code does, not where it is: search, in words. Also for names, path:line, error messages, stack traces, and who calls or imports what.
- You know a name: navigate symbol, callers, callees; before changing it, impact. A file or folder: outline, importers. Lines you must see in full: read path:10-40. \
A project you do not know: map.
- You write SQL: schema, for the tables, columns and joins; then schema with the statement.
Paths are relative to the root line above them; line numbers are those on disk, so edit by them. Answers stay within max_tokens: ask one \
narrow question rather than a broad one. Nothing found, or weak: other words, or a name that stands in the code.
The index keeps itself current; "partial" or a warning says when an answer lacks something."""


@dataclass(frozen=True, slots=True)
class Task:
    """A prompt: its one `argument` goes where its `text` says {}."""

    name: str
    description: str
    argument: str
    meaning: str
    text: str


TASKS = (
    Task(
        "find",
        "Find where something is done",
        "what",
        "What the code does, in words",
        "Where in this project is this done: {}? Ask clew's search, in words first, then with the names that it shows. Answer with path:lines, "
        "the place that decides first, one sentence each.",
    ),
    Task(
        "explain",
        "Explain how a part works",
        "what",
        "A part, a feature or a name",
        "Explain how this works in this project: {}. Find its parts with clew's search, see definitions with navigate symbol and read only the lines "
        "that matter. Then tell the way through the code in order, each step with path:lines.",
    ),
    Task(
        "before-changing",
        "What to look at before changing something",
        "name",
        "The function, class or file to change",
        "{} is to be changed. With clew, find its definition, its callers, its tests, its documentation and settings that it reads. List what "
        "has to change with it and what could break, each with path:lines. Change nothing yet.",
    ),
)
