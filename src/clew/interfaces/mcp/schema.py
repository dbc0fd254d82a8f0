"""What does an agent get that asks about databases? The tables with their joins as DDL, or what is wrong with a statement; within a budget."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from clew.core.schema.answer import SchemaQuestion, no_room
from clew.core.tokens import count_tokens
from clew.errors import NoIndex
from clew.interfaces.mcp.texts import cut, listed, root_line, spoken

if TYPE_CHECKING:
    from clew.core.schema.answer import SchemaAnswer
    from clew.interfaces.mcp.projects import Place
    from clew.search.schema.checking import Checked

TABLES = 10
"""Tables of an answer: what a statement joins, with room for a wrong guess or two."""
TIMES = 4
"""How often a smaller DDL is asked for until all of the answer fits."""
ROOM = 18
"""Tokens for saying that there are more tables, with the name of one or two."""
NO_DATABASE = "no database is registered here: the user adds one with `clew db add NAME URL`"
_SQL = re.compile(r"\s*(?:--[^\n]*\n\s*)*\(*\s*(?:select|with|insert\s+into|update|delete\s+from|merge\s+into)\b", re.IGNORECASE)
_SIGNS = frozenset("=*();,<>")


def schema(places: Sequence[Place], query: str, database: str, max_tokens: int) -> str:
    """The answers of all places with databases, one below the other. Raises NoIndex where there is none."""
    ready = [place for place in places if place.project.has_databases()]
    if not ready:
        raise NoIndex(NO_DATABASE)
    share = max_tokens // len(ready)
    return "\n\n".join(_of_place(place, query, database, share) for place in ready)


def _of_place(place: Place, query: str, database: str, max_tokens: int) -> str:
    with place.project.databases() as databases:
        return answered(databases, root_line(str(place.root)), query, database, max_tokens)


def answered(databases: Schemas, head: str, query: str, database: str, max_tokens: int) -> str:
    """The answer of some databases, under a head: the tables that a question needs, or what is wrong with a statement."""
    names = (database,) if database else ()
    found = _checked(databases, query, names) if _SQL.match(query) else None
    if found is not None:
        return listed((head,), list(_checked_lines(found)), max_tokens, "… the first {} findings: raise max_tokens")
    return _asked(databases, head, query, names, max_tokens)


class Schemas(Protocol):
    """Databases that can be asked."""

    def names(self) -> tuple[str, ...]:
        """What they are called."""
        ...

    def is_read(self, name: str) -> bool:
        """Whether a database was read."""
        ...

    def check(self, sql: str, name: str) -> Checked:
        """Whether a statement fits a database."""
        ...

    def search(self, question: SchemaQuestion, *, max_tokens: int) -> SchemaAnswer:
        """The tables that a question needs."""
        ...


def _checked(databases: Schemas, sql: str, names: Sequence[str]) -> Checked | None:
    """The statement against the database that it fits best; None for what is a question that begins like one."""
    every = [databases.check(sql, name) for name in names or databases.names() if databases.is_read(name)]
    if not every:
        return None
    best = min(every, key=lambda one: (sum(finding.is_error for finding in one.findings), -len(one.tables), one.datasource))
    return best if best.tables or _SIGNS.intersection(sql) else None


def _checked_lines(found: Checked) -> Iterator[str]:
    from clew.interfaces.rendering.schema_plain import checked_lines

    yield from checked_lines(found)


def _asked(databases: Schemas, head: str, query: str, names: tuple[str, ...], max_tokens: int) -> str:
    """The answer as a whole where the budget holds it; else as much of its DDL as fits, without what the DDL says itself."""
    budget = max_tokens
    for _ in range(TIMES):
        answer = databases.search(SchemaQuestion(query, names, TABLES), max_tokens=budget)
        text = "\n".join((head, *_warnings(answer), *_lines(answer)))
        excess = count_tokens(text) - max_tokens
        if excess <= 0 and not answer.omitted:
            return text
        budget = min(budget, answer.tokens) - excess
        if budget <= 0 or excess <= 0:
            break
    return _briefly(databases, head, SchemaQuestion(query, names, TABLES), max_tokens)


def _briefly(databases: Schemas, head: str, question: SchemaQuestion, max_tokens: int) -> str:
    """The DDL that fits, with as many names of the other tables as there is room for."""
    budget, text = max_tokens - ROOM, head
    for _ in range(TIMES):
        answer = databases.search(question, max_tokens=max(1, budget))
        unsaid = no_room(answer.omitted, len(answer.tables), max(1, budget))
        lines = (head, *_warnings(answer, unsaid), *_lines(answer, briefly=True))
        text = "\n".join(lines)
        excess = count_tokens(text) - max_tokens + (ROOM if answer.omitted else 0)
        if excess <= 0 or budget <= 1:
            return cut("\n".join((text, *_others(answer))), max_tokens)
        budget = min(budget, answer.tokens or budget) - excess
    return cut(text, max_tokens)


def _others(answer: SchemaAnswer) -> Iterator[str]:
    if answer.omitted:
        yield f"no room for {len(answer.omitted)} more (max_tokens): {spoken(', '.join(answer.omitted))}"


def _warnings(answer: SchemaAnswer, unsaid: Sequence[str] = ()) -> Iterator[str]:
    yield from (f"warning: {spoken(warning)}" for warning in answer.warnings if warning not in unsaid)


def _lines(answer: SchemaAnswer, *, briefly: bool = False) -> Iterator[str]:
    from clew.interfaces.rendering.schema_plain import schema_answer_lines

    yield from schema_answer_lines(answer, columns=0, briefly=briefly)
    if not answer.tables and not answer.metrics:
        yield "nothing found"
