"""Splits the bytes of a connection into requests: a parser without IO that returns events.

It precedes the server's own parser, which accepts headers of any length, keeps trailers, and loses
the body after an `Upgrade`. Its output is unambiguous: heads as printed by `request_heads`, bodies
by length or in chunks of ours. It holds only bytes received since the last event, and of a head no
more than the limit.
"""

import re
from collections.abc import Callable, Generator
from enum import Enum
from typing import Literal

from agentlog.api.http.request.errors import (
    HeadersTooLarge,
    InvalidBodyFraming,
    NotHttp,
    RefusedRequest,
)
from agentlog.api.http.server.request_heads import (
    Header,
    RequestHead,
    parse_header,
    parse_request_line,
    request_head,
)

MAX_HEADERS = 128
"""Maximum number of headers and trailers of a request."""
LAST_CHUNK = b"0\r\n\r\n"

_CRLF = b"\r\n"
_MAX_CHUNK_LINE = 256
_CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,15})(?:[ \t]*;[\t -~\x80-\xff]*)?")


class End(Enum):
    """A request is complete."""

    END = "end"


Event = RequestHead | bytes | Literal[End.END]
"""A head, a piece of the body to forward, or the end."""

_Events = Generator[Event | None]
"""None: more bytes are needed."""


class RequestFraming:
    """The requests of one connection.

    `has_begun`: part of a request was received. `has_ended`: no request follows, because the last
    one said so or was refused.
    """

    def __init__(self, *, max_header_bytes: int) -> None:
        self._buffer = bytearray()
        self._events = _requests(self._buffer, max_header_bytes)
        self.has_begun = False
        self.has_ended = False

    @property
    def held(self) -> int:
        """The number of bytes not yet returned as events."""
        return len(self._buffer)

    def receive(self, data: bytes) -> None:
        """Add received bytes; dropped after the end."""
        if not self.has_ended:
            self._buffer += data

    def next_event(self) -> Event | None:
        """Return the next event, None where more bytes are needed.

        Raises:
            RefusedRequest: the request is refused; no event follows.
        """
        self.has_begun = self.has_begun or bool(self._buffer)
        try:
            event = next(self._events)
        except StopIteration:
            self.end()
            return None
        except RefusedRequest:
            self.end()
            raise
        if event is End.END:
            self.has_begun = False
        return event

    def end(self) -> None:
        """Accept no more bytes."""
        self.has_ended = True
        self._buffer.clear()
        self._events.close()


def _requests(buffer: bytearray, max_header_bytes: int) -> _Events:
    is_last = False
    while not is_last:
        lines = _HeaderLines(buffer, max_header_bytes)
        head = yield from _head(lines)
        yield head
        if head.length is None:
            yield from _chunks(buffer, lines)
        else:
            yield from _counted(buffer, head.length)
        yield End.END
        is_last = head.is_last


def _head(lines: "_HeaderLines") -> Generator[None, None, RequestHead]:
    has_skipped = False  # an empty line before the first is allowed (RFC 9112, 2.2)
    while (first := lines.next()) is None or not (first or has_skipped):
        if first is None:
            yield None
        else:
            has_skipped = True
    request_line = parse_request_line(first)
    headers = yield from _headers(lines)
    return request_head(request_line, headers)


def _headers(lines: "_HeaderLines") -> Generator[None, None, list[Header]]:
    """Return headers, or trailers, up to the empty line."""
    headers: list[Header] = []
    while (line := lines.next()) != b"":
        if line is None:
            yield None
        else:
            lines.count_header()
            headers.append(parse_header(line))
    return headers


def _counted(buffer: bytearray, length: int) -> _Events:
    while length:
        if not buffer:
            yield None
            continue
        piece = bytes(buffer[:length])
        del buffer[:length]
        length -= len(piece)
        yield piece


def _chunks(buffer: bytearray, lines: "_HeaderLines") -> _Events:
    """Yield a chunked body (RFC 9112, 7.1), without extensions and trailers."""
    while size := (yield from _chunk_size(buffer)):
        for piece in _counted(buffer, size):
            yield b"%x\r\n%b\r\n" % (len(piece), piece) if isinstance(piece, bytes) else None
        while len(buffer) < len(_CRLF):
            yield None
        if not buffer.startswith(_CRLF):
            raise _bad_chunk()
        del buffer[: len(_CRLF)]
    yield from _headers(lines)
    yield LAST_CHUNK


def _chunk_size(buffer: bytearray) -> Generator[None, None, int]:
    while (line := _line(buffer, _MAX_CHUNK_LINE, _bad_chunk)) is None:
        yield None
    match = _CHUNK_LINE.fullmatch(line)
    if match is None:
        raise _bad_chunk()
    return int(match[1], 16)


def _bad_chunk() -> RefusedRequest:
    return InvalidBodyFraming(
        "a chunk is not its size in hexadecimal, CRLF, so many bytes, CRLF; "
        f"the line of its size has at most {_MAX_CHUNK_LINE} bytes"
    )


class _HeaderLines:
    """Lines of one request's head and of its trailers, which share their limits."""

    def __init__(self, buffer: bytearray, max_bytes: int) -> None:
        self._buffer = buffer
        self._max_bytes = max_bytes
        self._bytes_left = max_bytes
        self._headers_left = MAX_HEADERS

    def next(self) -> bytes | None:
        """Return the next line, None where more bytes are needed."""
        line = _line(self._buffer, self._bytes_left, self._too_large)
        if line is not None:
            self._bytes_left -= len(line) + len(_CRLF)
        return line

    def count_header(self) -> None:
        """Count a header; raises `HeadersTooLarge`."""
        if not self._headers_left:
            raise HeadersTooLarge.by_number(MAX_HEADERS)
        self._headers_left -= 1

    def _too_large(self) -> RefusedRequest:
        return HeadersTooLarge.by_bytes(self._max_bytes)


def _line(buffer: bytearray, most: int, too_long: Callable[[], RefusedRequest]) -> bytes | None:
    """Return the next line without its end, which `most` includes; None where more is needed."""
    size = buffer.find(b"\n") + 1
    if (size or len(buffer)) > most:
        raise too_long()
    if not size:
        return None
    line = bytes(buffer[:size])
    del buffer[:size]
    if not line.endswith(_CRLF):
        raise NotHttp("a line does not end with CRLF")
    return line[:-2]
