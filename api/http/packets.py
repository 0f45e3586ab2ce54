"""An answer's headers and its body in one packet, where both are there at once.

uvicorn writes them one after the other: two system calls for each answer, and two packets, of which
the client reads the first in vain. It also looks at every character of every header each time.
"""

from asyncio import get_running_loop
from collections.abc import Sequence
from functools import lru_cache

from starlette.types import Message
from uvicorn.protocols.http.httptools_impl import (
    HEADER_RE,
    HEADER_VALUE_RE,
    STATUS_LINE,
    RequestResponseCycle,
)

from api.http.security_headers import DATA_HEADERS, NO_STORE, Headers

_SMALL = 64 * 2**10
"""Beyond it a copy costs more than a packet."""

_UNUSUAL = frozenset({b"connection", b"transfer-encoding"})
_CLOSE = b"connection: close\r\n"


@lru_cache(maxsize=256)
def _beginning(name: bytes) -> bytes:
    if HEADER_RE.search(name):
        raise ValueError(f"this is no header: {name!r}")
    return name.lower() + b": "


def _line(name: bytes, value: bytes) -> bytes:
    if HEADER_VALUE_RE.search(value):
        raise ValueError(f"this is no header: {name!r}: {value!r}")
    return _beginning(name) + value + b"\r\n"


_USUAL = {header: _line(*header) for header in (*DATA_HEADERS, NO_STORE)}
"""Lines of what nearly every answer has."""

_USUAL_LINES = b"".join(_USUAL.values())


class Packets:
    """Sends one answer: headers that say how long its body is wait for that.

    They wait until the event loop is at it again, and no longer: they leave although there is no
    body yet. What has no such headers goes uvicorn's way. A whole answer may come in one message:
    the two together take longer to pass through all layers than to write.
    """

    __slots__ = ("_cycle", "_head")

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle
        self._head = b""

    async def send(self, message: Message) -> None:
        """Send a part of the answer, or all of it."""
        await self.send_rest(self.write(message))

    async def send_rest(self, messages: Sequence[Message]) -> None:
        """Send what `write` has left."""
        for each in messages:
            await self._cycle.send(each)  # type: ignore[arg-type] # as ASGI has it

    def write(self, message: Message) -> Sequence[Message]:
        """Write what need not wait for the client; return what has to go uvicorn's way."""
        cycle = self._cycle
        started = cycle.response_started
        if self._take(message):
            return ()
        self._flush()
        rest = [message] if started or not cycle.response_started else []
        if not started and "body" in message:
            rest.append({"type": "http.response.body", "body": message["body"]})
        return rest

    def write_usual(self, status: int, own: Headers, request_id: bytes, body: bytes) -> bool:
        """Write an answer with usual headers and its `own`, which are no strangers'.

        False, and nothing is written, where that has to wait or the connection ends.
        """
        cycle = self._cycle
        if self._is_gone() or cycle.flow.write_paused or not cycle.keep_alive:
            return False
        if len(body) > _SMALL:
            return False
        lines = [STATUS_LINE[status]]
        lines += [_line(*header) for header in cycle.default_headers]
        lines += [b"%b: %b\r\n" % header for header in own]
        lines += [_USUAL_LINES, b"x-request-id: ", request_id, b"\r\n\r\n", body]
        cycle.transport.write(b"".join(lines))
        cycle.response_started = True
        self._done()
        return True

    def _take(self, message: Message) -> bool:
        """Return whether this part is taken care of at once; else it goes uvicorn's way."""
        cycle = self._cycle
        if self._is_gone() or cycle.flow.write_paused:
            return False
        if cycle.response_started:
            return bool(self._head) and self._finish(message)
        if not self._hold(message):
            return False
        if "body" in message:
            return self._finish(message)
        get_running_loop().call_soon(self._flush)
        return True

    def _is_gone(self) -> bool:
        cycle = self._cycle
        if cycle.transport.is_closing():  # uvicorn tells the latest request alone
            cycle.disconnected = True
        return cycle.disconnected

    def _hold(self, message: Message) -> bool:
        cycle = self._cycle
        length = None
        lines = [STATUS_LINE[message["status"]]]
        for header in (*cycle.default_headers, *message.get("headers", ())):
            line = _USUAL.get(header)
            if line is None:
                name, value = header
                if name in _UNUSUAL:
                    return False
                if name == b"content-length":
                    length = int(value)
                line = _line(name, value)
            lines.append(line)
        if length is None or cycle.scope["method"] == "HEAD":
            return False
        if not cycle.keep_alive:
            lines.append(_CLOSE)
        lines.append(b"\r\n")
        self._head = b"".join(lines)
        cycle.response_started, cycle.waiting_for_100_continue = True, False
        cycle.chunked_encoding, cycle.expected_content_length = False, length
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
        cycle.expected_content_length = 0
        self._done()
        return True

    def _done(self) -> None:
        cycle = self._cycle
        cycle.response_complete = True
        cycle.message_event.set()
        if not cycle.keep_alive:
            cycle.transport.close()
        cycle.on_response()

    def _flush(self) -> None:
        head, self._head = self._head, b""
        if head and not self._cycle.transport.is_closing():
            self._cycle.transport.write(head)
