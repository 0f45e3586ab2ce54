"""A refused append leaves nothing behind: its body is freed without the garbage collector."""

import gc
import json
import socket
import time
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress

import httpx2
import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.conftest import MAX_BODY_BYTES, app_over, end_following
from tests.api.servers import served
from tests.infrastructure.appends import given, reply, results

_TIMES = 5
_TEXT = "text, " * 2**16  # 384 KiB: read in a thread
_MOST_LEFT = len(_TEXT) // 2

_THREAD = "/v1/threads/t/messages"


@pytest.fixture
def remote(database: Database, threads: Threads) -> Iterator[httpx2.Client]:
    """A client of a server, of which the garbage collector takes no notice meanwhile."""
    threads.start("strict", {"policy": "strict"})
    threads.append("t", [reply("first", id=given(1))])
    app = app_over(database, threads)
    with served(app) as client:
        gc.collect()
        gc.disable()
        try:
            yield client
        finally:
            gc.enable()
    end_following(app)


def _send(remote: httpx2.Client, path: str, body: bytes, *headers: tuple[str, str]) -> bytes:
    """Return an answer; a plain socket keeps nothing of what it sends."""
    address = remote.base_url.host, remote.base_url.port or 0
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        "Connection: close",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in headers),
    ]
    with socket.create_connection(address, timeout=60) as connection:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        with suppress(ConnectionError):  # it was refused by its length
            connection.sendall(body)
        answer = b""
        while piece := connection.recv(2**16):
            answer += piece
    return answer


def _json(*messages: object) -> bytes:
    return json.dumps(messages).encode()


def _line(thread_id: str, *messages: object, **more: object) -> bytes:
    return json.dumps({"threadId": thread_id, "messages": messages, **more}).encode() + b"\n"


_REFUSED = {
    "text that is no JSON": (400, _THREAD, f'{{"type": "reply", "text": "{_TEXT}'.encode()),
    "a key that stands twice": (400, _THREAD, f'{{"a": 1, "a": "{_TEXT}"}}'.encode()),
    "a lone surrogate": (400, _THREAD, _json(reply(_TEXT + "\ud800"))),
    "a slip in a field": (422, _THREAD, _json({**reply("x"), "timestmap": _TEXT})),
    "a field of another type": (422, _THREAD, _json({"type": "reply", "text": [_TEXT]})),
    "a type that there is not": (422, _THREAD, _json({"type": "nope", "text": _TEXT})),
    "too many messages": (413, _THREAD, _json(reply(_TEXT), *[reply("x")] * 10_000)),
    "a rule that it breaks": (
        409,
        "/v1/threads/strict/messages",
        _json(reply(_TEXT), results("never called")),
    ),
    "an id with other content": (409, _THREAD, _json(reply(_TEXT, id=given(1)))),
    "an id twice in one append": (
        409,
        _THREAD,
        _json(reply(_TEXT, id=given(2)), reply("other", id=given(2))),
    ),
    "a thread id that is none": (422, "/v1/threads/a%20b/messages", _json(reply(_TEXT))),
    "a thread that is not there": (
        404,
        "/v1/threads/none/annotate",
        json.dumps({"metadata": {"a": _TEXT}}).encode(),
    ),
    "a thread started otherwise": (
        409,
        "/v1/threads",
        json.dumps({"threadId": "strict", "goal": _TEXT}).encode(),
    ),
    "facts that there are not": (
        422,
        "/v1/threads",
        json.dumps({"threadId": "new", "nope": _TEXT}).encode(),
    ),
    "a line that is no JSON": (200, "/v1/log", b'{"threadId": "' + _TEXT.encode()),
    "a line of other keys": (200, "/v1/log", _line("t", reply(_TEXT), nope=1)),
    "a line that breaks a rule": (
        200,
        "/v1/log",
        _line("strict", reply(_TEXT), results("never called")),
    ),
    "a line of another version": (200, "/v1/log", _line("t", reply(_TEXT), expectedVersion=9)),
    "a line with too many messages": (
        200,
        "/v1/log",
        _line("t", reply(_TEXT), *[reply("x")] * 10_000),
    ),
}


@pytest.mark.parametrize("name", _REFUSED)
def test_a_refused_append_leaves_nothing_in_memory(remote: httpx2.Client, name: str) -> None:
    status, path, body = _REFUSED[name]
    assert _left_by(remote, status, path, body) < _MOST_LEFT


def test_an_append_at_another_version_leaves_nothing_in_memory(remote: httpx2.Client) -> None:
    body = _json(reply(_TEXT))
    assert _left_by(remote, 412, _THREAD, body, ("If-Match", '"9"')) < _MOST_LEFT


def test_a_body_that_is_too_large_leaves_nothing_in_memory(remote: httpx2.Client) -> None:
    body = b"x" * (MAX_BODY_BYTES + 1)
    assert _left_by(remote, 413, _THREAD, body) < _MOST_LEFT


def _left_by(
    remote: httpx2.Client, status: int, path: str, body: bytes, *headers: tuple[str, str]
) -> int:
    """Return by how many bytes memory has grown after a request was refused some times."""

    def refuse() -> None:
        answer = _send(remote, path, body, *headers)
        assert answer.startswith(b"HTTP/1.1 %d" % status), answer[:1000]
        assert b'"title"' in answer or status == 200

    refuse()  # once for what is kept for good
    tracemalloc.start()
    try:
        for _ in range(_TIMES):
            refuse()
        for _ in range(20):  # the answer is there before the request has ended
            if (left := tracemalloc.get_traced_memory()[0]) < _MOST_LEFT:
                break
            time.sleep(0.05)
        return left
    finally:
        tracemalloc.stop()
