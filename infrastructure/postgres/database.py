"""Connections: one pool to one PostgreSQL, and what its failures mean to callers."""

import select
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self
from weakref import WeakKeyDictionary

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg_pool import ConnectionPool, PoolTimeout

from infrastructure.postgres.binary_arrays import register_arrays
from infrastructure.postgres.circuit_breaker import Breaker
from infrastructure.postgres.conninfo import read_conninfo
from infrastructure.postgres.errors import (
    BROKEN_OFF,
    DatabaseTooOld,
    DatabaseUnavailable,
    unavailable,
)
from infrastructure.postgres.migration import Migration, migrate
from infrastructure.postgres.roles import SERVICE, confine, unconfine
from infrastructure.postgres.session_check import check_session

MINIMUM_SERVER = 150000
"""PostgreSQL 15, as `server_version` counts."""

_LIVENESS = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""A server that vanished without a word is found out in half a minute, not a quarter of an hour.

The URL's own have precedence; a Unix socket needs none of them.
"""
_POOL_CLOSE_SECONDS = 0.1
"""For each thread of a pool whose server is away: it may be connecting, and is not waited for."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long statements may take, and wait for a lock; the URL's own options have precedence."""

    statement_seconds: float = 60.0
    lock_seconds: float = 10.0

    @property
    def options(self) -> str:
        """The same as options of libpq's."""
        return (
            f"-c lock_timeout={self.lock_seconds * 1000:.0f}ms "
            f"-c statement_timeout={self.statement_seconds * 1000:.0f}ms "
            # a stopped writer would hold the counter, and with it every other writer
            "-c idle_in_transaction_session_timeout=30s"
        )


class Connections(Protocol):
    """Where connections can be had: a whole database, or what one tenant may see of it."""

    def connection(
        self, *, wait_seconds: float | None = None
    ) -> AbstractContextManager[psycopg.Connection]:
        """Lend a connection in autocommit mode; raises `DatabaseUnavailable`."""
        ...


class Database:
    """A pool of connections to a migrated database, open until `close`.

    While PostgreSQL is known to be away there is no pool, and callers are refused at once; a new
    one is made when it is back.

    `wait_seconds`: how long a caller waits for a connection before it is told that there is none.
    `in_role`: work as the service's role, and for a tenant as that of tenants; without it, with all
    rights of whoever logs in.
    """

    def __init__(
        self,
        url: str,
        *,
        pool_size: int,
        wait_seconds: float = 10.0,
        in_role: bool = False,
        timeouts: Timeouts = Timeouts(),
    ) -> None:
        self._in_role = in_role
        self._confined_to: WeakKeyDictionary[psycopg.Connection, str] = WeakKeyDictionary()
        try:
            given = {**_LIVENESS, **read_conninfo(url)}
            role = f"-c role={SERVICE} " if in_role else ""
            # times in UTC wherever the server stands: those of a named zone take longer to read
            own = f"{timeouts.options} -c timezone=UTC {role}"
            options = f"{own}{given.get('options') or ''}".strip()
            conninfo = make_conninfo(**{**given, "options": options})
        except psycopg.ProgrammingError as error:
            raise DatabaseUnavailable(f"the URL does not parse: {error}") from None
        self._conninfo = conninfo
        self._pool_size, self._wait_seconds = pool_size, wait_seconds
        self._lent: list[psycopg.Connection] = []
        self._pool = self._new_pool()
        self._breaker: Breaker | None = None

    def open(self) -> None:
        """Connect, and look at what that gives.

        Raises:
            DatabaseUnavailable: that cannot be done.
            DatabaseTooOld: the server is.
            UnsafeSession: sessions are not as they were asked for.
            LogSubscribed: the service is to work where a subscription fills the log.
        """
        # one connection by hand first: its failure says why, where a pool only says "timeout"
        try:
            with psycopg.connect(self._conninfo, autocommit=True) as connection:
                version = connection.info.server_version
                if version < MINIMUM_SERVER:
                    raise DatabaseTooOld(version)
                check_session(connection, in_role=self._in_role)
        except psycopg.Error as error:
            raise DatabaseUnavailable(str(error).strip()) from error
        self._pool.open()
        self._breaker = Breaker(self._answers, opened=self._drop_pool, closed=self._renew_pool)

    def check(self) -> None:
        """Raise `DatabaseUnavailable` while PostgreSQL is known to be away."""
        if self._breaker is not None:
            self._breaker.check()

    def connect(self) -> psycopg.Connection:
        """Return a connection of the caller's own, in autocommit mode; `close` ends it too.

        Raises:
            DatabaseUnavailable: there is none to be had.
        """
        self.check()
        self._lent = [each for each in self._lent if not each.closed]
        try:
            connection = psycopg.connect(
                self._conninfo, autocommit=True, application_name="agentlog"
            )
        except psycopg.OperationalError as error:
            self._suspect()
            raise unavailable(error) from error
        register_arrays(connection)
        self._lent.append(connection)
        return connection

    def close(self) -> None:
        """Close every connection."""
        if self._breaker is not None:
            self._breaker.close()
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

    def pool_stats(self) -> dict[str, int]:
        """Return what the pool counts, in the words of psycopg_pool; it need not be reachable."""
        return self._pool.get_stats()

    def migrate(self) -> list[Migration]:
        """Bring the schema up to date; return the steps that were run."""
        with self.connection() as connection:
            return migrate(connection)

    def confined(self, tenant: str) -> Connections:
        """Return the database as a tenant may see it: its rows, and no others."""
        return _Confined(self, tenant)

    def connection(
        self, *, wait_seconds: float | None = None
    ) -> AbstractContextManager[psycopg.Connection]:
        """Lend a connection in autocommit mode; `wait_seconds` in place of the pool's own.

        Raises:
            DatabaseUnavailable: none could be had in time, or it broke.
        """
        return self.lend(None, wait_seconds=wait_seconds)

    @contextmanager
    def lend(
        self, tenant: str | None, *, wait_seconds: float | None = None
    ) -> Iterator[psycopg.Connection]:
        """Lend a connection, to a tenant or to the service itself, as `connection` does."""
        self.check()
        pool = self._pool
        seconds = self._wait_seconds if wait_seconds is None else wait_seconds
        try:
            lent = self._working(pool, tenant, seconds)
            try:
                with lent as connection:
                    yield connection
            finally:
                self._put_back(pool, lent)
        except PoolTimeout as error:
            self._suspect()
            raise DatabaseUnavailable(f"no connection was free within {seconds:g} s") from error
        except BROKEN_OFF as error:
            raise unavailable(error) from error

    def _working(
        self, pool: ConnectionPool, tenant: str | None, seconds: float
    ) -> psycopg.Connection:
        """Return a connection out of the pool that answers, as whom it is asked for.

        The pool can look for one itself, but pauses after each that does not answer, and longer
        each time: once the server has been restarted, its callers would wait for seconds.
        """
        until = time.monotonic() + seconds
        while True:
            connection = pool.getconn(timeout=max(until - time.monotonic(), 0))
            try:
                self._check(connection, tenant)
            except BROKEN_OFF:
                self._put_back(pool, connection)
            except BaseException:
                pool.putconn(connection)
                raise
            else:
                return connection

    def _put_back(self, pool: ConnectionPool, connection: psycopg.Connection) -> None:
        """Give a connection back to its pool, which makes another in the place of a broken one."""
        if connection.closed:
            self._suspect()
        pool.putconn(connection)

    def _suspect(self) -> None:
        if self._breaker is not None:
            self._breaker.suspect()

    def _answers(self) -> bool:
        """Tell whether the server takes a connection, or at least goes on with one that it has."""
        try:
            psycopg.connect(self._conninfo).close()
        except psycopg.errors.ConnectionTimeout:
            return False  # others hear nothing from it either
        except psycopg.OperationalError:  # too many connections, or a shutdown that waits for us
            return any(map(_silent, self._lent))
        return True

    def _new_pool(self) -> ConnectionPool:
        return ConnectionPool(
            self._conninfo,
            min_size=1,
            max_size=self._pool_size,
            kwargs={"autocommit": True, "application_name": "agentlog"},
            configure=register_arrays,
            open=False,
        )

    def _drop_pool(self) -> None:
        """Have nobody wait for a connection; those that are lent end when they come back."""
        self._pool.close(timeout=_POOL_CLOSE_SECONDS)

    def _renew_pool(self) -> None:
        """Begin anew: the old pool would pause ever longer between its tries to connect."""
        pool = self._new_pool()
        pool.open()
        self._pool = pool

    def _check(self, connection: psycopg.Connection, tenant: str | None) -> None:
        """See that a connection answers; most were lent to the same tenant before."""
        if not self._in_role or self._confined_to.get(connection) == tenant:
            if not _silent(connection):
                ConnectionPool.check_connection(connection)
        elif tenant is None:
            unconfine(connection)
            del self._confined_to[connection]
        else:
            confine(connection, tenant)
            self._confined_to[connection] = tenant


def _silent(connection: psycopg.Connection) -> bool:
    """Tell whether nothing has come from the server that nobody asked for.

    A server that ends a connection says so, or closes it: either can be read. So most are known to
    be well without asking them, which would take as long as a small query.
    """
    if connection.closed:
        return False
    looking = select.poll()
    looking.register(connection.fileno(), select.POLLIN)
    return not looking.poll(0)


class _Confined:
    def __init__(self, database: Database, tenant: str) -> None:
        self._database = database
        self._tenant = tenant

    def connection(
        self, *, wait_seconds: float | None = None
    ) -> AbstractContextManager[psycopg.Connection]:
        return self._database.lend(self._tenant, wait_seconds=wait_seconds)
