"""An answer's headers and body leave together, and neither waits for what is not there yet."""

import asyncio
import logging
from collections.abc import Sequence

import pytest
from fastapi import FastAPI
from starlette.types import Message
from typing_extensions import override
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from api.http.connections import bounded_connections
from api.http.packets import Packets
from tests.api.servers import connected, served

_LONG = b"long " * 50_000
_PAUSE: Message = {"type": "the loop goes on"}


class _Socket(asyncio.Transport):
    """Takes down what is written at once, and the end."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []

    @override
    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    @override
    def is_closing(self) -> bool:
        return b"END" in self.written

    @override
    def close(self) -> None:
        self.written.append(b"END")


def _start(length: int | None, *headers: tuple[bytes, bytes]) -> Message:
    said = () if length is None else ((b"content-length", b"%d" % length),)
    return {"type": "http.response.start", "status": 200, "headers": [*said, *headers]}


def _body(body: bytes, *, more: bool = False) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more}


def _written(
    messages: Sequence[Message], *, method: str = "GET", keep_alive: bool = True
) -> tuple[list[bytes], RequestResponseCycle]:
    """Return what is written at once where an application sends these."""

    async def go() -> tuple[list[bytes], RequestResponseCycle]:
        below = _Socket()
        cycle = RequestResponseCycle(
            scope={"method": method},  # type: ignore[typeddict-item] # all that is looked at
            transport=below,
            flow=FlowControl(below),
            logger=logging.getLogger(),
            access_logger=logging.getLogger(),
            access_log=False,
            default_headers=[(b"date", b"now")],
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=keep_alive,
            on_response=lambda: below.written.append(b"DONE"),
        )
        packets = Packets(cycle)
        for message in messages:
            if message is _PAUSE:
                await asyncio.sleep(0)
            else:
                await packets.send(message)
        await asyncio.sleep(0)
        return below.written, cycle

    return asyncio.run(go())


def _head(*lines: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", b"date: now", *lines, b"", b""])


def test_headers_and_a_body_that_is_there_are_one_packet() -> None:
    written, cycle = _written([_start(4, (b"etag", b'"1"')), _body(b"body")])
    assert written == [_head(b"content-length: 4", b'etag: "1"') + b"body", b"DONE"]
    assert cycle.response_complete
    assert cycle.message_event.is_set()


def _whole(body: bytes, length: int, *headers: tuple[bytes, bytes]) -> Message:
    return {**_start(length, *headers), "body": body}


def test_a_whole_answer_in_one_message_is_one_packet() -> None:
    written, cycle = _written([_whole(b"body", 4, (b"etag", b'"1"'))])
    assert written == [_head(b"content-length: 4", b'etag: "1"') + b"body", b"DONE"]
    assert cycle.response_complete


def test_a_whole_answer_that_is_no_packet_is_what_it_would_be_in_two_messages() -> None:
    head = _head(b"content-length: %d" % len(_LONG))
    assert _written([_whole(_LONG, len(_LONG))])[0] == [head, _LONG, b"DONE"]
    assert _written([_whole(b"body", 4)], method="HEAD")[0] == [
        _head(b"content-length: 4"),
        b"DONE",
    ]
    said = b"".join(_written([_whole(b"body", 4, (b"connection", b"close"))])[0])
    assert said == _head(b"content-length: 4", b"connection: close") + b"bodyENDDONE"
    with pytest.raises(RuntimeError, match="Content-Length"):
        _written([_whole(b"body", 3)])


def test_headers_leave_although_there_is_no_body_yet() -> None:
    pieces = [_start(5), _PAUSE, _body(b"late", more=True), _body(b"r")]
    assert _written(pieces)[0] == [_head(b"content-length: 5"), b"late", b"r", b"DONE"]


def test_a_long_body_is_not_copied_and_a_second_piece_is_not_held_back() -> None:
    head = _head(b"content-length: %d" % len(_LONG))
    assert _written([_start(len(_LONG)), _body(_LONG)])[0] == [head, _LONG, b"DONE"]
    pieces = [_start(3), _body(b"ab", more=True), _body(b"c")]
    assert _written(pieces)[0] == [_head(b"content-length: 3"), b"ab", b"c", b"DONE"]


def test_a_body_of_no_length_said_before_goes_in_chunks() -> None:
    pieces = [_start(None), _body(b"ab", more=True), _body(b"")]
    joined = b"".join(_written(pieces)[0])
    assert joined == _head(b"transfer-encoding: chunked") + b"2\r\nab\r\n0\r\n\r\nDONE"


def test_a_connection_that_does_not_go_on_is_told_so_and_ended() -> None:
    head = _head(b"content-length: 4", b"connection: close")
    assert _written([_start(4), _body(b"body")], keep_alive=False)[0] == [
        head + b"body",
        b"END",
        b"DONE",
    ]
    said = [_start(4, (b"connection", b"close")), _body(b"body")]
    assert b"".join(_written(said)[0]) == head + b"bodyENDDONE"


def test_who_asks_for_headers_gets_no_body() -> None:
    assert _written([_start(4), _body(b"body")], method="HEAD")[0] == [
        _head(b"content-length: 4"),
        b"DONE",
    ]


@pytest.mark.parametrize("body", [b"long", b"s"])
def test_a_body_of_another_length_than_was_said_is_a_defect(body: bytes) -> None:
    with pytest.raises(RuntimeError, match="Content-Length"):
        _written([_start(3), _body(body)])


@pytest.mark.parametrize("header", [(b"a b", b"c"), (b"a", b"b\r\nc: d")])
def test_a_header_that_would_be_more_than_one_is_a_defect(header: tuple[bytes, bytes]) -> None:
    with pytest.raises(ValueError, match="no header"):
        _written([_start(3, header), _body(b"abc")])


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
