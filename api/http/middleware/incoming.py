"""Requests as they come in: refused where they were malformed, and bodies that break off are told.

The connection says so by itself in the state of the scope, which no client can write to. Where
there is no such connection, as in tests within the process, requests are passed on as they are.
"""

import asyncio
import time
from dataclasses import dataclass
from typing import Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.codec.problems import headers_of, problem_of
from api.http.codec.responses import problem_answer
from api.http.middleware.request_metrics import NO_ROUTE, Traffic
from api.http.request.errors import BodyStalled, RefusedRequest

CONNECTION = "agentlog.connection"
"""The key of a scope's state under which stands its connection, a `Receiving`."""


@dataclass(slots=True)
class IncomingRequest:
    """How far a request has come.

    `is_whole`: nothing of it is awaited any more. `is_answered`: the application is done with it.
    `head_refusal`: it is none. `body_refusal`: why its body breaks off where it does.
    """

    is_whole: bool = False
    is_answered: bool = False
    head_refusal: RefusedRequest | None = None
    body_refusal: RefusedRequest | None = None

    def taken_refusal(self) -> RefusedRequest:
        """Return why the body breaks off, and keep no reference to the error."""
        found, self.body_refusal = self.body_refusal, None
        return RefusedRequest() if found is None else found


class Receiving(Protocol):
    """A connection that has one request at a time.

    `client_seconds`: how long each piece of a body may take.
    """

    client_seconds: float
    request: IncomingRequest | None

    def answered(self, request: IncomingRequest) -> None:
        """Learn that the application is done with a request."""

    def close(self) -> None:
        """End the connection."""


class Incoming:
    """An application whose requests are well-formed, with bodies that go on or fail."""

    def __init__(self, app: ASGIApp, traffic: Traffic) -> None:
        self._app = app
        self._traffic = traffic

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        connection: Receiving | None = scope.get("state", {}).get(CONNECTION)
        request = None if connection is None else connection.request
        if connection is None or request is None:
            await self._app(scope, receive, send)
            return
        try:
            if request.head_refusal is not None:
                await self._refuse(request.head_refusal, scope, receive, send)
            elif request.is_whole and request.body_refusal is None:
                await self._app(scope, receive, send)
            else:
                body = _Body(connection, request, receive, send)
                await self._app(scope, body.receive, body.send)
        finally:
            connection.answered(request)

    async def _refuse(
        self, refusal: RefusedRequest, scope: Scope, receive: Receive, send: Send
    ) -> None:
        scope["method"] = "?"  # the one that stands there is the connection's
        answer = problem_answer(problem_of(refusal), headers=headers_of(refusal))
        self._traffic.count(scope, NO_ROUTE, answer.status_code, began=time.perf_counter())
        await answer(scope, receive, send)


class _Body:
    """What an application receives of one request, and sends."""

    def __init__(
        self, connection: Receiving, request: IncomingRequest, receive: Receive, send: Send
    ) -> None:
        self._connection = connection
        self._request = request
        self._receive = receive
        self._send = send
        self._is_answering = False
        self._has_ended = False

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        self._is_answering = True
        await self._send(message)

    async def receive(self) -> Message:
        """Return a part of the request.

        Once an answer has begun, nothing can be said of a body that breaks off: the connection
        ends. Until then pieces of it have their time.

        Raises:
            RefusedRequest: why the body breaks off.
        """
        if not self._has_ended:
            message = await self._next()
            self._has_ended = not message.get("more_body", False)
            if self._request.body_refusal is None or not self._has_ended:
                return message
            if message.get("body"):
                return {**message, "more_body": True}
        if self._request.body_refusal is None:
            return await self._receive()
        if not self._is_answering:
            raise self._request.taken_refusal()
        self._connection.close()
        return await self._receive()  # the disconnect

    async def _next(self) -> Message:
        if self._is_answering or self._request.is_whole:
            return await self._receive()
        seconds = self._connection.client_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._receive()
        except TimeoutError:
            raise BodyStalled(seconds) from None
