"""Refuses malformed requests and reports bodies that break off.

The connection reports both in the state of the scope, which no client can write to.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agentlog.api.http.request.errors import BodyStalled, RefusedRequest

CONNECTION = "agentlog.connection"
"""The key of the connection, a `Receiving`, in a scope's state."""


@dataclass(slots=True)
class IncomingRequest:
    """The progress of a request.

    `is_whole`: all of it was received. `is_answered`: the application has answered it.
    `head_refusal`: why its head is invalid. `body_refusal`: why its body breaks off.
    """

    is_whole: bool = False
    is_answered: bool = False
    head_refusal: RefusedRequest | None = None
    body_refusal: RefusedRequest | None = None

    def taken_refusal(self) -> RefusedRequest:
        """Return why the body breaks off, and drop the reference to the error."""
        refusal, self.body_refusal = self.body_refusal, None
        return RefusedRequest() if refusal is None else refusal


class Receiving(Protocol):
    """A connection with one request at a time.

    `client_seconds`: seconds that each piece of a body may take.
    """

    client_seconds: float
    request: IncomingRequest | None
    is_lost: bool
    """Whether the client has left."""

    def answered(self, request: IncomingRequest) -> None:
        """Note that the application has answered a request."""

    def close(self) -> None:
        """End the connection."""


Refuse = Callable[[RefusedRequest, Scope, Receive, Send], Awaitable[None]]
"""Answers a request with the reason why it is refused."""


class Incoming:
    """An application with well-formed requests, whose bodies continue or fail."""

    def __init__(self, app: ASGIApp, refuse: Refuse) -> None:
        self._app = app
        self._refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, or refuse it."""
        connection: Receiving = scope["state"][CONNECTION]
        request = connection.request
        if request is None:
            await self._app(scope, receive, send)
            return
        try:
            if request.head_refusal is not None:
                scope["method"] = "?"  # it has the method of the connection's replacement
                await self._refuse(request.head_refusal, scope, receive, send)
            elif request.is_whole and request.body_refusal is None:
                await self._app(scope, receive, send)
            else:
                body = _Body(connection, request, receive, send)
                await self._app(scope, body.receive, body.send)
        finally:
            connection.answered(request)


class _Body:
    """The body of one request as the application receives it, and its response."""

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
        """Send a part of the response."""
        self._is_answering = True
        await self._send(message)

    async def receive(self) -> Message:
        """Return a part of the request.

        Once a response has begun, a body that breaks off cannot be reported: the connection ends.
        Until then each piece has a timeout.

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
        return await self._receive()  # returns the disconnect

    async def _next(self) -> Message:
        if self._is_answering or self._request.is_whole:
            return await self._receive()
        seconds = self._connection.client_seconds
        try:
            async with asyncio.timeout(seconds):
                return await self._receive()
        except TimeoutError:
            raise BodyStalled(seconds) from None
