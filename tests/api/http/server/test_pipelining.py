"""Requests that come together on one connection, and clients that leave or take no answers."""

import asyncio
import gc
import weakref
from functools import partial

import pytest
import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override
from uvicorn.server import ServerState

from agentlog.api.http.middleware.incoming import Incoming
from agentlog.api.http.middleware.request_metrics import Traffic
from agentlog.api.http.server.connection import Connection
from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.postgres.database import Database
from tests.api.servers import answers, asking, served
from tests.infrastructure.appends import last_position, reply
from tests.waiting import soon

FINE = print_bytes(reply("hi"))
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"


@pytest.mark.parametrize("count", [2, 40])
def test_requests_that_come_together_are_answered_in_their_order(
    app: FastAPI, database: Database, count: int
) -> None:
    said = [
        asking(
            print_bytes(reply(str(number))), ("X-Request-Id", f"r-{number}"), last=number == count
        )
        for number in range(1, count + 1)
    ]
    with served(app) as remote:
        told = answers(remote, b"".join([*said[:-1], HEALTH, said[-1]]))
    assert [status for status, _, _ in told] == [201] * (count - 1) + [200, 201]
    ids = [headers["x-request-id"] for _, headers, _ in told]
    assert [request_id for request_id in ids if request_id.startswith("r-")] == [
        f"r-{number}" for number in range(1, count + 1)
    ]
    assert last_position(database) == count


class _Line(asyncio.Transport):
    """Takes down what is written; ends when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.is_read = True
        self.ended = False

    @property
    def answered(self) -> int:
        """How many answers were written."""
        return b"".join(self.written).count(b"HTTP/1.1 20")

    @override
    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.ended
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


def _connection(app: ASGIApp, line: _Line) -> Connection:
    config = uvicorn.Config(app, log_level="critical", access_log=False)
    config.load()
    connection = Connection(
        max_header_bytes=4096,
        client_seconds=20,
        config=config,
        server_state=ServerState(),
        app_state={},
    )
    connection.connection_made(line)
    return connection


def test_while_many_requests_wait_no_more_are_read(app: FastAPI) -> None:
    line = _Line()

    async def go() -> None:
        connection = _connection(app, line)
        for _ in range(2):
            connection.data_received(HEALTH * 2000)
            assert not line.is_read
            await soon(lambda: line.is_read)
        await soon(lambda: line.answered == 4000)
        connection.connection_lost(None)

    asyncio.run(go())


def test_requests_that_wait_have_no_tasks_yet(app: FastAPI) -> None:
    async def go() -> None:
        line = _Line()
        connection = _connection(app, line)
        before = len(asyncio.all_tasks())
        connection.data_received(HEALTH * 1000)
        assert len(asyncio.all_tasks()) == before + 1
        connection.connection_lost(None)
        await soon(lambda: len(asyncio.all_tasks()) == before)

    asyncio.run(go())


def test_who_leaves_takes_no_other_answers_along(
    app: FastAPI, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    lines = [_Line(), _Line(), _Line()]

    async def go() -> None:
        connections = [_connection(app, line) for line in lines]
        for connection in connections:
            connection.data_received(asking(FINE, last=False) * 2)
        await asyncio.sleep(0)
        lines[1].ended = True
        connections[1].connection_lost(None)
        await soon(lambda: [line.answered for line in lines] == [2, 0, 2])
        connections[0].connection_lost(None)
        connections[2].connection_lost(None)

    asyncio.run(go())
    assert lines[1].written == []
    assert not caplog.records
    assert last_position(database) == 5


def test_after_an_answer_that_ends_the_connection_no_request_is_run() -> None:
    asked: list[str] = []

    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        del receive, send
        asked.append(scope["path"])
        raise ZeroDivisionError

    async def go() -> None:
        line = _Line()
        connection = _connection(Incoming(failing, Traffic().refuse), line)
        connection.data_received(HEALTH * 2)
        await soon(lambda: line.ended)
        await asyncio.sleep(0.05)
        connection.connection_lost(None)
        assert line.written[0].startswith(b"HTTP/1.1 500 ")

    asyncio.run(go())
    assert asked == ["/healthz"]


def _has_more_than(line: _Line, before: int) -> bool:
    return len(line.written) > before


def test_a_connection_that_ended_is_freed_without_a_collection(app: FastAPI) -> None:
    """Cycles would stay in memory: the collector of a service seldom runs."""

    async def go() -> weakref.ref[Connection]:
        line = _Line()
        connection = _connection(app, line)
        for said in (HEALTH, asking(FINE, last=False), b"nonsense\r\n"):
            before = len(line.written)
            connection.data_received(said)
            await soon(partial(_has_more_than, line, before))
        await asyncio.sleep(0.05)
        connection.connection_lost(None)
        return weakref.ref(connection)

    gc.disable()
    try:
        assert asyncio.run(go())() is None
    finally:
        gc.enable()
