"""Requests that come together on one connection, and clients that leave or take no answers."""

import asyncio
import re

import pytest
import uvicorn
from fastapi import FastAPI
from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from api.http.connections import bounded_connections
from domain.json_text import print_bytes
from infrastructure.database import Database
from tests.api.sides import FINE, Sides, answers, asking
from tests.infrastructure.appends import last_position, reply
from tests.waiting import soon


@pytest.mark.parametrize("count", [2, 40])
def test_requests_that_come_together_are_answered_in_their_order(
    sides: Sides, database: Database, count: int
) -> None:
    health = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
    said = [
        asking(
            print_bytes(reply(str(number))),
            ("X-Request-Id", str(number)),
            last=number == count - 1,
        )
        for number in range(count)
    ]
    answer = answers(sides.direct, b"".join([*said[:-1], health, said[-1]]), pause=0)
    told = re.findall(rb"x-request-id: (\d{1,2})\r", answer)
    assert told == [b"%d" % number for number in range(count)]
    assert answer.count(b"HTTP/1.1 201") == count
    assert answer.count(b"HTTP/1.1 200") == 1
    assert sides.watched.taken == [True] * count
    assert last_position(database) == count


class _Line(asyncio.Transport):
    """Takes down what is written, and whether more was read then; ends when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.is_read = True
        self.read_at: list[bool] = []
        self.ended = False

    @override
    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.ended
        self.read_at.append(self.is_read)
        self.written.append(bytes(data))

    @override
    def is_closing(self) -> bool:
        return self.ended

    @override
    def close(self) -> None:
        self.ended = True

    @override
    def pause_reading(self) -> None:
        self.is_read = False

    @override
    def resume_reading(self) -> None:
        self.is_read = True

    @override
    def get_extra_info(self, name: str, default: object = None) -> object:
        del name
        return default


def _connection(app: FastAPI, line: _Line) -> HttpToolsProtocol:
    http = bounded_connections(max_header_bytes=4096, client_seconds=20, direct=app.state.direct)
    config = uvicorn.Config(app, http=http, log_level="critical", access_log=False)
    config.load()
    connection = http(config=config, server_state=ServerState(), app_state={})
    connection.connection_made(line)
    return connection


def test_while_requests_wait_no_more_are_read(app: FastAPI) -> None:
    line = _Line()

    async def go() -> None:
        connection = _connection(app, line)
        connection.data_received(asking(FINE, last=False) * 3)
        await soon(lambda: len(line.written) == 3)
        connection.connection_lost(None)

    asyncio.run(go())
    assert line.read_at == [False, False, True]
    assert line.is_read
    assert [each[:12] for each in line.written] == [b"HTTP/1.1 201"] * 3


def test_who_leaves_takes_no_other_answers_along(
    app: FastAPI, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    lines = [_Line(), _Line(), _Line()]

    async def go() -> None:
        connections = [_connection(app, line) for line in lines]
        for connection in connections:
            connection.data_received(asking(FINE, last=False) * 2)
        lines[1].ended = True
        connections[1].connection_lost(None)
        await soon(lambda: [len(line.written) for line in lines] == [2, 0, 2])
        connections[0].connection_lost(None)
        connections[2].connection_lost(None)

    asyncio.run(go())
    assert lines[1].written == []
    assert not caplog.records
    assert last_position(database) == 5
