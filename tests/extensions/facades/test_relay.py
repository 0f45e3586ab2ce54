"""The service between a client and a server that sends without end."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.conftest import app_over, end_following
from tests.api.servers import asking, running, until_received
from tests.waiting import until

_CHUNK = b"data: %b\n\n" % (b"x" * 2**16)
_MOST = 256 * 2**20
"""Bytes that no buffers on the way have room for."""
_BLOCKED_SECONDS = 3


class Endless:
    """Answers one request by an endless stream; says whether it had to wait, or was left."""

    def __init__(self) -> None:
        self.sent = 0
        self.is_blocked = False
        self.is_left = False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        with self._listener, self._listener.accept()[0] as connection:
            until_received(connection, b"\r\n\r\n{}")
            connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
            connection.settimeout(_BLOCKED_SECONDS)
            while not self.is_left and self.sent < _MOST:
                try:
                    self.sent += connection.send(_CHUNK)
                except TimeoutError:
                    self.is_blocked = True
                except ConnectionError:
                    self.is_left = True

    def join(self) -> None:
        self._thread.join(timeout=60)
        assert not self._thread.is_alive()


@pytest.fixture(name="endless")
def _endless() -> Iterator[Endless]:
    endless = Endless()
    yield endless
    endless.join()


def test_a_slow_client_has_the_server_wait_and_one_that_leaves_has_it_end(
    database: Database, threads: Threads, endless: Endless
) -> None:
    app = app_over(database, threads, gateway_url=endless.url)
    with running(app) as (_, url):
        address = urlsplit(url)
        with closing(socket.create_connection((address.hostname or "", address.port or 0))) as slow:
            slow.sendall(asking(b"{}", path="/openai/v1/responses"))
            until_received(slow, b"data: ")
            until(lambda: endless.is_blocked, seconds=60)
        endless.join()
        assert endless.is_left
        assert endless.sent < _MOST
    end_following(app)
