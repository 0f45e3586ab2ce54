"""Routes that need a model: passed on to a gateway, which asks the provider and records it.

The gateway gets the client's key of the provider, and ours beside it. What continues a thread goes
with the thread's items before its own; all else goes as it came.
"""

import httpx2
from fastapi import Request, Response
from starlette.concurrency import run_in_threadpool
from starlette.types import Message, Receive, Scope, Send
from typing_extensions import override

from agentlog.api.http.codec.bodies import body_of
from agentlog.api.http.codec.caller import TheLimits, principal_of, tenant_of
from agentlog.api.http.codec.responses import Headers, error_answer
from agentlog.api.http.middleware.credentials import Credentials
from agentlog.api.http.middleware.incoming import CONNECTION, Receiving
from agentlog.api.http.relay.gateway import Gateway
from agentlog.api.http.relay.headers import KEY, KNOWN, OURS, THREAD, WAIT, Pairs, for_upstream
from agentlog.api.http.relay.relay import left, relay
from agentlog.api.http.request.errors import GatewayUnreachable
from agentlog.api.http.request.limits import RequestLimits
from agentlog.api.http.routing import Router
from agentlog.domain.access import NotAllowed
from agentlog.extensions.facades.errors import NeedsModel
from agentlog.extensions.facades.openai.continuation import (
    Continuation,
    continuation_of,
    names_thread,
)
from agentlog.extensions.facades.openai.pages import PREFIX

router = Router(prefix=PREFIX, in_document=False)

_CHAT = "/chat/completions"
_OF_BROWSERS = frozenset({b"origin", b"forwarded", b"x-forwarded-for", b"x-forwarded-host"})
"""Headers that have been checked here; the gateway has another address."""


@router.add(f"POST {_CHAT}", "append")
@router.add("POST /responses", "append")
@router.add("POST /responses/compact", "append")
@router.add("POST /responses/input_tokens", "append")
async def create(request: Request, limits: TheLimits) -> Response:
    """Have a model answer."""
    gateway: Gateway | None = request.app.state.gateway
    if gateway is None:
        raise NeedsModel
    body = await body_of(request)
    path = request.url.path.removeprefix(PREFIX)
    continuation = None
    if path != _CHAT:
        continuation = await run_in_threadpool(_continuation, request, body, limits)
    if continuation is not None:
        body = continuation.body
    query = f"?{request.url.query}" if request.url.query else ""
    sent = _for_gateway(request.scope["headers"], continuation)
    return _Relayed(gateway.client, gateway.request(path + query, sent, body))


def _continuation(request: Request, body: bytes, limits: RequestLimits) -> Continuation | None:
    fields = limits.json_in(body)
    if not isinstance(fields, dict) or not names_thread(fields):
        return None
    if not principal_of(request).may("read"):
        raise NotAllowed("read")
    return continuation_of(tenant_of(request), fields)


def _for_gateway(given: Headers, continuation: Continuation | None) -> Pairs:
    """Return the headers of a request to the gateway: no key of ours is for the provider."""
    credentials = Credentials.in_headers({"headers": given})
    own = [(WAIT, b"log")]
    if credentials.bearer is not None and credentials.claims_key:
        own.append((KEY, credentials.bearer.encode("latin-1")))
    without = {*OURS, *_OF_BROWSERS}
    if continuation is None:
        without.remove(THREAD)
    elif continuation.thread_id is not None:
        own += [(THREAD, continuation.thread_id.encode()), (KNOWN, b"%d" % continuation.known)]
    passing = [pair for pair in given if not Credentials.in_headers({"headers": [pair]}).claims_key]
    return [*for_upstream(passing, without=without), *own]


class _Relayed(Response):
    """What the gateway answers, as it comes."""

    def __init__(self, client: httpx2.AsyncClient, request: httpx2.Request) -> None:
        self.status_code = 200
        self.background = None
        self._client = client
        self._request = request

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def undated(message: Message) -> None:
            """Pass a message on; the date of an answer is the server's."""
            if message["type"] == "http.response.start":
                headers: Pairs = message["headers"]
                message["headers"] = [pair for pair in headers if pair[0].lower() != b"date"]
            await send(message)

        async def refuse(error: httpx2.HTTPError) -> None:
            refusal = GatewayUnreachable(type(error).__name__)
            await error_answer(refusal, scope)(scope, receive, send)

        outcome = await relay(self._client, self._request, receive, undated, refuse=refuse)
        if outcome == "complete":
            await send({"type": "http.response.body", "body": b""})
        elif outcome == "upstream_broke":
            connection: Receiving = scope["state"][CONNECTION]
            connection.close()  # without an end in order
            await left(receive)
