"""Which tables does a piece of code name, and as what? Models (classes and calls that stand for a table), queries (SQL in any string), migrations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MODEL, QUERY, MIGRATION = "model", "query", "migration"
HOWS = (MODEL, MIGRATION, QUERY)
"""The most telling first."""
_STATEMENT = 3_000
"""Characters of a statement that are read behind its beginning."""
_LONGEST = 400_000
"""Longer texts are data."""

_NAME = r"((?:[\"`\[]?[\w$]+[\"`\]]?\.)*[\"`\[]?[\w$]+)[\"`\]]?"
_BEGINS = re.compile(
    r"\b(?:select\b|insert\s+into\b|update\b(?=\s+\S+\s+(?:\w+\s+)?set\b)|delete\s+from\b|merge\s+into\b|truncate\s+table\b"
    r"|(?:create|alter|drop)\s+table\b|create\s+(?:unique\s+)?index\b)",
)
_NAMED = re.compile(
    rf"\b(?:from|join|into|update|table(?:\s+if\s+(?:not\s+)?exists)?|references|on\s+(?=[\w\".]+\s*\())\s+(?:only\s+)?{_NAME}",
    re.IGNORECASE,
)
_ENDS = re.compile(r';|"""|\'\'\'|`\s*[,);]|\n\s*\n')
_LITERAL = r"\s*[:\"'`]([\w.$]+)"
_MODELS = re.compile(
    rf"(?:__tablename__|\bdb_table|\btable_name|\$table|\btableName|\btable)\s*[:=]{_LITERAL}"
    rf"|\b(?:Table|pgTable|mysqlTable|sqliteTable|ToTable|knex|from_table)\s*\({_LITERAL}"
    r"|@(?:Table|Entity)\s*\((?:[^)\"']*?=)?\s*[\"']([\w.$]+)[\"']"
    r"|\bschema\s+\"(\w+)\"\s+do\b"
    r"|\bTableName\(\)\s*string\s*\{\s*return\s*[\"`]([\w.$]+)",
)
_MIGRATIONS = re.compile(
    r"\b(?:create_table|createTable|drop_table|dropTable|rename_table|alter_table|alterTable|change_table|add_column|addColumn|remove_column"
    rf"|drop_column|add_index|create_index|batch_alter_table|create_foreign_key|Schema::create|Schema::table)\s*\(?{_LITERAL}"
)
_CLASS = re.compile(
    r"^[ \t]*(?:export\s+|public\s+|data\s+|abstract\s+)*class\s+(\w+)\s*(?:\(([^)\n]*)\)|(?:<|extends|:)\s*([\w:.<>, ]+))", re.MULTILINE
)
_STANDS_FOR_TABLE = re.compile(
    r"(?:^|[\W_])(?:\w*Model|Base|DeclarativeBase|ActiveRecord|ApplicationRecord|Entity|BaseEntity|SQLModel|Document)\b"
)
_MIGRATES = re.compile(r"(?:^|/)(?:migrations?|alembic|flyway|migrate|changelog)(?:/|$)|(?:^|/)V\d+__", re.IGNORECASE)
_STATEMENTS = ("select", "insert into", "update", "delete from", "merge into", " table", "create index", "create unique")
_DECLARING = ("table", "@entity", 'schema "', "knex")
_CHANGING = ("_table", "table(", "_column", "dcolumn", "_index", "foreign_key", "schema::")
"""Words around which a text may hold statements, models, migrations."""
_BEFORE, _BEHIND = 24, 200
"""Characters around such a word in which its declaration stands."""


class Mention(NamedTuple):
    """A table that is named: its bare name in lower case, at which character, as what, and by which class where it is a model."""

    name: str
    place: int
    how: str
    by: str = ""


def mentions(text: str, filepath: str = "") -> Iterator[Mention]:
    """The tables that a text may name, in no order, names that are none among them: who asks knows which exist."""
    lower = _lower(text) if len(text) <= _LONGEST else ""
    if any(word in lower for word in _STATEMENTS):
        yield from _in_statements(lower, filepath)
    owners = [(found.start(), found) for found in _CLASS.finditer(text)] if "class" in lower else []
    for found in _around(_DECLARING, lower, _MODELS, text):
        owner = next((one[1] for place, one in reversed(owners) if place < found.start()), "")
        yield Mention(_bare(next(filter(None, found.groups()))), found.start(), MODEL, owner)
    yield from (Mention(_bare(found[1]), found.start(), MIGRATION) for found in _around(_CHANGING, lower, _MIGRATIONS, text))
    for _, found in owners:
        if _STANDS_FOR_TABLE.search(found[2] or found[3] or ""):
            yield from (Mention(name, found.start(1), MODEL, found[1]) for name in tables_of_class(found[1], filepath))


def _in_statements(lower: str, filepath: str) -> Iterator[Mention]:
    sql = MIGRATION if _MIGRATES.search(filepath) or filepath.endswith(".sql") else QUERY
    read_to = 0
    for begin in _BEGINS.finditer(lower):
        if begin.start() < read_to:
            continue  # a part of the statement before
        end = _ENDS.search(lower, begin.end(), begin.end() + _STATEMENT)
        read_to = end.start() if end else begin.end() + _STATEMENT
        how = MIGRATION if begin[0].startswith(("create", "alter", "drop")) else sql
        yield from (Mention(_bare(found[1]), found.start(1), how) for found in _NAMED.finditer(lower, begin.start(), read_to))


def _around(words: tuple[str, ...], lower: str, pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """What a pattern finds around these words, each once: it is not asked about the rest of a text, which takes ten times as long."""
    places = sorted(_places(words, lower))
    read_to = 0
    for place in places:
        found = pattern.search(text, max(read_to, place - _BEFORE), place + _BEHIND)
        if found:
            read_to = found.end()
            yield found


def _places(words: tuple[str, ...], lower: str) -> Iterator[int]:
    for word in words:
        place = lower.find(word)
        while place >= 0:
            yield place
            place = lower.find(word, place + len(word))


def _lower(text: str) -> str:
    """In lower case, each character at its place."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(one.lower() if len(one.lower()) == 1 else one for one in text)


def tables_of_class(name: str, filepath: str = "") -> tuple[str, ...]:
    """What a class's table is called by the conventions of the frameworks: its name, its plural, both behind the application's."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[0-9]+", name)
    snake = "_".join(words).lower()
    if not snake:
        return ()
    plural = (
        f"{snake[:-1]}ies" if re.search(r"[^aeiou]y$", snake) else f"{snake}es" if re.search(r"(?:s|x|z|ch|sh)$", snake) else f"{snake}s"
    )
    folders = filepath.split("/")[:-1]
    app = next((part for part in reversed(folders) if part not in ("models", "src", "app")), "")
    return (snake, plural, *((f"{app.lower()}_{snake}",) if app else ()))


def classes_of_table(table: str) -> tuple[str, ...]:
    """The classes that a framework would name for a table: its name and its singular, in capitals."""
    singular = f"{table[:-3]}y" if table.endswith("ies") else re.sub(r"(?<=[^s])s$", "", table)
    return tuple(dict.fromkeys("".join(part.capitalize() for part in name.split("_")) for name in (singular, table)))


def _bare(name: str) -> str:
    return re.sub(r'["`\[\]]', "", name).rsplit(".", 1)[-1].lower()
