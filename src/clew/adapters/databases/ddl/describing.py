"""What do statements say of tables and columns in words? COMMENT ON, and T-SQL's extended properties."""

from __future__ import annotations

from clew.adapters.databases.ddl.cursor import Cursor
from clew.adapters.databases.ddl.drafts import Name, Reading

_PROPERTY_OF_DESCRIPTION = "ms_description"


def comment_on(cursor: Cursor, reading: Reading, lead: str) -> None:
    """COMMENT ON TABLE t IS '…', of columns, views and constraints too."""
    cursor.expect("ON")
    cursor.accept("MATERIALIZED") or cursor.accept("FOREIGN")
    kind = cursor.next().word
    if kind not in ("TABLE", "VIEW", "COLUMN", "CONSTRAINT"):
        return
    cursor.if_not_exists()
    parts = [cursor.name()]
    while cursor.accept("."):
        parts.append(cursor.name())
    of: Name = tuple(parts)
    if kind == "CONSTRAINT":
        cursor.expect("ON")
        of = (*cursor.qualified(), parts[-1])
    cursor.expect("IS")
    text = "" if cursor.word() == "NULL" else cursor.string()
    _describe(reading, kind, of, text)


def _describe(reading: Reading, kind: str, of: Name, text: str) -> None:
    """Give a table, column or constraint its description, now or when it is there."""
    table_name = (of if kind in ("TABLE", "VIEW") else of[:-1])[-2:]

    def change() -> bool:
        table = reading.catalog.find(table_name)
        if table is None:
            return False
        if kind == "COLUMN":
            table.said[of[-1]] = text
        elif kind == "CONSTRAINT":
            table.checks = [check.model_copy(update={"description": text}) if check.name == of[-1] else check for check in table.checks]
        else:
            table.description = text
        return True

    reading.when_there(change, ".".join(of), f"COMMENT ON {kind}")


def add_property(cursor: Cursor, reading: Reading, lead: str) -> None:
    """T-SQL: EXEC sp_addextendedproperty @name=N'MS_Description', @value=N'…', …, @level1name=N'table', @level2name=N'column'."""
    if cursor.qualified()[-1].lower() != "sp_addextendedproperty":
        return
    named, given = {}, []
    for item in cursor.items():
        if item.word(1) == "=":
            key = item.next().text.lower()
            item.next()
            named[key] = item.string() if item.peek().kind == "string" else item.peek().text
        else:
            given.append(item.string() if item.peek().kind == "string" else item.peek().text)
    order = ("@name", "@value", "@level0type", "@level0name", "@level1type", "@level1name", "@level2type", "@level2name")
    named = dict(zip(order, given, strict=False)) | named
    table = named.get("@level1name")
    if named.get("@name", "").lower() != _PROPERTY_OF_DESCRIPTION or not table:
        return
    of: Name = tuple(part for part in (named.get("@level0name", ""), table) if part)
    column = named.get("@level2name")
    if column and named.get("@level2type", "").upper() == "COLUMN":
        _describe(reading, "COLUMN", (*of, column), named.get("@value", ""))
    elif not column:
        _describe(reading, "TABLE", of, named.get("@value", ""))
