"""An answer's headers and body leave together, and neither waits for what is not there yet."""

import asyncio
from collections.abc import Callable

from fastapi import FastAPI
from typing_extensions import override

from api.http.connections import bounded_connections
from api.http.packets import JoinedTransport
from tests.api.servers import served
from tests.api.test_http_connections import connected

_HEADERS = b"HTTP/1.1 200 OK\r\n\r\n"
_LONG = b"long " * 50_000


class _Socket(asyncio.Transport):
    """Takes down what is written at once, and the end."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []

    @override
    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    @override
    def close(self) -> None:
        self.written.append(b"END")


def _written(*rounds: Callable[[JoinedTransport], None]) -> list[bytes]:
    """Return what is written at once where each of these happens in a round of the loop."""

    async def go() -> list[bytes]:
        below = _Socket()
        joined = JoinedTransport(below, asyncio.get_running_loop())
        for each in rounds:
            each(joined)
            await asyncio.sleep(0)
        return below.written

    return asyncio.run(go())


def _write(*pieces: bytes, end: bool = False) -> Callable[[JoinedTransport], None]:
    def writing(joined: JoinedTransport) -> None:
        for piece in pieces:
            joined.write(piece)
        if end:
            joined.close()

    return writing


def test_headers_and_a_body_that_is_there_are_one_packet() -> None:
    both = _write(_HEADERS, b"body")
    assert _written(both, both) == [_HEADERS + b"body"] * 2


def test_headers_leave_although_there_is_no_body_yet() -> None:
    assert _written(_write(_HEADERS), _write(b"late"), _write(b"r")) == [_HEADERS, b"late", b"r"]


def test_a_long_body_is_not_copied_and_a_second_piece_is_not_held_back() -> None:
    assert _written(_write(_HEADERS, _LONG, b"more")) == [_HEADERS, _LONG, b"more"]


def test_nothing_is_left_behind_where_the_connection_ends() -> None:
    assert _written(_write(_HEADERS), _write(end=True)) == [_HEADERS, b"END"]
    assert _written(_write(_HEADERS, end=True)) == [_HEADERS, b"END"]


def test_a_body_that_looks_like_headers_is_sent_all_the_same() -> None:
    assert b"".join(_written(_write(_HEADERS, _HEADERS, _HEADERS))) == _HEADERS * 3


def test_a_client_that_waits_to_be_told_to_go_on_is_told(app: FastAPI) -> None:
    body = b'{"type": "tick"}'
    head = b"POST /v1/threads/t/messages HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    head += b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body)
    connections = bounded_connections(max_header_bytes=4096, client_seconds=20)
    with served(app, http=connections) as remote, connected(remote) as connection:
        connection.sendall(head)
        assert connection.recv(2**16) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert connection.recv(2**16).startswith(b"HTTP/1.1 201 ")
