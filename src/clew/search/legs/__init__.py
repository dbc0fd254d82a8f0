"""Where do candidates come from? Keywords, names and vectors, each of which may fail without emptying an answer."""

from __future__ import annotations

from typing import NamedTuple

from clew.core.query import Filters, Scope
from clew.search.question import Query


class Look(NamedTuple):
    """What every leg is asked: at most `limit` chunks that fit the filters, for this question, in this scope."""

    scope: Scope
    query: Query
    filters: Filters
    limit: int
