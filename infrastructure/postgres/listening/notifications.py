"""Notifications that the log has grown: one LISTEN connection a process, and polling.

A notification is only a hint: the receiver reads the tables. A lost one delays that until the next
poll, and one too many costs one query. Where the database takes no writes nothing notifies: there
the tables are queried instead, ten times a second.
"""

import logging
import threading
import time
from collections.abc import Callable

import psycopg
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Identifier
from typing_extensions import override

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.runtime.background import Background, Callbacks
from agentlog.infrastructure.runtime.backoff import pause_seconds

logger = logging.getLogger("agentlog")

APPENDED = "agentlog"
"""The channel that a commit of events notifies."""
PROJECTED = "agentlog_projected"
"""The channel that a projection notifies when it has advanced or stopped."""
DIRECTED = "agentlog_directed"
"""The channel that tells projections of changed builds: begun, paused, resumed."""
ERASED = "agentlog_erased"
"""The channel that tells processes with contents in memory that some were erased."""
KEYED = "agentlog_keyed"
"""The channel that tells of a key made or revoked."""

_CHANNELS = (APPENDED, PROJECTED, DIRECTED, ERASED, KEYED)
_STEP_SECONDS = 0.25
_QUERIED = (APPENDED, PROJECTED, ERASED)
"""The channels that the columns of select_notified.sql stand for."""
_QUERY_SECONDS = 0.09

Callback = Callable[[], None]


class Listener(Background):
    """Calls its callbacks in a thread of its own: after each notification, and at each poll.

    A connection that breaks is made again; meanwhile, and just after, all callbacks are called, as
    a notification may have been missed. They must be quick and must not raise.
    """

    def __init__(self, database: Database, *, poll_seconds: float = 1.0) -> None:
        super().__init__("listener")
        self._database = database
        self._poll_seconds = poll_seconds
        self._callbacks = {
            channel: Callbacks[[]](f"a listener to {channel} failed") for channel in _CHANNELS
        }
        self._changing = threading.Lock()

    def on(self, channel: str, callback: Callback) -> Callable[[], None]:
        """Call `callback` whenever `channel` is notified; returns a function that ends that."""
        off = self._callbacks[channel].add(callback)
        with self._changing:
            if self._thread.ident is None and not self._closed.is_set():
                self._begin()
        return off

    @override
    def close(self) -> None:
        """Stop listening."""
        with self._changing:
            self._closed.set()
        super().close()

    @override
    def _work(self) -> None:
        failures = 0
        while not self._closed.is_set():
            try:
                with self._database.connect() as connection:
                    if self._database.write_access.is_given:
                        for channel in _CHANNELS:
                            connection.execute(SQL("LISTEN {}").format(Identifier(channel)))
                        follow = self._listen
                    else:
                        follow = self._query
                    failures = 0
                    follow(connection)
            except (psycopg.Error, DatabaseUnavailable) as error:
                if failures == 0 and not self._closed.is_set():
                    logger.warning("the listening connection broke, making it again: %s", error)
                pause = pause_seconds(failures, first=0.1, most=1.0)
                failures += 1
                self._closed.wait(pause)
                self._ring_all()

    def _listen(self, connection: psycopg.Connection) -> None:
        """Call what is notified, while the database takes writes."""
        self._ring_all()
        waited = 0.0
        while self._database.write_access.is_given and not self._closed.is_set():
            heard = {
                notify.channel
                for notify in connection.notifies(timeout=_STEP_SECONDS, stop_after=1)
            }
            for channel in heard:
                self._callbacks[channel].call()
            waited = 0.0 if heard else waited + _STEP_SECONDS
            if waited >= self._poll_seconds:
                self._ring_all()
                waited = 0.0

    def _query(self, connection: psycopg.Connection) -> None:
        """Call what has moved, while the database takes no writes."""
        places: TupleRow = (None,) * len(_QUERIED)
        all_at = 0.0
        while not self._database.write_access.is_given and not self._closed.is_set():
            before, (places,) = places, connection.execute(statement("select_notified")).fetchall()
            for channel, old, new in zip(_QUERIED, before, places, strict=True):
                if old != new:
                    self._callbacks[channel].call()
            if time.monotonic() >= all_at:
                self._ring_all()
                all_at = time.monotonic() + self._poll_seconds
            self._closed.wait(_QUERY_SECONDS)

    def _ring_all(self) -> None:
        for callbacks in self._callbacks.values():
            callbacks.call()
