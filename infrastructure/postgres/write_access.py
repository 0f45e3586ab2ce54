"""Whether a database takes writes: a standby and a read-only session do not.

It is looked at when the database opens, and each second from then on: a standby that is promoted
takes writes without a restart of the service, and one that is subscribed to another log is lent no
more.
"""

import logging
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Literal

import psycopg
from typing_extensions import override

from agentlog.infrastructure.postgres.errors import DatabaseReadOnly, DatabaseUnavailable
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.runtime.background import Background, Callbacks
from agentlog.infrastructure.runtime.closeable import Closing

logger = logging.getLogger("agentlog")

Kind = Literal["writer", "standby", "read-only"]
"""A service by what its database is; read-only: by a setting, of the service or of PostgreSQL."""

_REASONS = {
    "standby": "PostgreSQL is a standby, which takes no writes",
    "read-only": "PostgreSQL takes no writes in this session: AGENTLOG_READ_ONLY or "
    "default_transaction_read_only is on",
}
_LOOK_SECONDS = 1.0
_LEAST_SECONDS = 0.1
"""Between two looks, where callers ask for writes meanwhile."""


class LogSubscribed(DatabaseUnavailable):
    """The log is filled by a logical subscription: reads may lack some, an append forks it."""

    def __init__(self) -> None:
        super().__init__(
            "agentlog.events is filled by a logical subscription: have AGENTLOG_DATABASE_URL name "
            "the publisher or a hot standby of it, or drop the subscription "
            "(docs/how-to/replicas.md)"
        )


class WriteAccess:
    """Whether the database takes writes, as it was last looked at; thread-safe.

    `forbidden`: sessions are read-only whatever the database is (AGENTLOG_READ_ONLY=on).
    `writer_url`: the address of the service that takes writes, for clients.
    """

    def __init__(self, *, forbidden: bool = False, writer_url: str | None = None) -> None:
        self.forbidden = forbidden
        self.kind: Kind | Literal["subscriber"] = "writer"
        self.wanted = threading.Event()
        """Set when a write was refused: the database may have been promoted since the last look."""
        self.writer_url = writer_url
        self._callbacks = Callbacks[[]]("what depends on write access could not follow its change")

    @property
    def is_given(self) -> bool:
        """Whether the database takes writes."""
        return self.kind == "writer"

    def check_own(self) -> Kind:
        """Return the kind of a database that has a log of its own, or raise `LogSubscribed`."""
        kind = self.kind
        if kind == "subscriber":
            raise LogSubscribed
        return kind

    def check(self) -> None:
        """Raise `DatabaseReadOnly` where the database takes no writes, or `LogSubscribed`."""
        kind = self.check_own()
        if kind != "writer":
            self.wanted.set()
            raise DatabaseReadOnly(_REASONS[kind], writer=self.writer_url)

    def look(self, connection: psycopg.Connection) -> None:
        """Ask the database, and call the callbacks if that changed."""
        before = self.kind
        ((self.kind,),) = connection.execute(statement("select_kind"))
        if self.kind != before:
            self._callbacks.call()

    def on_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after each change; returns a function that ends that."""
        return self._callbacks.add(callback)


class WriteAccessWatch(Background):
    """Looks each second, in a thread and by a connection of its own, from a second on."""

    def __init__(self, access: WriteAccess, connect: Callable[[], psycopg.Connection]) -> None:
        super().__init__("write access")
        self._access, self._connect = access, connect
        self._begin()

    @override
    def close(self) -> None:
        """Stop looking."""
        self._closed.set()
        self._access.wanted.set()
        super().close()

    @override
    def _work(self) -> None:
        while self._rest():
            try:
                with self._connect() as connection:
                    self._look(connection)
                    while self._rest():
                        self._look(connection)
            except (psycopg.Error, DatabaseUnavailable):  # others say that the server is gone
                continue

    def _rest(self) -> bool:
        """Wait for the next look; return False once closed."""
        began = time.monotonic()
        self._access.wanted.wait(_LOOK_SECONDS)
        self._closed.wait(_LEAST_SECONDS - (time.monotonic() - began))
        self._access.wanted.clear()
        return not self._closed.is_set()

    def _look(self, connection: psycopg.Connection) -> None:
        before = self._access.kind
        self._access.look(connection)
        if self._access.kind != before:
            logger.warning("the service is now: %s, and was: %s", self._access.kind, before)


class WhileWritable(Closing):
    """Keeps open what `start` returns while the database takes writes."""

    def __init__(
        self, access: WriteAccess, start: Callable[[], AbstractContextManager[object]]
    ) -> None:
        self._access, self._start = access, start
        self._running: ExitStack | None = None
        self._changing = threading.Lock()
        self._closed = False
        self._off = access.on_change(self._follow)
        self._follow()

    @override
    def close(self) -> None:
        """End it."""
        self._off()
        self._closed = True
        self._follow()

    def _follow(self) -> None:
        with self._changing:
            is_wanted = self._access.is_given and not self._closed
            if is_wanted and self._running is None:
                self._running = ExitStack()
                self._running.enter_context(self._start())
            elif not is_wanted and self._running is not None:
                running, self._running = self._running, None
                running.close()
