"""Does the SQL that is shown run on real servers, whatever the schema and the budget?"""

from __future__ import annotations

import pytest
from tests.database_servers import Server
from tests.search.schema.shop import SHOP, refers, snapshot, table

from clew.core.schema.answer import SchemaQuestion
from clew.core.schema.contracts import Snapshot
from clew.search.schema.index import Entry
from clew.search.schema.retrieval import SchemaSearch

RING = tuple(
    table(f"ring_{a}", "id integer, next integer", key="id", keys=(refers("next", f"ring_{b}", "id"),)) for a, b in ("ab", "bc", "ca")
)
PAIRS = (
    table("price", "prc integer, prd integer, amount numeric", key="prc prd"),
    table("line", "id integer, a integer, b integer", key="id", keys=(refers("a b", "price", "prc prd"),)),
    table("employee", "id integer, boss integer", key="id", keys=(refers("boss", "employee", "id"),)),
    table("wrong", "id integer, emp text", key="id", keys=(refers("emp", "employee", "id"),)),
)


def plain(*snapshots: Snapshot) -> Snapshot:
    """All tables in one; `varchar` for `text`, which MySQL takes in no key."""
    tables = [one for each in snapshots for one in each.tables]
    columns = {
        one.name: tuple(column.model_copy(update={"dtype": column.dtype.replace("text", "varchar(50)")}) for column in one.columns)
        for one in tables
    }
    return snapshot(*(one.model_copy(update={"columns": columns[one.name]}) for one in tables))


@pytest.mark.parametrize("budget", [80, 250, 0])
@pytest.mark.parametrize("engine", ["postgres", "mariadb"])
def test_ddl_runs_on_the_server(engine: str, budget: int, request: pytest.FixtureRequest) -> None:
    server: Server = request.getfixturevalue(engine)
    schema = plain(SHOP, snapshot(*RING), snapshot(*PAIRS)).model_copy(update={"dialect": "mysql" if engine == "mariadb" else engine})
    answer = SchemaSearch([Entry(schema)]).answer(SchemaQuestion("orders of a customer, ring and line price employee", max_tokens=budget))
    assert "CREATE TABLE" in answer.ddl
    server.database(answer.ddl)
