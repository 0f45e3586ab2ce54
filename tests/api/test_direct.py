"""Appends that go straight from the connection to the writer are answered as all others are."""

import asyncio
import logging
import re
import time
from collections.abc import Sequence

import httpx2
import pytest
from fastapi import FastAPI
from typing_extensions import override
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from api.http.limits import Limits
from domain.json_text import parse, print_bytes
from infrastructure.database import Database
from infrastructure.logs import access_logger
from infrastructure.store import Store
from infrastructure.writer import Writer
from tests.api.conftest import app_over, end_following
from tests.api.keyholders import bearing, make_key
from tests.api.servers import connected
from tests.api.sides import FINE, Header, Sides, answers, asking
from tests.infrastructure.appends import TENANT, Clock, Ids, last_position, reply

_NEXT = b"GET /healthz HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"


def _answer(client: httpx2.Client, said: bytes) -> bytes:
    """Return the answer to one request; where that is not its last, the connection goes on."""
    is_last = b"Connection: close" in said
    received = answers(client, said if is_last else said + _NEXT)
    return received if is_last else received.rpartition(b"HTTP/1.1 200 OK\r\n")[0]


_OWN = re.compile(rb'("(?:id|instance|messageId|version|position)"):(?:"[^"]*"|\d+)')


def _comparable(answer: bytes) -> tuple[list[bytes], bytes]:
    """Return an answer's lines and body, but for what differs from one append to the next."""
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert any(line.startswith(b"x-request-id: ") for line in lines)
    differs = re.compile(rb"(?i)date|x-request-id|etag|content-length")
    return [line for line in lines if not differs.match(line)], _OWN.sub(rb"\1:0", body)


_CASES: dict[str, tuple[bytes, Sequence[Header], bool]] = {
    "one": (FINE, (), True),
    "several": (print_bytes([reply("a"), reply("b")]), (), True),
    "in an object": (print_bytes({"messages": [reply("a")]}), (), True),
    "a trace": (FINE, [("traceparent", f"00-{'a' * 32}-{'b' * 16}-01")], True),
    "at its version": (FINE, [("If-Match", '"1"')], True),
    "at another": (FINE, [("If-Match", '"7"')], True),
    "at none": (FINE, [("If-Match", "never")], False),
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
    "a page of another site": (FINE, [("Origin", "http://else.where")], False),
    "no key of ours": (FINE, [("Authorization", "Bearer nobody")], True),
    "an unknown key": (FINE, [("Authorization", f"Bearer agentlog_{'a' * 26}_{'b' * 43}")], False),
    "its own id": (FINE, [("X-Request-Id", "mine")], True),
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
    said = asking(body, *more, path="/v1/threads/direct/messages", last=last)
    direct = _answer(sides.direct, said)
    written = last_position(database) - before
    plain = _answer(sides.plain, said.replace(b"/direct/", b"/plain1/"))
    assert sides.watched.taken == [taken]
    assert _comparable(direct.replace(b"direct", b"plain1")) == _comparable(plain)
    assert last_position(database) - before == 2 * written
    if case == "its own id":
        assert b"x-request-id: mine\r\n" in direct


@pytest.mark.parametrize("path", ["/v1/threads/!/messages", "/v1/threads//messages", "/messages"])
def test_so_is_one_to_no_thread(sides: Sides, path: str) -> None:
    direct, plain = (answers(side, asking(FINE, path=path)) for side in (sides.direct, sides.plain))
    assert _comparable(direct) == _comparable(plain)
    assert direct.startswith(b"HTTP/1.1 4")


def _answer_from_memory(sides: Sides, said: bytes) -> bytes:
    """Return the answer once a key is remembered: when all is heard of what happened to keys."""
    until = time.monotonic() + 20
    while True:
        answer = answers(sides.direct, said)
        if sides.watched.taken[-1] or time.monotonic() > until:
            return answer
        time.sleep(0.05)


def test_who_has_a_key_is_known_once_it_was_looked_up(app: FastAPI, sides: Sides) -> None:
    key = make_key(app, "append", "read")
    said = asking(FINE, *bearing(key))
    first = answers(sides.direct, said)
    assert sides.watched.taken == [False]
    again, plain = _answer_from_memory(sides, said), answers(sides.plain, said)
    assert sides.watched.taken[-1]
    assert _comparable(first) == _comparable(again) == _comparable(plain)
    items = sides.plain.get("/v1/threads/t/messages", headers=dict(bearing(key))).json()["items"]
    assert {each["metadata"]["appendedBy"] for each in items} == {key.key_id}
    keys = app.state.keys
    keys.keys.revoke(TENANT, key.key_id)
    keys.forget()
    for refused in (said, asking(FINE)):
        assert answers(sides.direct, refused).startswith(b"HTTP/1.1 401")
        assert not sides.watched.taken[-1]


def test_a_key_that_may_not_append_is_refused(app: FastAPI, sides: Sides) -> None:
    said = asking(FINE, *bearing(make_key(app, "read")))
    for _ in range(5):
        assert answers(sides.direct, said).startswith(b"HTTP/1.1 403")
    assert not any(sides.watched.taken)


@pytest.mark.parametrize("at", [-1, 30, -len(FINE), -len(FINE) + 5])
def test_a_request_may_come_in_two_pieces(sides: Sides, database: Database, at: int) -> None:
    said = asking(FINE)
    assert answers(sides.direct, said[:at], said[at:]).startswith(b"HTTP/1.1 201")
    assert sides.watched.taken == [True]
    assert last_position(database) == 1


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
    said = asking(FINE, *more)
    if first.endswith(b"201 "):
        said = re.sub(rb"Content-Length: \d+\r\n", b"", said)
        said = said[: -len(FINE)] + b"%x\r\n%b\r\n0\r\n\r\n" % (len(FINE), FINE)
    answer = answers(sides.direct, said)
    assert answer.startswith(first)
    assert b"HTTP/1.1 201 " in answer
    assert sides.watched.taken == []
    assert last_position(database) == 1


def test_a_body_beyond_a_small_one_takes_the_long_way(sides: Sides, database: Database) -> None:
    body = print_bytes(reply("x" * 2**16))
    assert answers(sides.direct, asking(body)).startswith(b"HTTP/1.1 201")
    assert sides.watched.taken == []
    assert last_position(database) == 1


def test_an_answer_longer_than_a_packet_comes_whole(sides: Sides, database: Database) -> None:
    body = print_bytes([{"type": "tick"}] * 3000)
    head, _, answer = answers(sides.direct, asking(body)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 201")
    assert len(parse(answer)["messages"]) == 3000
    assert len(answer) > 2**16
    assert sides.watched.taken == [True]
    assert last_position(database) == 3000


def test_a_client_that_leaves_is_not_waited_for(sides: Sides, database: Database) -> None:
    with connected(sides.direct) as connection:
        connection.sendall(asking(FINE))
    until = time.monotonic() + 20
    while last_position(database) < 1 and time.monotonic() < until:
        time.sleep(0.01)
    assert last_position(database) == 1
    assert answers(sides.direct, asking(FINE)).startswith(b"HTTP/1.1 201")


def test_a_writer_that_takes_no_more_says_so(
    sides: Sides, store: Store, database: Database
) -> None:
    store.writer = Writer(database, clock=Clock(), new_id=Ids(), capacity=0)
    answer = answers(sides.direct, asking(FINE)).lower()
    assert answer.startswith(b"http/1.1 503")
    assert b"retry-after:" in answer
    assert b"writer-overloaded" in answer


def test_a_defect_is_told_and_logged_under_the_requests_name(
    sides: Sides, store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def failing(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(store.writer, "submit", failing)
    answer = answers(sides.direct, asking(FINE, ("X-Request-Id", "mine")))
    assert answer.startswith(b"HTTP/1.1 500")
    assert b"urn:agentlog:request:mine" in answer
    (record,) = [each for each in caplog.records if each.exc_info]
    assert record.getMessage() == "POST /v1/threads/t/messages failed"


def test_metrics_count_both_ways_alike(sides: Sides) -> None:
    for side in (sides.direct, sides.plain):
        answers(side, asking(FINE))
        answers(side, asking(b"[]"))
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
    cycle.body += FINE
    assert not app.state.direct.take(cycle)
