"""The proxy: passes requests on to their provider, byte by byte, and keeps what went through."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

import httpx2
from starlette.types import Message, Receive, Scope, Send

from agentlog.api.gateway import headers
from agentlog.api.gateway.door import Entrance, Place, begun_exchange, refuse, request_body
from agentlog.projections.exchanges.exchange import End, Exchange

_CONNECT_SECONDS = 30


class Spool(Protocol):
    """Takes exchanges while they go on."""

    def next_attempt(self) -> int:
        """Return the number of the next attempt."""
        ...

    def begin(self, exchange: Exchange) -> None:
        """Take what an attempt begins with."""
        ...

    def end(self, exchange: Exchange) -> None:
        """Take how an attempt ended."""
        ...


class Proxy:
    """An ASGI application.

    `spool_of` returns the spool of a tenant. `upstreams` are the providers' origins, by the name in
    the path.
    """

    def __init__(
        self, spool_of: Callable[[str], Spool], upstreams: Mapping[str, str], door: Entrance
    ) -> None:
        self._spool_of = spool_of
        self._upstreams = upstreams
        self._door = door
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
        body = None if place is None else await request_body(receive)
        if place is not None and body is not None:
            attempt = self._spool_of(place.tenant).next_attempt()
            begun = begun_exchange(scope, place, body, attempt=attempt)
            await self.forward(place, begun, scope, receive, send)

    async def forward(
        self, place: Place, begun: Exchange, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer a request whose body was received."""
        attempt = _Attempt(self._client, self._spool_of(place.tenant), scope, receive, send)
        await attempt.run(self._upstreams[place.name] + place.path, begun)


class _Attempt:
    """One request on its way to a provider and back."""

    def __init__(
        self,
        client: httpx2.AsyncClient,
        spool: Spool,
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        self._client = client
        self._spool = spool
        self._scope = scope
        self._receive = receive
        self._send = send
        self._began = time.monotonic()
        self._status: int | None = None
        self._headers: headers.Pairs = []
        self._body = bytearray()
        self._chunks: list[tuple[int, float]] = []

    async def run(self, url: str, begun: Exchange) -> None:
        given: headers.Pairs = self._scope["headers"]
        self._spool.begin(begun)
        query = self._scope["query_string"].decode("latin-1")
        url += f"?{query}" if query else ""
        forward = asyncio.create_task(self._forward(url, given, begun.request))
        left = asyncio.create_task(self._left())
        await asyncio.wait({forward, left}, return_when=asyncio.FIRST_COMPLETED)
        left.cancel()
        end: End = "client_left"
        if forward.done():
            end = forward.result()
        else:
            forward.cancel()
            await asyncio.wait({forward})
        self._spool.end(
            replace(
                begun,
                end=end,
                duration_ms=self._elapsed_ms,
                status=self._status,
                headers=headers.recorded_of_answer(self._headers),
                response=bytes(self._body),
                chunks=self._chunks,
            )
        )
        if end == "upstream_broke":
            raise _Broken  # the server closes the connection without an end in order

    @property
    def _elapsed_ms(self) -> float:
        return round((time.monotonic() - self._began) * 1000, 3)

    async def _left(self) -> None:
        """Wait until the client leaves."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def _forward(self, url: str, given: headers.Pairs, body: bytes) -> End:
        """Pass a request on and its answer back; return how it ended."""
        request = self._client.build_request(
            self._scope["method"], url, headers=headers.for_upstream(given), content=body
        )
        try:
            response = await self._client.send(request, stream=True)
        except httpx2.HTTPError as error:
            reason = f"agentlog: the provider cannot be reached: {type(error).__name__}"
            await refuse(self._send, 502, "api_error", reason)
            return "upstream_refused"
        try:
            self._status, self._headers = response.status_code, response.headers.raw
            await self._start()
            async for chunk in response.aiter_raw():
                self._chunks.append((len(self._body), self._elapsed_ms))
                self._body += chunk
                await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
        except httpx2.HTTPError:
            return "upstream_broke"
        finally:
            await response.aclose()
        await self._send({"type": "http.response.body"})
        return "complete"

    async def _start(self) -> None:
        message: Message = {"type": "http.response.start", "status": self._status}
        await self._send({**message, "headers": headers.for_client(self._headers)})


class _Broken(Exception):
    """The provider's answer broke off."""
