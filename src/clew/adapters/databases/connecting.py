"""How is a database server reached? A connection through SQLAlchemy that only reads, each statement bounded in time, errors without secrets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from clew.core.schema.addresses import redacted
from clew.core.schema.protocols import Wishes
from clew.errors import ClewError, MissingExtra, Unreachable, UsageError

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.engine import URL

# What a driver may take to find a server; a host that drops packets answers nothing, ever.
CONNECT_SECONDS = 8.0
_LONGEST_REASON = 300
Row = Sequence[Any]


class StatementFailed(ClewError):
    """A statement that the database refused or did not answer in time; caught where the part that it reads can be left out."""


class Clock:
    """How much of the time for a whole reading is left."""

    def __init__(self, wishes: Wishes) -> None:
        self._ends, self._statement = time.monotonic() + wishes.total_s, wishes.timeout_s

    @property
    def left(self) -> float:
        """Seconds that the next statement may take; 0 or less: no time is left."""
        return min(self._statement, self._ends - time.monotonic())


class Database:
    """An open connection: `rows` answers a statement, `dialect` is sqlglot's name, `bound` what is sent to limit the next."""

    def __init__(
        self, dialect: str, cursor: Callable[[], Any], clock: Clock, faults: tuple[type[BaseException], ...], bound: str = ""
    ) -> None:
        self.dialect, self.clock = dialect, clock
        self._cursor, self._faults, self.bound = cursor, faults, bound
        self.mended: Callable[[str], str] | None = None  # how texts are put right that came in no encoding

    def rows(self, sql: str, limit: int = 0) -> list[Row]:
        """All rows that a statement gives, or the first `limit`. Raises StatementFailed."""
        left = self.clock.left
        if left <= 0:
            raise StatementFailed("the time for reading this database is over")
        cursor = self._cursor()
        try:
            if self.bound:
                cursor.execute(self.bound.format(seconds=left, milliseconds=max(int(left * 1_000), 1)))
            cursor.execute(sql)
            found = list(cursor.fetchmany(limit) if limit else cursor.fetchall())
            mended = self.mended
            return [[mended(one) if isinstance(one, str) else one for one in row] for row in found] if mended else found
        except self._faults as fault:
            raise StatementFailed(reason_of(fault)) from fault
        finally:
            cursor.close()


GONE = "it went away while the database was read"
"""Why a table is named as not read whose columns are not there any more."""


def reason_of(fault: BaseException) -> str:
    """A driver's complaint on one line, bounded."""
    complaint = getattr(fault, "orig", None) or fault
    arguments = complaint.args
    text = str(arguments[1]) if len(arguments) > 1 and isinstance(arguments[0], int) else str(complaint)
    return " ".join(text.split())[:_LONGEST_REASON] or type(complaint).__name__


def parsed(url: str) -> URL:
    """SQLAlchemy's form of a URL. Raises UsageError, which never repeats it: there may be a password in it."""
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(url)
    except (ArgumentError, ValueError) as fault:
        raise UsageError(
            "this is no URL of a database", "such as postgresql://user:password@host:5432/name; encode @ and / in a password"
        ) from fault


@contextmanager
def connected(
    url: URL, dialect: str, wishes: Wishes, extra: str, arguments: dict[str, Any], opening: Sequence[str] = (), bound: str = ""
) -> Iterator[Database]:
    """A connection for reading. `opening` are statements sent first, one that fails is passed over; `bound` limits the statement after it.

    Raises MissingExtra where the driver is not installed, Unreachable where nothing answers or the answer is no.
    """
    from sqlalchemy import create_engine, pool
    from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError

    try:
        engine = create_engine(url, poolclass=pool.NullPool, isolation_level="AUTOCOMMIT", connect_args=arguments)
    except ModuleNotFoundError as fault:
        raise MissingExtra(
            f"the driver {fault.name} is not installed", f"pip install 'clew[{extra}]'" if extra else f"pip install {fault.name}"
        ) from fault
    except NoSuchModuleError as fault:
        raise UsageError(f"SQLAlchemy knows no dialect {url.drivername}", "install the package that brings it") from fault
    faults = (engine.dialect.loaded_dbapi.Error, SQLAlchemyError, OSError, ValueError, RuntimeError)
    try:
        connection: Connection = engine.connect()
    except faults as fault:
        raise Unreachable(
            f"{_place(url)} does not answer: {redacted(reason_of(fault), [url.password or ''])}",
            "is the server running, and are user and password right?",
        ) from fault
    try:
        with connection:
            raw = connection.connection
            for statement in opening:
                _send(raw.cursor, statement, faults)
            yield Database(dialect, raw.cursor, Clock(wishes), faults, bound)
    finally:
        engine.dispose()


def _place(url: URL) -> str:
    host = url.host or url.query.get("host") or url.query.get("unix_socket") or "the local server"
    return f"{host}{f':{url.port}' if url.port else ''}" if isinstance(host, str) else "the server"


def _send(cursor: Callable[[], Any], statement: str, faults: tuple[type[BaseException], ...]) -> None:
    one = cursor()
    try:
        one.execute(statement)
    except faults:
        return
    finally:
        one.close()
