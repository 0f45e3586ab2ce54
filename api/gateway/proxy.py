"""The proxy: passes requests on to their provider, byte by byte, and keeps what went through."""

import asyncio
import secrets
import time
from collections.abc import Mapping
from dataclasses import replace

import httpx2
from starlette.types import Message, Receive, Scope, Send

from agentlog.api.gateway import headers
from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.exchanges.spool import SpoolWriter
from agentlog.projections.exchanges.exchange import End, Exchange

_CONNECT_SECONDS = 30


class Proxy:
    """An ASGI application; `upstreams` are the origins of the providers, by the name in the path.

    A request's path is `/TOKEN/NAME/…`. What has another token, or comes for another host, gets
    nothing: neither a web page nor another user of the machine may spend the keys that pass.
    """

    def __init__(
        self, spool: SpoolWriter, *, token: str, host: str, upstreams: Mapping[str, str]
    ) -> None:
        self._spool = spool
        self._token = token.encode()
        self._host = host.encode()
        self._upstreams = upstreams
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(None, connect=_CONNECT_SECONDS),
            limits=httpx2.Limits(max_connections=None),
            follow_redirects=False,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        parts = scope["raw_path"].split(b"/", 3)
        name = parts[2].decode("latin-1") if len(parts) > 2 else ""  # noqa: PLR2004 - its parts
        given: headers.Pairs = scope["headers"]
        if (
            not secrets.compare_digest(parts[1], self._token)
            or dict(given).get(b"host") != self._host
            or name not in self._upstreams
        ):
            await _refuse(send, 404, "not_found_error", "there is nothing here")
        elif any(key == b"upgrade" for key, _ in given):
            await _refuse(send, 426, "invalid_request_error", "no WebSocket here: use HTTP")
        else:
            path = b"/" + (parts[3] if len(parts) > 3 else b"")  # noqa: PLR2004 - its parts
            attempt = _Attempt(self._client, self._spool, scope, receive, send)
            await attempt.run(self._upstreams[name], path.decode("latin-1"))


class _Attempt:
    """One request on its way to a provider and back."""

    def __init__(
        self,
        client: httpx2.AsyncClient,
        spool: SpoolWriter,
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

    async def run(self, upstream: str, path: str) -> None:
        given: headers.Pairs = self._scope["headers"]
        query = self._scope["query_string"].decode("latin-1")
        body = await self._request()
        if body is None:
            return
        begun = Exchange(
            attempt=self._spool.next_attempt(),
            method=self._scope["method"],
            path=headers.recorded_path(path, query),
            request=body,
            end="recorder_died",
            started_at=time.time_ns() // 1_000_000,
            request_headers=headers.recorded_of_request(given),
            session=headers.session_of(given),
            agent=headers.agent_of(given),
        )
        self._spool.begin(begun)
        url = f"{upstream}{path}" + (f"?{query}" if query else "")
        forward = asyncio.create_task(self._forward(url, given, body))
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

    async def _request(self) -> bytes | None:
        """Return the body; None where the client left before its end."""
        parts = []
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                return b"".join(parts)

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
            await _refuse(self._send, 502, "api_error", reason)
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


async def _refuse(send: Send, status: int, kind: str, message: str) -> None:
    """Answer with an error that OpenAI's and Anthropic's clients both read."""
    error = {"type": kind, "message": message, "code": None, "param": None}
    body = print_bytes({"type": "error", "error": error})
    length = (b"content-length", str(len(body)).encode())
    given = [(b"content-type", b"application/json"), length]
    await send({"type": "http.response.start", "status": status, "headers": given})
    await send({"type": "http.response.body", "body": body})
