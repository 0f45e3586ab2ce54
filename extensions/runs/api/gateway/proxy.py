"""The proxy: passes requests on to their provider, byte by byte, and keeps what went through."""

import asyncio
import os
import signal
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Protocol

import httpx2
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agentlog.api.http.middleware.incoming import Incoming
from agentlog.api.http.relay.headers import OURS, Pairs, for_upstream
from agentlog.api.http.relay.relay import relay
from agentlog.api.http.server.connection import IDLE_SECONDS, bounded_connections
from agentlog.domain.errors import AgentlogError
from agentlog.extensions.runs.api.gateway.door import (
    Body,
    BodyBroke,
    Bounds,
    Entrance,
    Place,
    begun_exchange,
    recorded_of_answer,
    refuse,
    refuse_as,
)
from agentlog.projections.exchanges.exchange import Exchange

_CONNECT_SECONDS = 30
_LOOKS, _LOOK_SECONDS = 500, 0.01


class Spool(Protocol):
    """Takes exchanges while they go on."""

    def next_attempt(self) -> int:
        """Return the number of the next attempt."""
        ...

    def begin(self, exchange: Exchange) -> None:
        """Take what an attempt begins with."""
        ...

    def end(self, exchange: Exchange) -> Path | None:
        """Take how an attempt ended; return the file that has it until the log does."""
        ...


class Proxy:
    """An ASGI application.

    `spool_of` returns the spool of a tenant. `upstreams` are the providers' origins, by the name in
    the path. Bodies within `bounds` are put on record; longer ones pass through without being held.
    """

    def __init__(
        self,
        spool_of: Callable[[str], Spool],
        upstreams: Mapping[str, str],
        door: Entrance,
        bounds: Bounds,
    ) -> None:
        self._spool_of = spool_of
        self._upstreams = upstreams
        self._door = door
        self._bounds = bounds
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
            limits=httpx2.Limits(max_connections=None),
            follow_redirects=False,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        place = await self._door.enter(scope, send)
        if place is None:
            return
        body = Body(scope, receive, self._bounds)
        if await body.hold():
            attempt = self._spool_of(place.tenant).next_attempt()
            begun = begun_exchange(scope, place, body, attempt=attempt)
            await self.forward(place, begun, scope, body, send)

    async def forward(
        self, place: Place, begun: Exchange, scope: Scope, body: Body, send: Send
    ) -> None:
        """Answer a request whose body was received, or of which the beginning is held."""
        query = scope["query_string"].decode("latin-1")
        headers = for_upstream(scope["headers"], without=OURS)
        if not body.is_whole and body.length is not None:
            headers.append((b"content-length", body.length))
        request = self._client.build_request(
            scope["method"],
            self._upstreams[place.name] + place.path + (f"?{query}" if query else ""),
            headers=headers,
            content=begun.request if body.is_whole else body.stream(),
        )
        # which lane is the thread's own may be known much later, see `Recording`
        is_named = begun.thread is not None or begun.session is not None
        waits = place.waits and (begun.known is not None or not is_named)
        attempt = _Attempt(
            self._spool_of(place.tenant), begun, send, waits=waits, most_bytes=self._bounds.kept
        )
        await attempt.run(self._client, request, body)


class _Attempt:
    """One request on its way to a provider and back."""

    def __init__(
        self, spool: Spool, begun: Exchange, send: Send, *, waits: bool, most_bytes: int
    ) -> None:
        self._spool = spool
        self._begun = begun
        self._send = send
        self._waits = waits
        self._most_bytes = most_bytes
        self._began = time.monotonic()
        self._status: int | None = None
        self._headers: Pairs = []
        self._body = bytearray()
        self._size = 0
        self._chunks: list[tuple[int, float]] = []
        self._held: Message | None = None
        """The last piece of an answer, which waits."""

    async def run(self, client: httpx2.AsyncClient, request: httpx2.Request, body: Body) -> None:
        self._spool.begin(self._begun)
        end = await relay(client, request, body.receive, self._keep, refuse=self._refuse)
        sizes = {"request": (body.is_whole, body.size), "response": (self._is_kept, self._size)}
        file = self._spool.end(
            replace(
                self._begun,
                end="client_left" if body.is_broken else end,
                duration_ms=self._elapsed_ms,
                status=self._status,
                headers=recorded_of_answer(self._headers),
                response=bytes(self._body),
                chunks=self._chunks,
                left_out={name: size for name, (is_kept, size) in sizes.items() if not is_kept},
            )
        )
        if end == "complete" and self._waits:
            await _uploaded(file)
        if end in {"complete", "upstream_broke"} and self._held is not None:
            await self._send(self._held)
        if end == "complete":
            await self._send({"type": "http.response.body"})
        if end == "upstream_broke":
            raise _Broken  # the server closes the connection without an end in order

    @property
    def _is_kept(self) -> bool:
        return self._size <= self._most_bytes

    @property
    def _elapsed_ms(self) -> float:
        return round((time.monotonic() - self._began) * 1000, 3)

    async def _keep(self, message: Message) -> None:
        """Keep a part of the answer and pass it on."""
        part: Message | None = message
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], message["headers"]
        else:
            self._keep_piece(message["body"])
            if self._waits and not self._is_stream:
                part, self._held = self._held, message
        if part is not None:
            await self._send(part)

    def _keep_piece(self, piece: bytes) -> None:
        self._chunks.append((self._size, self._elapsed_ms))
        self._size += len(piece)
        if self._is_kept:
            self._body += piece
        else:
            self._body.clear()
            self._chunks.clear()

    @property
    def _is_stream(self) -> bool:
        """Whether clients act on parts of the answer: of others all ends with the last piece."""
        return any(
            name.lower() == b"content-type" and b"event-stream" in value
            for name, value in self._headers
        )

    async def _refuse(self, error: httpx2.HTTPError) -> None:
        if isinstance(error, BodyBroke):
            if error.refusal is not None:
                await refuse_as(self._send, error.refusal)
            return
        reason = f"agentlog: the provider cannot be reached: {type(error).__name__}"
        await refuse(self._send, 502, "api_error", reason)


async def _uploaded(file: Path | None) -> None:
    """Wait until the log has a file's exchange, but not for longer than a client is patient."""
    for _ in range(_LOOKS):
        if not _is_there(file):
            return
        await asyncio.sleep(_LOOK_SECONDS)


def _is_there(file: Path | None) -> bool:
    return file is not None and file.exists()


class _Broken(Exception):
    """The provider's answer broke off."""


_LAST_ANSWERS_SECONDS = 5


def server_of(application: ASGIApp) -> uvicorn.Server:
    """Return a server of an application, with the bounds of the service's connections."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await application(scope, receive, send)
        except AgentlogError as error:  # the rest of its body does not come, say
            await refuse_as(send, error)

    async def refuse_head(error: AgentlogError, _: Scope, __: Receive, send: Send) -> None:
        await refuse_as(send, error)

    return uvicorn.Server(
        uvicorn.Config(
            Incoming(answer, refuse_head),
            http=bounded_connections(),
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=_LAST_ANSWERS_SECONDS,
        )
    )


def serve(server: uvicorn.Server, listener: socket.socket, orders: BinaryIO) -> None:
    """Serve until the input of this process ends: its parent says so, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    asyncio.run(_serve(server, listener, orders))


async def _serve(server: uvicorn.Server, listener: socket.socket, orders: BinaryIO) -> None:
    loop = asyncio.get_running_loop()

    def parent_gone() -> None:
        if not os.read(orders.fileno(), 1):
            loop.remove_reader(orders.fileno())
            server.should_exit = True

    loop.add_reader(orders.fileno(), parent_gone)
    await server.serve(sockets=[listener])
