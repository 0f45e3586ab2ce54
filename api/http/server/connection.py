"""HTTP connection with a strict parser, header-size limits and timeouts, around uvicorn's.

uvicorn receives one request at a time, normalised by `request_framing`, so its parser has no
ambiguity to resolve. A refused request is replaced by one that the application answers with the
reason (`incoming.Incoming`).
"""

import asyncio
import contextvars
from typing import Any

from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from agentlog.api.http.middleware.incoming import CONNECTION, IncomingRequest
from agentlog.api.http.request.errors import HeadersStalled, RefusedRequest
from agentlog.api.http.server.request_framing import LAST_CHUNK, End, RequestFraming
from agentlog.api.http.server.request_heads import RequestHead

_REFUSED = b"GET /refused HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
"""Replaces a request without a valid head."""

_MOST_HELD = 64 * 2**10
"""Bytes of later requests to hold while one is answered, before reading is paused."""

_MAX_HEADER_BYTES = 64 * 2**10
"""Most bytes of a request's first line and headers together."""

_CLIENT_SECONDS = 30.0
"""Timeout of a request's headers, and of each piece of its body."""

IDLE_SECONDS = 75
"""Seconds that a connection may stay idle between requests, as nginx has it.

Longer than clients (httpx: 5 s) and proxies (60 s) keep theirs. Else a request may be sent into a
connection that is just being closed, and its sender cannot know whether it was answered.
"""


class Connection(asyncio.Protocol):
    """A connection that ends where a request is malformed, too large or too slow.

    `client_seconds`: timeout for all headers together, for each piece of a body, and for the rest
    of a body after the response. Between requests uvicorn's timeout applies (`IDLE_SECONDS`).
    """

    def __init__(
        self,
        *,
        max_header_bytes: int,
        client_seconds: float,
        app_state: dict[str, Any],
        **given: Any,  # noqa: ANN401 - what uvicorn makes its connections of
    ) -> None:
        self.client_seconds = client_seconds
        self.request: IncomingRequest | None = None
        """The request being received or answered."""
        self.is_lost = False
        self._framing = RequestFraming(max_header_bytes=max_header_bytes)
        self._server = HttpToolsProtocol(app_state={**app_state, CONNECTION: self}, **given)
        self._loop = asyncio.get_running_loop()
        self._context = contextvars.copy_context()
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._is_paused = False

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as it is called
        """Wait for the first request."""
        self._transport = transport
        self._server.connection_made(transport)
        self._wait()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout."""
        self.is_lost = True
        self._transport = None
        self._framing.end()
        self._wait_no_more()
        self._server.connection_lost(exc)
        del self._server  # its scopes refer to this connection

    @override
    def pause_writing(self) -> None:
        """Pause uvicorn's writes."""
        self._server.pause_writing()

    @override
    def resume_writing(self) -> None:
        """Resume uvicorn's writes."""
        self._server.resume_writing()

    @override
    def data_received(self, data: bytes) -> None:
        """Forward bytes of the current request, or start the next one."""
        self._framing.receive(data)
        self._pass_on()
        is_answering = self.request is not None and self.request.is_whole
        if is_answering and self._framing.held > _MOST_HELD and self._transport is not None:
            self._is_paused = True
            self._transport.pause_reading()

    def answered(self, request: IncomingRequest) -> None:
        """Continue with the next request, once the rest of this one was received."""
        request.is_answered = True
        if self._framing.has_ended:
            self.close()
        elif not request.is_whole:
            self._wait()
        else:
            self.request = None
            if self._framing.held:
                self._loop.call_soon(self._pass_on, context=self._context)

    def close(self) -> None:
        """Close the connection after pending writes are sent."""
        if self._transport is not None:
            self._transport.close()

    def _pass_on(self) -> None:
        """Forward received bytes to uvicorn, up to the end of one request."""
        if self._transport is None or self._transport.is_closing():
            return
        passed: list[bytes] = []
        try:
            self._take_events(passed)
        except RefusedRequest as refusal:
            passed.append(self._refuse(refusal.with_traceback(None)))
        if self._is_paused and self._framing.held <= _MOST_HELD:  # first, as uvicorn may pause it
            self._is_paused = False
            self._transport.resume_reading()
        if passed:
            self._server.data_received(b"".join(passed))
        elif self.request is None and self._framing.has_begun and self._timer is None:
            self._wait()
            self._server.data_received(b"")  # this ends uvicorn's keep-alive timeout

    def _take_events(self, passed: list[bytes]) -> None:
        """Add the bytes to forward; raises `RefusedRequest`."""
        while self.request is None or not self.request.is_whole:
            event = self._framing.next_event()
            match event:
                case None:
                    return
                case RequestHead():
                    self._wait_no_more()
                    self.request = IncomingRequest()
                    passed.append(event.data)
                case bytes():
                    passed.append(event)
                case End.END:
                    self._complete()

    def _complete(self) -> None:
        request = self.request
        if request is not None:
            request.is_whole = True
            if request.is_answered:
                self._wait_no_more()
                self._wait()
                self.request = None

    def _refuse(self, refusal: RefusedRequest) -> bytes:
        """Return a request that makes the application answer with the reason."""
        self._wait_no_more()
        request = self.request
        if request is None:
            self.request = IncomingRequest(is_whole=True, head_refusal=refusal)
            return _REFUSED
        request.is_whole = True
        if request.is_answered:
            self.close()
            return b""
        request.body_refusal = refusal
        return LAST_CHUNK

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(self.client_seconds, self._give_up)

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        """Close the connection; a client that began a request gets the reason."""
        self._timer = None
        if self.request is not None or not self._framing.has_begun:
            self.close()
        else:
            self._framing.end()
            self._server.data_received(self._refuse(HeadersStalled(self.client_seconds)))


def bounded_connections(
    *, max_header_bytes: int = _MAX_HEADER_BYTES, client_seconds: float = _CLIENT_SECONDS
) -> type[asyncio.Protocol]:
    """Return the connection class for uvicorn."""

    class Bounded(Connection):
        def __init__(self, **given: Any) -> None:  # noqa: ANN401 - uvicorn's own
            super().__init__(
                max_header_bytes=max_header_bytes, client_seconds=client_seconds, **given
            )

    return Bounded
