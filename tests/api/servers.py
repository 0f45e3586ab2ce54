"""An application on a real server, on loopback."""

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx2
import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.http.server import Server
from tests.clients import TLS


@contextmanager
def running(
    app: ASGIApp, *, http: type[HttpToolsProtocol] = HttpToolsProtocol, idle_seconds: float = 5
) -> Iterator[tuple[uvicorn.Server, str]]:
    """Run an application until the block ends; yield its server and its address."""
    config = uvicorn.Config(app, http=http, log_level="critical", access_log=False)
    config.timeout_keep_alive = idle_seconds  # type: ignore[assignment] # whole ones take long
    server = uvicorn.Server(config)
    if isinstance(app, FastAPI):
        server = Server(config, app.state.followings)
    with closing(socket.create_server(("127.0.0.1", 0), backlog=512)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield server, f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=20)
    assert not thread.is_alive()


@contextmanager
def served(
    app: ASGIApp, *, http: type[HttpToolsProtocol] = HttpToolsProtocol, idle_seconds: float = 5
) -> Iterator[httpx2.Client]:
    """Run an application until the block ends; yield a client of it."""
    with (
        running(app, http=http, idle_seconds=idle_seconds) as (_, address),
        httpx2.Client(base_url=address, timeout=30, trust_env=False, verify=TLS) as client,
    ):
        yield client


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
