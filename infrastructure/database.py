"""Connections: one pool to one PostgreSQL, and what its failures mean to callers."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from domain.errors import AgentlogError
from infrastructure.arrays import register_arrays
from infrastructure.migration import Migration, migrate

MINIMUM_SERVER = 150000
"""PostgreSQL 15, as `server_version` counts."""

_TIMEOUTS = (
    "-c lock_timeout=10s -c statement_timeout=60s "
    # a stopped writer would hold the counter, and with it every other writer
    "-c idle_in_transaction_session_timeout=30s"
)


class DatabaseUnavailable(AgentlogError):
    """PostgreSQL does not answer, or broke off: ask again.

    A broken-off append may have been committed. Retrying it with the same message ids is safe.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(f"the database is not available: {reason}")


class DatabaseTooOld(AgentlogError):
    """The server is older than agentlog supports."""

    def __init__(self, version: int) -> None:
        super().__init__(
            f"PostgreSQL {version // 10000} is too old: agentlog needs 15 or newer, "
            "or none at all (leave AGENTLOG_DATABASE_URL unset for the embedded one)"
        )


class Database:
    """A pool of connections to a migrated database, open until `close`.

    `wait_seconds`: how long a caller waits for a connection before it is told that there is none.
    """

    def __init__(self, url: str, *, pool_size: int, wait_seconds: float = 10.0) -> None:
        try:
            given = conninfo_to_dict(url).get("options") or ""
            conninfo = make_conninfo(url, options=f"{_TIMEOUTS} {given}".strip())
        except psycopg.ProgrammingError as error:
            raise DatabaseUnavailable(f"the URL does not parse: {error}") from error
        self._conninfo = conninfo
        self._lent: list[psycopg.Connection] = []
        self._pool = ConnectionPool(
            conninfo,
            min_size=1,
            max_size=pool_size,
            timeout=wait_seconds,
            kwargs={"autocommit": True, "application_name": "agentlog", "connect_timeout": 10},
            configure=register_arrays,
            open=False,
        )

    def open(self) -> None:
        """Connect; raises `DatabaseUnavailable` or `DatabaseTooOld` when that cannot be done."""
        # one connection by hand first: its failure says why, where a pool only says "timeout"
        try:
            with psycopg.connect(self._conninfo, connect_timeout=10) as connection:
                version = connection.info.server_version
        except psycopg.Error as error:
            raise DatabaseUnavailable(str(error).strip()) from error
        if version < MINIMUM_SERVER:
            raise DatabaseTooOld(version)
        self._pool.open()

    def connect(self, **parameters: int) -> psycopg.Connection:
        """Return a connection of the caller's own, in autocommit mode; `close` ends it too.

        `parameters` are libpq's, beside those of the URL.

        Raises:
            psycopg.OperationalError: there is none to be had.
        """
        self._lent = [each for each in self._lent if not each.closed]
        connection = psycopg.connect(
            make_conninfo(self._conninfo, **parameters),
            autocommit=True,
            connect_timeout=10,
            application_name="agentlog",
        )
        register_arrays(connection)
        self._lent.append(connection)
        return connection

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()
        for connection in self._lent:
            connection.close()

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def migrate(self) -> list[Migration]:
        """Bring the schema up to date; return the steps that were run."""
        with self.connection() as connection:
            return migrate(connection)

    def pool_stats(self) -> dict[str, int]:
        """Return what the pool counts, in the words of psycopg_pool; it need not be reachable."""
        return self._pool.get_stats()

    @contextmanager
    def connection(self, *, wait_seconds: float | None = None) -> Iterator[psycopg.Connection]:
        """Lend a connection in autocommit mode; `wait_seconds` in place of the pool's own.

        Raises:
            DatabaseUnavailable: none could be had in time, or it broke.
        """
        try:
            lent = self._working(self._pool.timeout if wait_seconds is None else wait_seconds)
            try:
                with lent as connection:
                    yield connection
            finally:
                self._pool.putconn(lent)
        except PoolTimeout as error:
            waited = self._pool.timeout if wait_seconds is None else wait_seconds
            reason = f"no connection was free within {waited:g} s"
            raise DatabaseUnavailable(reason) from error
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise DatabaseUnavailable(str(error).strip()) from error

    def _working(self, seconds: float) -> psycopg.Connection:
        """Return a connection out of the pool that answers.

        The pool can look for one itself, but pauses after each that does not answer, and longer
        each time: once the server has been restarted, its callers would wait for seconds.
        """
        until = time.monotonic() + seconds
        while True:
            connection = self._pool.getconn(timeout=max(until - time.monotonic(), 0))
            try:
                ConnectionPool.check_connection(connection)
            except (psycopg.OperationalError, psycopg.InterfaceError):
                self._pool.putconn(connection)  # which makes another in its place
            except BaseException:
                self._pool.putconn(connection)
                raise
            else:
                return connection
