"""Requests that no well-behaved client sends, drawn by a seed, over a socket of our own."""

import http.client
import json
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote, urlsplit

from tests.reliability.mutations import spoiled_value
from tests.waiting import WAIT_SECONDS

_MOST_BYTES = 2**16

_WORDS = [
    "",
    ".",
    "..",
    "%2e%2e",
    "%2F",
    "%00",
    "%c0%80",
    "%ff",
    "%ED%A0%80",
    "%",
    "%zz",
    quote("ä東京\u202e"),
    quote("'; DROP TABLE agentlog.events; --"),
    "null",
    "a" * 129,
    "a" * 3_000,
    "t",
    "support-42",
    "00000000000000000000000001",
    "@1",
    "~",
]
_NUMBERS = ["-1", "0", "1", "007", "1e9", "NaN", quote("٣"), "0x10", "+1", "1.5", "9" * 40]
_NUMBERS += [str(2**power + more) for power in (31, 32, 63, 64) for more in (-1, 0, 1)]
_NUMBERS += [f"@{number}" for number in (0, 2**63 - 1, 2**63, "9" * 30)]
_TIMES = ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999-23:59", "2026-02-30T00:00:00Z"]
_TIMES += ["2026-01-01T00:00:00", "2026-01-01T00:00:60Z", "0001-01-01T00:00:00%2B14:00"]
_CURSORS = ["1.", ".1", "1.1.1", "-1.0", "9" * 30 + ".0", "0.0", "1.99999999999999999999"]
_BODIES = [
    b"",
    b"\x00",
    b"\xff\xfe{}",
    b"{",
    b"[]",
    b"{}",
    b"null",
    b"NaN",
    b'"\\ud800"',
    b"[" * 100_000,
    b'{"a":' * 5_000,
    b"1" * 10_000,
    b'{"type":"tick","type":"tick"}',
    b"\xef\xbb\xbf{}",
    b"\n" * 5_000,
    b"a=1&b=2",
    b"--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x--",
]
_GOOD: list[Any] = [
    {"type": "tick"},
    [{"type": "reply", "text": "x"}, {"type": "log", "text": "y"}],
    {
        "threadId": "support-42",
        "messages": [{"type": "tool_calls", "calls": [{"id": "c", "name": "f"}]}],
    },
    {"threadId": "new", "goal": "g", "policy": "record", "limits": {"maxSteps": 3}},
    {"metadata": {"a": 1}},
    {"reason": "done"},
    {"sql": "SELECT 1"},
]
_TYPES = [
    "application/json",
    "application/x-ndjson",
    "text/plain",
    "multipart/form-data",
    "",
    "x" * 500,
]
_TYPES += ["application/octet-stream", "application/json; charset=utf-16", "\x7f", "*/*;q=\xff"]
_HEADERS = [
    ("Accept", ["application/json", "text/event-stream", "image/svg+xml", "*/*;q=x", "\xff", ""]),
    ("If-Match", ['"1"', "*", "W/1", '"-1"', '"' + "9" * 40 + '"', "\xff", '"1", "2"']),
    ("If-None-Match", ['"1"', "*", "\xff"]),
    ("Last-Event-ID", ["1", "-1", "9" * 40, "1.1", "@1", "\x7f", "a" * 5_000, "%00"]),
    ("traceparent", ["00-" + "0" * 32 + "-" + "0" * 16 + "-00", "ff", "00-x-y-z", "\xff" * 55]),
    ("Content-Encoding", ["gzip", "br", "\xff"]),
    ("Transfer-Encoding", ["gzip", "identity", "chunked, chunked"]),
    ("Expect", ["100-continue", "200-ok"]),
    ("Range", ["bytes=0-1", "bytes=-99999999999999999999", "lines=x"]),
    ("Host", ["", "example.org", "a" * 1_000, "[::1", "127.0.0.1:99999999"]),
    ("Authorization", ["Bearer", "Bearer " + "x" * 3_000, "Basic \xff", "Bearer \x00"]),
    ("X-Request-Id", ["a", "\xff" * 300, "{}", "a" * 5_000]),
    ("Origin", ["null", "http://evil.example", "\xff"]),
    ("Cookie", ["a=" + "b" * 4_000]),
    ("Upgrade", ["websocket", "h2c"]),
    ("Connection", ["upgrade", "keep-alive, close"]),
    ("X-Http-Method-Override", ["DELETE"]),
    ("Forwarded", ["for=\xff", 'host="' + "a" * 2_000 + '"']),
]
_METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "get", "PROPFIND"]


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it goes over the wire."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def wire(self, address: str, more: Mapping[str, str]) -> bytes:
        """Return its bytes."""
        own = {name.lower() for name, _ in self.headers}
        lines = [f"{self.method} {self.target} HTTP/1.1"]
        if "host" not in own:
            lines.append(f"Host: {urlsplit(address).netloc}")
        if "connection" not in own:
            lines.append("Connection: close")
        beside = [(name, value) for name, value in more.items() if name.lower() not in own]
        lines += [f"{name}: {value}" for name, value in (*self.headers, *beside)]
        if "transfer-encoding" not in own and (self.body or self.method != "GET"):
            lines.append(f"Content-Length: {len(self.body)}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1", errors="replace") + self.body


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; `body` as far as it was read, which of a stream is its beginning."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def kind(self) -> str:
        """The media type."""
        return self.headers.get_content_type()


def drawn(random: Random, method: str, path: str, operation: dict[str, Any]) -> Request:
    """Return a request to an operation of the OpenAPI document, with what nobody should send."""
    segments = [
        random.choice([*_WORDS, *_NUMBERS, *_TIMES]) if part.startswith("{") else part
        for part in path.split("/")
    ]
    if random.random() < 0.6:  # mostly there is such a thread
        segments = [
            "support-42" if part == "{thread_id}" else segment
            for part, segment in zip(path.split("/"), segments, strict=True)
        ]
    names = [
        parameter["name"]
        for parameter in operation.get("parameters", [])
        if parameter["in"] == "query"
    ]
    query = [
        f"{name}={random.choice([*_WORDS, *_NUMBERS, *_TIMES, *_CURSORS])}"
        for name in random.choices([*names, "nope", "%00"], k=random.randrange(4))
        if name not in {"wait", "speed"}  # they may be waited for as long as was asked
    ]
    headers = [
        (name, random.choice(values))
        for name, values in random.sample(_HEADERS, k=random.choice([0, 0, 1, 2]))
    ]
    body = b""
    if method != "GET" or random.random() < 0.05:
        body = _body(random)
        headers.append(("Content-Type", random.choice([_TYPES[0], *_TYPES])))
    if random.random() < 0.05:
        method = random.choice(_METHODS)
    target = "/".join(segments) + ("?" + "&".join(query) if query else "")
    return Request(method, target, tuple(headers), body)


def _body(random: Random) -> bytes:
    if random.random() < 0.4:
        return random.choice(_BODIES)
    value = random.choice(_GOOD)
    for _ in range(random.randrange(3)):
        value = spoiled_value(random, value) if isinstance(value, list | dict) else value
    return json.dumps(value).encode()


def ask(address: str, request: Request, *, more: Mapping[str, str]) -> Answer | None:
    """Send a request, with headers beside its own, and return what comes back.

    None where the server just closes.

    Raises:
        TimeoutError: nothing came, which is a hang.
    """
    parts = urlsplit(address)
    assert parts.hostname is not None
    with socket.create_connection((parts.hostname, parts.port or 80), WAIT_SECONDS) as connection:
        # it may refuse before all of it was sent: what it said is there to be read
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(request.wire(address, more))
        answer = http.client.HTTPResponse(connection, method=request.method.upper())
        try:
            answer.begin()
            streams = answer.headers.get_content_type() == "text/event-stream"
            body = b"" if streams else answer.read(_MOST_BYTES)
        except (ConnectionResetError, http.client.RemoteDisconnected):
            return None
        return Answer(answer.status, answer.headers, body)
