"""Whether a connection, or the server behind it, is still there."""

import os
import select
import socket

import psycopg
from psycopg import pq

from agentlog.infrastructure.postgres.errors import BROKEN_OFF

LIVENESS = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
}
"""Detect a lost server within half a minute, not a quarter of an hour.

The URL's own have precedence; a Unix socket needs none of them.
"""


class Canary:
    """Tells a server that hangs from statements that take long, by a connection of its own.

    The server has to answer it within so many seconds. It is made before it is needed, as a server
    whose processes hang may still make new ones. For one thread.
    """

    def __init__(self, conninfo: str, *, seconds: float) -> None:
        self._conninfo = conninfo
        self._seconds = seconds
        self._connection: psycopg.Connection | None = None

    def answers(self) -> bool:
        """Return False if the server does not answer in time; a broken connection is no answer."""
        try:
            if self._connection is None or self._connection.closed:
                self._connection = psycopg.connect(
                    self._conninfo, autocommit=True, application_name="agentlog-canary"
                )
            return self._is_answered(self._connection.pgconn)
        except psycopg.errors.ConnectionTimeout:
            return False
        except BROKEN_OFF:  # others find out whether the server is gone
            self.close()
            return True

    def close(self) -> None:
        """End the connection; the next one is made when it is needed."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _is_answered(self, connection: pq.abc.PGconn) -> bool:
        connection.send_query(b"SELECT 1")
        looking = select.poll()
        looking.register(connection.socket, select.POLLIN)
        # what is there counts, even if this process got no time to read it earlier
        if not looking.poll(self._seconds * 1000):
            return False
        while connection.get_result() is not None:
            pass
        return True


def is_busy(connection: psycopg.Connection) -> bool:
    """Return whether a statement runs."""
    return connection.pgconn.transaction_status == pq.TransactionStatus.ACTIVE


def break_off(connection: psycopg.Connection) -> None:
    """End a connection that another thread waits for: it finds that the server has gone."""
    try:
        with socket.socket(fileno=os.dup(connection.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)
    except (OSError, psycopg.Error):  # it is closed already
        pass


def is_silent(connection: psycopg.Connection) -> bool:
    """Return whether the server has sent nothing unrequested.

    A server that ends a connection sends a message or closes the socket; both make it readable. So
    most connections are checked without a round trip, which would take as long as a small query.
    """
    if connection.closed:
        return False
    looking = select.poll()
    looking.register(connection.fileno(), select.POLLIN)
    return not looking.poll(0)
