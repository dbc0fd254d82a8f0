"""Which columns does an expression of SQL mention? For metrics and filters, which may hold anything."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_LONGEST = 5_000
"""Characters of an expression that is parsed."""
_REFERENCE = re.compile(r"\{\{\s*(\w+)\s*\(\s*['\"]([^'\"]*)['\"][^}]*\)\s*\}\}")


def columns_of(expression: str, tables: Sequence[str] = ()) -> tuple[str, ...]:
    """The columns in an expression as `table.column`, bare where no table is named and not exactly one is known; none of what is no SQL."""
    if not expression or len(expression) > _LONGEST:
        return ()
    import sqlglot
    from sqlglot import exp

    try:
        parsed = sqlglot.parse_one(expression)
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        return ()
    found = parsed.find_all(exp.Column) if parsed is not None else ()
    names = (".".join(part.name for part in column.parts) for column in found)
    return tuple(dict.fromkeys(qualified(tables, name) for name in names if name))


def qualified(tables: Sequence[str], column: str) -> str:
    """A bare column with its table's name, where there is one table that it can be of."""
    return f"{tables[0]}.{column}" if len(tables) == 1 and "." not in column else column


def plain(text: str, column: Callable[[str], str]) -> str:
    """A filter without templates: `{{ Dimension('order__status') }} = 'paid'` becomes `status = 'paid'`, names as `column` gives them."""
    return _REFERENCE.sub(lambda found: column(found[2]), text).strip()
