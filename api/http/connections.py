"""Connections of clients that do not go on: with headers that never end, or with nothing at all.

The parser that uvicorn uses takes headers of any length, and uvicorn waits for them and for a body
as long as it takes. What has come whole costs nothing here.
"""

import asyncio
from http import HTTPStatus
from typing import Any, Protocol

from typing_extensions import override
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from api.http.answers import WHOLE
from api.http.packets import Packets
from api.http.problems import MEDIA_TYPE, problem
from api.http.security_headers import DATA_HEADERS
from domain.json_text import print_bytes


class Direct(Protocol):
    """Answers some requests itself, once their bodies are there."""

    def is_for(self, cycle: RequestResponseCycle) -> bool:
        """Tell whether to wait for the body of a request, which is small."""

    def take(self, cycle: RequestResponseCycle) -> bool:
        """Answer a request, now or later; False where the application has to."""


class BoundedConnection(HttpToolsProtocol):
    """A connection that is ended where a request is not there in time, or its headers are too long.

    `client_seconds`: how long the headers may take together, and each piece of a body. `direct`:
    what answers requests in the application's place, where it can.
    """

    max_header_bytes: int
    client_seconds: float
    direct: Direct | None = None

    _held: tuple[Direct, RequestResponseCycle, ASGI3Application] | None = None
    """A request that `direct` may take once all of it is there."""
    _heading = True
    """Whether what comes next belongs to a request's first line and headers."""
    _heading_bytes = 0
    _waiting: asyncio.TimerHandle | None = None
    _last_at = 0.0
    _idling: asyncio.TimerHandle | None = None
    _idle_at = 0.0

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as there
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait(self.client_seconds)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._wait_no_more()
        if self._idling is not None:
            self._idling.cancel()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        """Take in what has come, and wait for what is still missing."""
        if self._heading:
            self._heading_bytes += len(data)
        super().data_received(data)
        if self._heading and self._heading_bytes > self.max_header_bytes:
            self._refuse(
                HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
                "headers-too-large",
                f"the first line and the headers are longer than {self.max_header_bytes} bytes: "
                "send what is long in the body, or raise AGENTLOG_MAX_HEADER_BYTES",
            )
        elif not self._heading:
            self._last_at = self.loop.time()
            self._wait(self.client_seconds)
        elif self._heading_bytes:
            self._wait(self.client_seconds)

    @override
    def on_message_begin(self) -> None:
        """Offer the application to take an answer in one message."""
        super().on_message_begin()
        self.scope["extensions"] = {WHOLE: {}}

    @override
    def on_headers_complete(self) -> None:
        """Leave the request to the application."""
        self._heading, self._heading_bytes = False, 0
        self._wait_no_more()
        super().on_headers_complete()

    @override
    def on_message_complete(self) -> None:
        """Be ready for the next request; uvicorn itself sees that it does not wait for ever."""
        self._heading = True
        self._wait_no_more()
        super().on_message_complete()
        if self._held is not None:
            held, self._held = self._held, None
            self._go_on(*held)

    @override
    def on_response_complete(self) -> None:
        """Go on as uvicorn does, but for its timer: to set and cancel one for each answer costs."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        following = self.pipeline.pop() if self.pipeline else None
        if not self.pipeline:  # else what is read would pile up behind those that wait
            self.flow.resume_reading()
        if following is not None:
            self._start_asgi_task(*following)
            return
        self._idle_at = self.loop.time()
        if self._idling is None:
            self._idling = self.loop.call_later(self.timeout_keep_alive, self._end_idle)

    @override
    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Have a request answered, by the application unless that is the long way round."""
        if self.direct is None or not self.direct.is_for(cycle):
            self._hand_on(cycle, app)
        elif cycle.more_body:
            self._held = self.direct, cycle, app
        else:
            self._go_on(self.direct, cycle, app)

    def _go_on(self, direct: Direct, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        if not direct.take(cycle):
            self._hand_on(cycle, app)

    def _hand_on(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        # to call back when a task is done costs more than to see to that itself
        self.tasks.add(self.loop.create_task(self._answer(cycle, app)))

    async def _answer(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        """Answer a request, through what is ours to send by."""
        send: Any = Packets(cycle).send
        try:
            await cycle.run_asgi(lambda scope, receive, _: app(scope, receive, send))
        finally:
            task = asyncio.current_task()
            if task is not None:
                self.tasks.discard(task)

    @override
    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self._refuse(HTTPStatus.BAD_REQUEST, "not-http", msg)

    def _wait(self, seconds: float) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(seconds, self._give_up)

    def _end_idle(self) -> None:
        """Close a connection that nothing was asked on for so long, or look again later."""
        self._idling = None
        if self.transport.is_closing() or self._waiting or not self.cycle.response_complete:
            return  # what is under way ends by itself
        left = self._idle_at + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self._idling = self.loop.call_later(left, self._end_idle)
        else:
            self.transport.close()

    def _wait_no_more(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if not self._heading:
            self._give_up_body()
        elif not self._heading_bytes:  # it asked for nothing, so it is told nothing
            self.transport.close()
        else:
            self._refuse(
                HTTPStatus.REQUEST_TIMEOUT,
                "headers-stalled",
                f"the headers were not there after {self.client_seconds:g} s "
                "(AGENTLOG_CLIENT_SECONDS): send the request again",
            )

    def _give_up_body(self) -> None:
        if self.cycle.response_started:  # as in a conversation, line by line
            return
        left = self._last_at + self.client_seconds - self.loop.time()
        if left > 0 or self.flow.read_paused:
            self._wait(left if left > 0 else self.client_seconds)
            return
        self._refuse(
            HTTPStatus.REQUEST_TIMEOUT,
            "body-stalled",
            f"nothing more of the body came for {self.client_seconds:g} s "
            "(AGENTLOG_CLIENT_SECONDS): send the request again; nothing of it was kept",
        )

    def _refuse(self, status: HTTPStatus, name: str, detail: str) -> None:
        """Answer with a problem, unless another answer is due first, and end the connection."""
        self._wait_no_more()
        self._held = None
        cycle: RequestResponseCycle | None = self.cycle
        answering = self._heading and cycle is not None and not cycle.response_complete
        if not answering and not self.transport.is_closing():
            body = print_bytes(problem(status, name=name, title=status.phrase, detail=detail))
            headers = [
                *DATA_HEADERS,
                (b"cache-control", b"no-store"),
                (b"content-type", MEDIA_TYPE.encode()),
                (b"content-length", str(len(body)).encode()),
                (b"connection", b"close"),
            ]
            lines = [f"HTTP/1.1 {status.value} {status.phrase}".encode()]
            lines += [key + b": " + value for key, value in headers]
            self.transport.write(b"\r\n".join([*lines, b"", body]))
        self.transport.close()


def bounded_connections(
    *, max_header_bytes: int, client_seconds: float, direct: Direct | None = None
) -> type[HttpToolsProtocol]:
    """Return the class of connections that uvicorn is to make."""
    bounds = {
        "max_header_bytes": max_header_bytes,
        "client_seconds": client_seconds,
        "direct": direct,
    }
    return type("Connection", (BoundedConnection,), bounds)
