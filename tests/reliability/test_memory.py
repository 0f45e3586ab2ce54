"""Memory is bounded, whatever is sent: what is refused and who has left leave nothing behind."""

import asyncio
import json
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from tests.infrastructure.appends import given, reply
from tests.reliability.outcomes import Tried
from tests.reliability.postgres import OwnPostgres
from tests.reliability.service import ServiceProcess, own_service

_MB = 10**6
_MOST_GROWTH = 60 * _MB
_PATIENCE_SECONDS = 30.0
_LONGEST_WAIT = 0.5
"""Of 98 of 100 `/healthz` beside large bodies; other tests run on the same processors."""

_PATH = "/v1/threads/t/messages"
_LONG = "/v1/threads/long"


@pytest.fixture
def service(postgres: OwnPostgres) -> Iterator[ServiceProcess]:
    """A service that has answered requests of each kind, so that all is there that stays."""
    with own_service(postgres.url, AGENTLOG_PROJECTIONS="off") as service:
        service.post("/v1/threads", {"threadId": "strict", "policy": "strict"})
        service.post(_PATH, reply("first", id=given(1)))
        for _ in range(20):
            _send(service, 400, _PATH, b"no JSON")
            _send(service, 201, _PATH, json.dumps(reply("a text")).encode())
        service.get(_PATH)
        yield service


def _send(service: ServiceProcess, status: int, path: str, body: bytes, **headers: str) -> None:
    host = urlsplit(service.address)
    connection = HTTPConnection(host.hostname or "", host.port, timeout=60)
    try:
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == status, text[:1000]
    finally:
        connection.close()


def _refusals(size: int) -> list[Callable[[ServiceProcess], None]]:
    """Return what sends one append of such a size, each refused in another way."""
    text = "long text, " * (size // 11)
    conflict = json.dumps(reply(text, id=given(1))).encode()
    rule = json.dumps(
        [reply(text), {"type": "tool_results", "results": [{"callId": "c", "output": 1}]}]
    ).encode()
    fine = json.dumps(reply(text)).encode()
    many = json.dumps([reply("x" * (size // 10_001))] * 10_001).encode()
    dense = b'{"type": "vendor.wide", "payload": {"x": [' + b"[]," * (size // 3) + b"[]]}}"
    line = b'{"threadId": "strict", "messages": ' + rule + b"}\n"
    return [
        lambda service: _send(service, 409, _PATH, conflict),
        lambda service: _send(service, 409, "/v1/threads/strict/messages", rule),
        lambda service: _send(service, 412, _PATH, fine, **{"If-Match": '"1000"'}),
        lambda service: _send(service, 400, _PATH, fine[:-1]),
        lambda service: _send(service, 413, _PATH, many),
        lambda service: _send(service, 413, _PATH, dense),
        lambda service: _send(service, 422, _PATH, fine.replace(b'"text"', b'"nope"')),
        lambda service: _send(service, 200, "/v1/log", line),
    ]


def _grown(service: ServiceProcess, before: int) -> int:
    """Return by how much memory has grown, once that is little or patience has ended."""
    until = time.monotonic() + _PATIENCE_SECONDS
    while (grown := service.memory()[0] - before) > _MOST_GROWTH and time.monotonic() < until:
        time.sleep(0.5)
    return grown


@contextmanager
def _sampled(take: Callable[[], float]) -> Iterator[list[float]]:
    """Measure something over and over while the block lasts."""
    samples: list[float] = []
    is_over = threading.Event()

    def sample() -> None:
        while not is_over.wait(0.02):
            samples.append(take())

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        is_over.set()
        thread.join()


@pytest.mark.slow
def test_refused_appends_leave_no_memory_behind(
    service: ServiceProcess,
    tried: Tried,
    soak: bool,  # noqa: FBT001 - a fixture
) -> None:
    small, large = (1000, 200) if soak else (64, 8)
    row = tried(
        f"{small} refused appends of 1 MB, {large} of 15 MB",
        made="one after the other: 409 (id with other content, rule of the thread), 412, 400, 413 "
        "(messages, parts), 422, a refused line of `POST /v1/log`",
        holds=f"memory at most {_MOST_GROWTH // _MB} MB above the start, {_PATIENCE_SECONDS:g} s "
        f"later; of 100 `/healthz` beside it 98 within {_LONGEST_WAIT:g} s",
    )
    before = service.memory()[0]

    def look() -> float:
        began = time.monotonic()
        service.get("/healthz")
        return time.monotonic() - began

    with _sampled(look) as waits, _sampled(lambda: service.memory()[0]) as resident:
        for count, size in ((small, 10**6), (large, 15 * 10**6)):
            refusals = _refusals(size)
            for number in range(count):
                refusals[number % len(refusals)](service)
    grown = _grown(service, before)
    usual = sorted(waits)[len(waits) * 98 // 100]
    row.came = (
        f"from {before / _MB:.0f} MB by {grown / _MB:.0f} MB, at most by "
        f"{(max(resident) - before) / _MB:.0f} meanwhile; `/healthz` 98 of 100 within "
        f"{usual:.2f} s, all within {max(waits):.2f} s"
    )
    assert grown <= _MOST_GROWTH, row.came
    assert usual < _LONGEST_WAIT, row.came


@pytest.mark.slow
def test_readers_of_long_histories_that_leave_take_their_memory_along(
    service: ServiceProcess,
    tried: Tried,
    soak: bool,  # noqa: FBT001 - a fixture
) -> None:
    count, messages = (2000, 10_000) if soak else (100, 4000)
    row = tried(
        f"{count} followers of a long history that leave",
        made=f"all at once follow a thread of {messages:,} messages of 1 KB, in two views, or the "
        "log, read 1 MB of it, and go",
        holds=f"memory at most {_MOST_GROWTH // _MB} MB above the start, {_PATIENCE_SECONDS:g} s "
        "later",
    )
    for _ in range(messages // 1000):
        service.post(f"{_LONG}/messages", [reply("word " * 200)] * 1000)
    asyncio.run(_read_and_leave(service, 3))
    before = service.memory()[0]
    with _sampled(lambda: service.memory()[0]) as resident:
        asyncio.run(_read_and_leave(service, count))
    grown = _grown(service, before)
    row.came = (
        f"from {before / _MB:.0f} MB by {grown / _MB:.0f} MB, at most by "
        f"{(max(resident) - before) / _MB:.0f} meanwhile"
    )
    assert grown <= _MOST_GROWTH, row.came


async def _read_and_leave(service: ServiceProcess, count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2 * count + 512)), hard))
    host = urlsplit(service.address)

    async def read(path: str) -> None:
        reader, writer = await asyncio.open_connection(host.hostname, host.port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {host.netloc}\r\n\r\n".encode())
        left = 10**6
        while left > 0:
            piece = await asyncio.wait_for(reader.read(2**16), 120)
            assert piece
            left -= len(piece)
        writer.close()

    paths = (f"{_LONG}/events", f"{_LONG}/events?view=openai", "/v1/log/events")
    await asyncio.gather(*(read(paths[number % 3]) for number in range(count)))
