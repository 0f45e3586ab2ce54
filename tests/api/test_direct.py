"""Appends that go straight from the connection to the writer are answered as all others are."""

import asyncio
import logging
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI
from typing_extensions import override
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from api.http.connections import Direct, bounded_connections
from api.http.limits import Limits
from domain.json_text import parse, print_bytes
from infrastructure.database import Database
from infrastructure.logs import access_logger
from infrastructure.store import Store
from infrastructure.writer import Writer
from tests.api.conftest import app_over, end_following
from tests.api.keyholders import bearing, empty_keys, make_key
from tests.api.servers import served
from tests.api.test_appending import soon
from tests.api.test_http_connections import connected, until_closed
from tests.infrastructure.appends import TENANT, Clock, Ids, last_position, reply

Header = tuple[str, str]

_CLOSING = [("Connection", "close")]


@dataclass
class Watched:
    """Does what another does, and takes down whether it took each request."""

    inner: Direct
    taken: list[bool] = field(default_factory=list)

    def is_for(self, cycle: RequestResponseCycle) -> bool:
        """As there."""
        return self.inner.is_for(cycle)

    def take(self, cycle: RequestResponseCycle) -> bool:
        """As there, and noted."""
        self.taken.append(self.inner.take(cycle))
        return self.taken[-1]


@dataclass(frozen=True)
class Sides:
    """Clients of two servers of one application: one that has the short way, and one without."""

    direct: httpx2.Client
    plain: httpx2.Client
    watched: Watched


@pytest.fixture
def sides(app: FastAPI, database: Database) -> Iterator[Sides]:
    """The two; and no key is left for the next test."""
    watched = Watched(app.state.direct)
    with ExitStack() as stack:
        direct, plain = (
            stack.enter_context(
                served(
                    app,
                    http=bounded_connections(max_header_bytes=4096, client_seconds=20, direct=way),
                )
            )
            for way in (watched, None)
        )
        yield Sides(direct, plain, watched)
    empty_keys(database)


def _said(
    body: bytes, *more: Header, path: str = "/v1/threads/t/messages", last: bool = True
) -> bytes:
    """Return a request; after the `last` the connection ends."""
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in (*more, *(_CLOSING if last else ()))]
    return "\r\n".join([*lines, "", ""]).encode() + body


def _answers(client: httpx2.Client, *pieces: bytes, pause: float = 0.02) -> bytes:
    """Send pieces on one connection, and return all that comes back until its end."""
    with connected(client) as connection:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(pause)
        return until_closed(connection)


_NEXT = b"GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"


def _answer(client: httpx2.Client, said: bytes) -> bytes:
    """Return the answer to one request; where that is not its last, the connection goes on."""
    is_last = b"Connection: close" in said
    received = _answers(client, said if is_last else said + _NEXT)
    return received if is_last else received.rpartition(b"HTTP/1.1 200 OK\r\n")[0]


_OWN = re.compile(rb'("(?:id|instance|messageId|version|position)"):(?:"[^"]*"|\d+)')


def _comparable(answer: bytes) -> tuple[list[bytes], bytes]:
    """Return an answer's lines and body, but for what differs from one append to the next."""
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert any(line.startswith(b"x-request-id: ") for line in lines)
    differs = re.compile(rb"(?i)date|x-request-id|etag|content-length")
    return [line for line in lines if not differs.match(line)], _OWN.sub(rb"\1:0", body)


_FINE = print_bytes(reply("hi"))
_CASES: dict[str, tuple[bytes, Sequence[Header], bool]] = {
    "one": (_FINE, (), True),
    "several": (print_bytes([reply("a"), reply("b")]), (), True),
    "in an object": (print_bytes({"messages": [reply("a")]}), (), True),
    "a trace": (_FINE, [("traceparent", f"00-{'a' * 32}-{'b' * 16}-01")], True),
    "at its version": (_FINE, [("If-Match", '"1"')], True),
    "at another": (_FINE, [("If-Match", '"7"')], True),
    "at none": (_FINE, [("If-Match", "never")], False),
    "not a message": (b'{"type": "nothing"}', (), True),
    "no reply": (b'{"type": "reply"}', (), True),
    "an answer to no call": (
        print_bytes(
            {"type": "tool_results", "results": [{"callId": "c", "name": "n", "output": 1}]}
        ),
        (),
        True,
    ),
    "no JSON": (b"{", (), False),
    "no UTF-8": (b'{"type": "reply", "text": "\xff"}', (), False),
    "nothing": (b"", (), False),
    "an empty list": (b"[]", (), True),
    "a file of a blob": (
        print_bytes({"type": "input", "files": [{"mimeType": "a/b", "sha256": "0" * 64}]}),
        (),
        False,
    ),
    "too deep": (b'{"type": "a.b", "data": ' + b"[" * 200 + b"]" * 200 + b"}", (), False),
    "a page of another site": (_FINE, [("Origin", "http://else.where")], False),
    "no key of ours": (_FINE, [("Authorization", "Bearer nobody")], True),
    "an unknown key": (_FINE, [("Authorization", f"Bearer agentlog_{'a' * 26}_{'b' * 43}")], False),
    "its own id": (_FINE, [("X-Request-Id", "mine")], True),
}


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("case", _CASES)
def test_an_append_is_answered_alike_whichever_way_it_takes(
    sides: Sides, database: Database, case: str, *, last: bool
) -> None:
    body, more, taken = _CASES[case]
    sides.plain.post("/v1/threads/direct/messages", json=reply("before")).raise_for_status()
    sides.plain.post("/v1/threads/plain1/messages", json=reply("before")).raise_for_status()
    before = last_position(database)
    direct = _answer(
        sides.direct, _said(body, *more, path="/v1/threads/direct/messages", last=last)
    )
    written = last_position(database) - before
    plain = _answer(sides.plain, _said(body, *more, path="/v1/threads/plain1/messages", last=last))
    assert sides.watched.taken == [taken]
    assert _comparable(direct.replace(b"direct", b"plain1")) == _comparable(plain)
    assert last_position(database) - before == 2 * written
    if case == "its own id":
        assert b"x-request-id: mine\r\n" in direct


@pytest.mark.parametrize("path", ["/v1/threads/!/messages", "/v1/threads//messages", "/messages"])
def test_so_is_one_to_no_thread(sides: Sides, path: str) -> None:
    direct, plain = (
        _answers(side, _said(_FINE, path=path)) for side in (sides.direct, sides.plain)
    )
    assert _comparable(direct) == _comparable(plain)
    assert direct.startswith(b"HTTP/1.1 4")


def _answer_from_memory(sides: Sides, said: bytes) -> bytes:
    """Return the answer once a key is remembered: when all is heard of what happened to keys."""
    until = time.monotonic() + 20
    while True:
        answer = _answers(sides.direct, said)
        if sides.watched.taken[-1] or time.monotonic() > until:
            return answer
        time.sleep(0.05)


def test_who_has_a_key_is_known_once_it_was_looked_up(app: FastAPI, sides: Sides) -> None:
    key = make_key(app, "append", "read")
    said = _said(_FINE, *bearing(key))
    first = _answers(sides.direct, said)
    assert sides.watched.taken == [False]
    again, plain = _answer_from_memory(sides, said), _answers(sides.plain, said)
    assert sides.watched.taken[-1]
    assert _comparable(first) == _comparable(again) == _comparable(plain)
    items = sides.plain.get("/v1/threads/t/messages", headers=dict(bearing(key))).json()["items"]
    assert {each["metadata"]["appendedBy"] for each in items} == {key.key_id}
    keys = app.state.keys
    keys.keys.revoke(TENANT, key.key_id)
    keys.forget()
    for refused in (said, _said(_FINE)):
        assert _answers(sides.direct, refused).startswith(b"HTTP/1.1 401")
        assert not sides.watched.taken[-1]


def test_a_key_that_may_not_append_is_refused(app: FastAPI, sides: Sides) -> None:
    said = _said(_FINE, *bearing(make_key(app, "read")))
    for _ in range(5):
        assert _answers(sides.direct, said).startswith(b"HTTP/1.1 403")
    assert not any(sides.watched.taken)


@pytest.mark.parametrize("at", [-1, 30, -len(_FINE), -len(_FINE) + 5])
def test_a_request_may_come_in_two_pieces(sides: Sides, database: Database, at: int) -> None:
    said = _said(_FINE)
    assert _answers(sides.direct, said[:at], said[at:]).startswith(b"HTTP/1.1 201")
    assert sides.watched.taken == [True]
    assert last_position(database) == 1


@pytest.mark.parametrize("count", [2, 40])
def test_requests_that_come_together_are_answered_in_their_order(
    sides: Sides, database: Database, count: int
) -> None:
    health = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
    said = [
        _said(
            print_bytes(reply(str(number))),
            ("X-Request-Id", str(number)),
            last=number == count - 1,
        )
        for number in range(count)
    ]
    answer = _answers(sides.direct, b"".join([*said[:-1], health, said[-1]]), pause=0)
    told = re.findall(rb"x-request-id: (\d{1,2})\r", answer)
    assert told == [b"%d" % number for number in range(count)]
    assert answer.count(b"HTTP/1.1 201") == count
    assert answer.count(b"HTTP/1.1 200") == 1
    assert sides.watched.taken == [True] * count
    assert last_position(database) == count


@pytest.mark.parametrize(
    ("more", "first"),
    [
        ([("Expect", "100-continue")], b"HTTP/1.1 100 "),
        ([("Transfer-Encoding", "chunked")], b"HTTP/1.1 201 "),
    ],
)
def test_others_wait_for_the_application(
    sides: Sides, database: Database, more: Sequence[Header], first: bytes
) -> None:
    said = _said(_FINE, *more)
    if first.endswith(b"201 "):
        said = re.sub(rb"Content-Length: \d+\r\n", b"", said)
        said = said[: -len(_FINE)] + b"%x\r\n%b\r\n0\r\n\r\n" % (len(_FINE), _FINE)
    answer = _answers(sides.direct, said)
    assert answer.startswith(first)
    assert b"HTTP/1.1 201 " in answer
    assert sides.watched.taken == []
    assert last_position(database) == 1


def test_a_body_beyond_a_small_one_takes_the_long_way(sides: Sides, database: Database) -> None:
    body = print_bytes(reply("x" * 2**16))
    assert _answers(sides.direct, _said(body)).startswith(b"HTTP/1.1 201")
    assert sides.watched.taken == []
    assert last_position(database) == 1


def test_an_answer_longer_than_a_packet_comes_whole(sides: Sides, database: Database) -> None:
    body = print_bytes([{"type": "tick"}] * 3000)
    head, _, answer = _answers(sides.direct, _said(body)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 201")
    assert len(parse(answer)["messages"]) == 3000
    assert len(answer) > 2**16
    assert sides.watched.taken == [True]
    assert last_position(database) == 3000


def test_a_client_that_leaves_is_not_waited_for(sides: Sides, database: Database) -> None:
    with connected(sides.direct) as connection:
        connection.sendall(_said(_FINE))
    until = time.monotonic() + 20
    while last_position(database) < 1 and time.monotonic() < until:
        time.sleep(0.01)
    assert last_position(database) == 1
    assert _answers(sides.direct, _said(_FINE)).startswith(b"HTTP/1.1 201")


def test_a_writer_that_takes_no_more_says_so(
    sides: Sides, store: Store, database: Database
) -> None:
    store.writer = Writer(database, clock=Clock(), new_id=Ids(), capacity=0)
    answer = _answers(sides.direct, _said(_FINE)).lower()
    assert answer.startswith(b"http/1.1 503")
    assert b"retry-after:" in answer
    assert b"writer-overloaded" in answer
    assert sides.watched.taken == [True]


def test_a_defect_is_told_and_logged_under_the_requests_name(
    sides: Sides, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(store.writer, "hand_in", failing)
    answer = _answers(sides.direct, _said(_FINE, ("X-Request-Id", "mine")))
    assert answer.startswith(b"HTTP/1.1 500")
    assert b"urn:agentlog:request:mine" in answer
    (record,) = [each for each in caplog.records if each.exc_info]
    assert record.getMessage() == "POST /v1/threads/t/messages failed"


def test_metrics_count_both_ways_alike(sides: Sides) -> None:
    for side in (sides.direct, sides.plain):
        _answers(side, _said(_FINE))
        _answers(side, _said(b"[]"))
    text = sides.plain.get("/metrics").text
    route = 'method="POST",route="/v1/threads/{thread_id}/messages"'
    for status in (201, 422):
        assert re.search(rf'requests_total{{{re.escape(route)},status="{status}"}} 2\.0', text), (
            text
        )


def test_what_sees_to_each_request_sees_all(database: Database, store: Store) -> None:
    logger = access_logger(form="json", level="info")
    for app in (
        app_over(database, store, limits=Limits(rate_per_second=5)),
        app_over(database, store, access_log=logger),
    ):
        assert app.state.direct is None
        end_following(app)


class _Silent(asyncio.Transport):
    @override
    def is_closing(self) -> bool:
        return False


def test_who_takes_no_answers_is_left_to_the_application(app: FastAPI) -> None:
    flow = FlowControl(_Silent())
    flow.write_paused = True
    cycle = RequestResponseCycle(
        scope={"method": "POST", "path": "/v1/threads/t/messages", "headers": []},  # type: ignore[typeddict-item] # enough to look at
        transport=_Silent(),
        flow=flow,
        logger=logging.getLogger(),
        access_logger=logging.getLogger(),
        access_log=False,
        default_headers=[],
        message_event=asyncio.Event(),
        expect_100_continue=False,
        keep_alive=True,
        on_response=lambda: None,
    )
    cycle.body += _FINE
    assert not app.state.direct.take(cycle)


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
        connection.data_received(_said(_FINE, last=False) * 3)
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
            connection.data_received(_said(_FINE, last=False) * 2)
        lines[1].ended = True
        connections[1].connection_lost(None)
        await soon(lambda: [len(line.written) for line in lines] == [2, 0, 2])
        connections[0].connection_lost(None)
        connections[2].connection_lost(None)

    asyncio.run(go())
    assert lines[1].written == []
    assert not caplog.records
    assert last_position(database) == 5
