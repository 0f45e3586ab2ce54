"""An application on a real server, on loopback."""

import asyncio
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress

import httpx2
import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from agentlog.api.http.server.connection import IDLE_SECONDS, bounded_connections
from agentlog.api.http.server.server import Server
from tests.clients import TLS
from tests.waiting import WAIT_SECONDS

USUAL = bounded_connections()


@contextmanager
def running(
    app: ASGIApp, *, http: type[asyncio.Protocol] = USUAL, idle_seconds: float = IDLE_SECONDS
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
            thread.join(timeout=WAIT_SECONDS)
    assert not thread.is_alive()


@contextmanager
def served(
    app: ASGIApp, *, http: type[asyncio.Protocol] = USUAL, idle_seconds: float = IDLE_SECONDS
) -> Iterator[httpx2.Client]:
    """Run an application until the block ends; yield a client of it."""
    with (
        running(app, http=http, idle_seconds=idle_seconds) as (_, address),
        httpx2.Client(base_url=address, timeout=60, trust_env=False, verify=TLS) as client,
    ):
        yield client


@contextmanager
def connected(remote: httpx2.Client) -> Iterator[socket.socket]:
    """Yield a connection to the server."""
    address = remote.base_url.host, remote.base_url.port or 0
    with socket.create_connection(address, timeout=60) as connection:
        yield connection


def until_received(connection: socket.socket, end: bytes) -> bytes:
    """Return all that comes up to some bytes: an answer may come in pieces."""
    received = b""
    while end not in received:
        chunk = connection.recv(2**16)
        assert chunk, received
        received += chunk
    return received


def until_closed(connection: socket.socket) -> bytes:
    """Return all that comes until the server ends the connection."""
    received = b""
    try:
        while chunk := connection.recv(2**16):
            received += chunk
    except ConnectionResetError:  # it was not done with sending
        pass
    return received


def answers(remote: httpx2.Client, *pieces: bytes) -> list[tuple[int, dict[str, str], bytes]]:
    """Send pieces on one connection; return status, headers and body of all that is answered.

    Each answer but 100 has a Content-Length.
    """
    with connected(remote) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(ConnectionError):  # it has heard enough
            for piece in pieces:
                connection.sendall(piece)
        received = until_closed(connection)
    received_answers = []
    while received:
        head, _, received = received.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in lines)
        }
        size = int(headers.get("content-length", "0"))
        received_answers.append((int(first.split()[1]), headers, received[:size]))
        received = received[size:]
    return received_answers


def asking(
    body: bytes,
    *more: tuple[str, str],
    path: str = "/v1/threads/t/messages",
    last: bool = True,
) -> bytes:
    """Return a POST; after the `last` the connection ends."""
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
    closing: Sequence[tuple[str, str]] = [("Connection", "close")] if last else []
    lines += [f"{name}: {value}" for name, value in (*more, *closing)]
    return "\r\n".join([*lines, "", ""]).encode() + body
