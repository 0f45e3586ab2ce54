"""An answer's headers and its body in one packet, where both are there at once.

uvicorn writes them one after the other: two system calls for each answer, and two packets, of which
the client reads the first in vain. It also looks at every character of every header each time.
"""

from asyncio import get_running_loop
from functools import lru_cache

from starlette.types import Message
from uvicorn.protocols.http.httptools_impl import (
    HEADER_RE,
    HEADER_VALUE_RE,
    STATUS_LINE,
    RequestResponseCycle,
)

_SMALL = 64 * 2**10
"""Beyond it a copy costs more than a packet."""

_UNUSUAL = frozenset({b"connection", b"transfer-encoding"})
_CLOSE = b"connection: close\r\n"


@lru_cache(maxsize=256)  # most of an answer's are those of the answer before
def _line(name: bytes, value: bytes) -> bytes:
    if HEADER_RE.search(name) or HEADER_VALUE_RE.search(value):
        raise ValueError(f"this is no header: {name!r}: {value!r}")
    return name.lower() + b": " + value + b"\r\n"


class Packets:
    """Sends one answer: headers that say how long its body is wait for that.

    They wait until the event loop is at it again, and no longer: they leave although there is no
    body yet. What has no such headers goes uvicorn's way.
    """

    __slots__ = ("_cycle", "_head")

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle
        self._head = b""

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        cycle = self._cycle
        if cycle.flow.write_paused or cycle.disconnected:
            self._flush()
        elif not cycle.response_started:
            if self._hold(message):
                return
        elif self._head:
            if self._finish(message):
                return
            self._flush()
        await cycle.send(message)  # type: ignore[arg-type] # as ASGI has it

    def _hold(self, message: Message) -> bool:
        cycle = self._cycle
        length = None
        lines = [STATUS_LINE[message["status"]]]
        for name, value in (*cycle.default_headers, *message.get("headers", ())):
            if name in _UNUSUAL:
                return False
            if name == b"content-length":
                length = int(value)
            lines.append(_line(name, value))
        if length is None or cycle.scope["method"] == "HEAD":
            return False
        if not cycle.keep_alive:
            lines.append(_CLOSE)
        lines.append(b"\r\n")
        self._head = b"".join(lines)
        cycle.response_started, cycle.waiting_for_100_continue = True, False
        cycle.chunked_encoding, cycle.expected_content_length = False, length
        get_running_loop().call_soon(self._flush)
        return True

    def _finish(self, message: Message) -> bool:
        cycle = self._cycle
        body = message.get("body", b"")
        if (
            message.get("more_body")
            or len(body) != cycle.expected_content_length
            or len(body) > _SMALL
        ):
            return False
        cycle.transport.write(self._head + body)
        self._head = b""
        cycle.expected_content_length, cycle.response_complete = 0, True
        cycle.message_event.set()
        if not cycle.keep_alive:
            cycle.transport.close()
        cycle.on_response()
        return True

    def _flush(self) -> None:
        head, self._head = self._head, b""
        if head and not self._cycle.transport.is_closing():
            self._cycle.transport.write(head)
