"""Connection pool of one PostgreSQL database, and the mapping of its failures to errors."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, Self
from weakref import WeakKeyDictionary

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout
from typing_extensions import override

from agentlog.infrastructure.postgres.binary_arrays import register_arrays
from agentlog.infrastructure.postgres.circuit_breaker import Breaker
from agentlog.infrastructure.postgres.conninfo import USUAL_TIMEOUTS, Timeouts, session_conninfo
from agentlog.infrastructure.postgres.errors import (
    BROKEN_OFF,
    DatabaseUnavailable,
    elsewhere,
    unavailable,
)
from agentlog.infrastructure.postgres.liveness import (
    LIVENESS,
    Canary,
    break_off,
    is_busy,
    is_silent,
)
from agentlog.infrastructure.postgres.migration import Migration, migrate
from agentlog.infrastructure.postgres.roles import (
    SERVICE,
    Confined,
    check_session,
    confine,
    unconfine,
)
from agentlog.infrastructure.postgres.write_access import WriteAccess
from agentlog.infrastructure.runtime.closeable import Closing
from agentlog.infrastructure.runtime.request_work import spend

_POOL_CLOSE_SECONDS = 0.1
"""For each thread of a pool without a server: it may be connecting, and is not joined."""


class Connections(Protocol):
    """Source of connections: to a whole database, or to one tenant's rows."""

    @property
    def write_access(self) -> WriteAccess:
        """Whether the database takes writes."""
        ...

    def connection(
        self, *, wait_seconds: float | None = None
    ) -> AbstractContextManager[psycopg.Connection]:
        """Lend a connection in autocommit mode; raises `DatabaseUnavailable`."""
        ...


class Database(Closing):
    """A pool of connections to a migrated database, open until `close`.

    While PostgreSQL is unreachable there is no pool, and callers are refused at once; a new pool is
    made when the server is back.

    `wait_seconds`: how long a caller waits for a connection before it is refused. `in_role`: work
    in the service's role, and for a tenant in the tenants' role; without it, with all rights of the
    login. `write_access` is looked at by `open`; None is one of this database alone.
    """

    def __init__(  # noqa: PLR0913 - what a pool consists of
        self,
        url: str,
        *,
        pool_size: int,
        wait_seconds: float = 10.0,
        in_role: bool = False,
        timeouts: Timeouts = USUAL_TIMEOUTS,
        write_access: WriteAccess | None = None,
    ) -> None:
        self._in_role = in_role
        self.write_access = WriteAccess() if write_access is None else write_access
        self._confined_to: WeakKeyDictionary[psycopg.Connection, str] = WeakKeyDictionary()
        try:
            role = SERVICE if in_role else None
            read_only = self.write_access.forbidden
            self._conninfo = session_conninfo(
                url, LIVENESS, timeouts=timeouts, role=role, read_only=read_only
            )
        except psycopg.ProgrammingError as error:
            raise DatabaseUnavailable(f"the URL does not parse: {error}") from None
        self._pool_size, self._wait_seconds = pool_size, wait_seconds
        self._lent: list[psycopg.Connection] = []
        self._pooled: set[psycopg.Connection] = set()
        seconds = timeouts.answer_seconds
        self._canary = None if seconds is None else Canary(self._conninfo, seconds=seconds)
        self._busy: set[psycopg.Connection] = set()
        self._pool = self._new_pool()
        self._breaker: Breaker | None = None
        self._is_away = False

    def open(self) -> None:
        """Connect, and check the server and the session.

        Raises:
            DatabaseUnavailable: no connection can be made.
            DatabaseTooOld: the server is too old.
            UnsafeSession: sessions lack the requested role or settings.
            LogSubscribed: a subscription fills the log.
        """
        # not by the pool, whose error only says "timeout"
        try:
            with psycopg.connect(self._conninfo, autocommit=True) as connection:
                check_session(
                    connection, in_role=self._in_role, read_only=self.write_access.forbidden
                )
                self.write_access.look(connection)
                self.write_access.check_own()
        except psycopg.Error as error:
            way = "see that it runs, and what AGENTLOG_DATABASE_URL names"
            raise DatabaseUnavailable(f"{str(error).strip()}; {way}") from error
        self._pool.open()
        if self._canary is not None:
            self._canary.answers()
        self._breaker = Breaker(
            self._answers,
            hangs=None if self._canary is None else self._hangs,
            opened=self._drop_pool,
            closed=self._renew_pool,
        )

    def unavailable(self, error: psycopg.Error) -> DatabaseUnavailable:
        """Return the error for a broken connection or statement."""
        return unavailable(error, writer=self.write_access.writer_url)

    def check(self) -> None:
        """Raise `DatabaseUnavailable` while PostgreSQL is known to be unreachable."""
        if self._is_away:
            raise DatabaseUnavailable("PostgreSQL does not answer, or takes no connections")

    def connect(self) -> psycopg.Connection:
        """Return a connection of the caller's own, in autocommit mode; `close` ends it too.

        Raises:
            DatabaseUnavailable: no connection can be made.
        """
        self.check()
        self._lent = [connection for connection in self._lent if not connection.closed]
        try:
            connection = psycopg.connect(
                self._conninfo, autocommit=True, application_name="agentlog"
            )
        except psycopg.OperationalError as error:
            self._suspect()
            raise self.unavailable(error) from error
        register_arrays(connection)
        self._lent.append(connection)
        return connection

    @override
    def close(self) -> None:
        """Close every connection."""
        if self._breaker is not None:
            self._breaker.close()
        if self._canary is not None:
            self._canary.close()
        self._pool.close()
        for connection in self._lent:
            connection.close()

    @override
    def __enter__(self) -> Self:
        self.open()
        return self

    def pool_stats(self) -> dict[str, int]:
        """Return the pool's statistics by psycopg_pool's names."""
        return self._pool.get_stats()

    def migrate(self) -> list[Migration]:
        """Bring the schema up to date; return the steps that were run."""
        with self.connection() as connection:
            return migrate(connection)

    def confined(self, tenant: str) -> Connections:
        """Return connections that see only the rows of one tenant, where all are there."""
        return Confined(self.lend, tenant, self.write_access)

    def connection(
        self, *, wait_seconds: float | None = None
    ) -> AbstractContextManager[psycopg.Connection]:
        """Lend a connection in autocommit mode; `wait_seconds` in place of the pool's own.

        Raises:
            DatabaseUnavailable: none was free in time, or it broke.
            TooMuchRead, ClientLeft: the request that it is for is to end.
        """
        return self.lend(None, wait_seconds)

    @contextmanager
    def lend(self, tenant: str | None, wait_seconds: float | None) -> Iterator[psycopg.Connection]:
        """Lend a connection, to a tenant or to the service itself, as `connection` does."""
        self.check()
        self.write_access.check_own()
        spend()
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
            raise self.unavailable(error) from error
        except psycopg.DatabaseError as error:
            if (refused := elsewhere(error)) is None:
                raise
            raise refused from error

    def _working(
        self, pool: ConnectionPool, tenant: str | None, seconds: float
    ) -> psycopg.Connection:
        """Return a live connection of the pool, for the tenant or the service.

        The pool's own check pauses after each that does not answer, and longer each time.
        """
        until = time.monotonic() + seconds
        while True:
            connection = pool.getconn(timeout=max(until - time.monotonic(), 0))
            self._pooled.add(connection)
            try:
                self._check(connection, tenant)
            except BaseException as error:
                self._put_back(pool, connection)
                if not isinstance(error, BROKEN_OFF):
                    raise
            else:
                return connection

    def _put_back(self, pool: ConnectionPool, connection: psycopg.Connection) -> None:
        """Return a connection to its pool, which replaces a broken one."""
        self._pooled.discard(connection)
        if connection.closed:
            self._suspect()
        pool.putconn(connection)

    def _suspect(self) -> None:
        if self._breaker is not None:
            self._breaker.suspect()

    def _answers(self) -> bool:
        """Return whether the server takes a connection, or still answers on one."""
        try:
            psycopg.connect(self._conninfo).close()
        except psycopg.errors.ConnectionTimeout:
            return False  # other connections get no answer either
        except psycopg.OperationalError:  # too many connections, or a shutdown that waits for us
            return any(map(is_silent, self._lent))
        return True

    def _hangs(self) -> bool:
        """Return whether statements run and the server answers nothing."""
        busy = {*filter(is_busy, (*self._pooled, *self._lent))}
        lasting, self._busy = busy & self._busy, busy
        return bool(lasting) and self._canary is not None and not self._canary.answers()

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
        """Close the pool: waiting callers fail, lent connections break off."""
        self._is_away = True
        if self._canary is not None:
            self._canary.close()
            for connection in (*self._pooled, *self._lent):
                break_off(connection)
        self._pool.close(timeout=_POOL_CLOSE_SECONDS)

    def _renew_pool(self) -> None:
        """Make a new pool: the old one pauses ever longer between attempts to connect."""
        pool = self._new_pool()
        pool.open()
        self._pool, self._is_away = pool, False
        if self._canary is not None:
            self._canary.answers()

    def _check(self, connection: psycopg.Connection, tenant: str | None) -> None:
        """Check that a connection answers, and set its tenant if that differs."""
        if not self._in_role or self._confined_to.get(connection) == tenant:
            if not is_silent(connection):
                ConnectionPool.check_connection(connection)
        elif tenant is None:
            unconfine(connection)
            del self._confined_to[connection]
        else:
            confine(connection, tenant)
            self._confined_to[connection] = tenant
