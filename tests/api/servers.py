"""An application on a real server, on loopback."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx2
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tests.clients import TLS


@contextmanager
def served(
    app: ASGIApp, *, http: type[HttpToolsProtocol] = HttpToolsProtocol, idle_seconds: float = 5
) -> Iterator[httpx2.Client]:
    """Serve an application until the block ends; yield a client of it."""
    config = uvicorn.Config(app, http=http, log_level="critical", access_log=False)
    config.timeout_keep_alive = idle_seconds  # type: ignore[assignment] # whole ones take long
    server = uvicorn.Server(config)
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        running = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        running.start()
        try:
            address = f"http://127.0.0.1:{listener.getsockname()[1]}"
            with httpx2.Client(base_url=address, timeout=30, trust_env=False, verify=TLS) as client:
                yield client
        finally:
            server.should_exit = True
            running.join(timeout=20)
    assert not running.is_alive()


@contextmanager
def connected(remote: httpx2.Client) -> Iterator[socket.socket]:
    """Yield a connection to the server."""
    address = remote.base_url.host, remote.base_url.port or 0
    with socket.create_connection(address, timeout=20) as connection:
        yield connection


def until_closed(connection: socket.socket) -> bytes:
    """Return all that comes until the server ends the connection."""
    received = b""
    try:
        while chunk := connection.recv(2**16):
            received += chunk
    except ConnectionResetError:  # it was not done with sending
        pass
    return received
