"""Memory of the service stays flat whatever a client sends that shows no key."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from tests.databases import new_database
from tests.reliability.service import ServiceProcess, own_service

MOST_GROWTH = 30 * 2**20
SENT = 64 * 2**20
BEGUN = b"POST /v1/threads/t/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n"
CHUNKED = BEGUN + b"Transfer-Encoding: chunked\r\n\r\n"
LINE = b"X-Trailer: " + b"a" * 50 + b"\r\n"


@pytest.fixture(scope="module")
def service(server_url: str, template_database: str) -> Iterator[ServiceProcess]:
    """A service that answers nobody without a key."""
    with (
        new_database(server_url, template=template_database) as url,
        own_service(url, AGENTLOG_PROJECTIONS="off") as running,
    ):
        running.post("/v1/keys", {"name": "all", "scopes": ["admin"]})
        yield running


def _connected(service: ServiceProcess) -> socket.socket:
    return socket.create_connection(("127.0.0.1", service.port), timeout=60)


@pytest.mark.parametrize(
    ("begun", "more"),
    [
        (CHUNKED + b"0\r\n", LINE * 4000),
        (CHUNKED, b"1;" + b"e" * 200 + b"\r\na\r\n"),
        (CHUNKED, b"0" * 2**18),
        (BEGUN, LINE * 4000),
        (b"", b"\r\n" * 2**17),
        (b"GET /v1/threads HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", b"a" * 2**18),
    ],
    ids=["trailers", "chunk extensions", "a chunk size", "headers", "empty lines", "what follows"],
)
def test_what_never_ends_takes_no_memory(
    service: ServiceProcess, begun: bytes, more: bytes
) -> None:
    before, _ = service.memory()
    sent = 0
    more *= max(1, 2**18 // len(more))
    while sent < SENT:
        with _connected(service) as connection, suppress(ConnectionError):
            connection.sendall(begun)
            while sent < SENT:
                sent += len(more)
                connection.sendall(more)
    after, _ = service.memory()
    assert after - before < MOST_GROWTH


def test_requests_that_wait_for_another_take_no_more_memory_than_their_bytes(
    service: ServiceProcess,
) -> None:
    before, _ = service.memory()
    with ExitStack() as stack:
        for _ in range(40):
            connection = stack.enter_context(_connected(service))
            connection.settimeout(0.2)
            with suppress(TimeoutError):  # it reads no more
                connection.sendall(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 100_000)
        after, _ = service.memory()
    assert after - before < 2 * MOST_GROWTH
