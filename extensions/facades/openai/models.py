"""Routes that need a model: passed on to a gateway, which asks the provider and records it.

The gateway gets the client's key of the provider, and ours beside it. What continues a thread goes
with the thread's items before its own; all else goes as it came.
"""

from collections.abc import Mapping
from typing import NamedTuple

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
from agentlog.api.http.request.scope import note_read
from agentlog.api.http.routing import Router
from agentlog.domain.access import NotAllowed
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, objects_of, text_at
from agentlog.domain.points_in_time import AtVersion, Moment
from agentlog.extensions.facades.errors import NeedsModel
from agentlog.extensions.facades.openai.answers import find, responses_of
from agentlog.extensions.facades.openai.sessions import PREFIX
from agentlog.infrastructure.tenants import Tenant
from agentlog.infrastructure.views.results import Page
from agentlog.projections.exchanges.lanes import BESIDE
from agentlog.projections.view import Item
from agentlog.projections.views.responses.view import ResponsesView

_VIEW = ResponsesView()
_NAMES = ("conversation", "previous_response_id")
_WITHOUT_ID = frozenset({"function_call", "custom_tool_call"})


class Continuation(NamedTuple):
    """A request that continues a thread: its body, and how many items of that are the thread's.

    `thread_id` is None where it goes on from an answer that has others after it: then the whole is
    a thread of its own. `origin` is the thread whose items they are.
    """

    thread_id: str | None
    known: int
    body: bytes
    origin: str


def names_thread(fields: Mapping[str, JsonValue]) -> bool:
    """Return whether a request continues a thread."""
    return any(fields.get(name) is not None for name in _NAMES)


def continuation_of(tenant: Tenant, fields: Mapping[str, JsonValue]) -> Continuation:
    """Return how a request continues the thread that it names.

    Raises:
        NotThere: there is no such thread or answer.
        InvalidMessage: it names none, or both; or its input is none.
    """
    thread_id, goes_on, at = _place(tenant, fields)
    items: list[JsonValue] = [*_items(tenant, thread_id, at)]
    match fields.get("input"):
        case str(text):
            own: list[JsonValue] = [{"role": "user", "content": text}]
        case list(given):
            own = given
        case None:
            own = []
        case _:
            raise InvalidMessage.at("input", "neither a text nor an array of items")
    sent = {key: value for key, value in fields.items() if key not in _NAMES}
    body = print_bytes({**sent, "input": [*items, *own]})
    return Continuation(thread_id if goes_on else None, len(items), body, thread_id)


def _place(tenant: Tenant, fields: Mapping[str, JsonValue]) -> tuple[str, bool, Moment | None]:
    """Return the thread, whether the request goes on at its end, and the moment it goes on from."""
    conversation, previous = (fields.get(name) for name in _NAMES)
    match conversation, previous:
        case ((str(thread_id) | {"id": str(thread_id)}), None):
            return thread_id, True, None
        case None, str(name):
            answer = find(responses_of, tenant, name, None)
            is_last = answer.end == len(answer.all_items)
            return answer.thread_id, is_last, AtVersion(answer.last_version)
        case None, _:
            raise InvalidMessage.at("previous_response_id", "not the id of a response")
        case _, None:
            raise InvalidMessage.at("conversation", "neither an id nor an object with one")
        case _:
            raise InvalidMessage.at("conversation", "send it or previous_response_id, not both")


def _items(tenant: Tenant, thread_id: str, at: Moment | None) -> list[Item]:
    """Return a thread's items as a provider takes them that knows none; raises `NotThere`."""
    page = tenant.views.view(thread_id, _VIEW, at=at)
    prompts = {
        event.version
        for event in tenant.threads.messages(thread_id, types=["system"])
        if event.metadata and BESIDE in event.metadata
    }
    printed = page.items if isinstance(page, Page) else ()
    items = (_sent(item.item) for item in printed if item.version not in prompts)
    return [item for item in items if item is not None]


def _sent(item: Item) -> Item | None:
    """Return an item without the ids by which its provider would look for it.

    Reasoning is nothing without them, unless its text is there, encrypted.
    """
    match item:
        case {"type": "reasoning"}:
            return item if text_at(item, "encrypted_content") else None
        case {"type": str(kind)} if kind in _WITHOUT_ID:
            return {key: value for key, value in item.items() if key != "id"}
        case {"role": "assistant", "content": list(parts)}:
            match objects_of(parts):
                case [{"type": "output_text", "text": str(text)}] if len(parts) == 1:
                    phase = {"phase": item["phase"]} if item.get("phase") else {}
                    return {"role": "assistant", "content": text, **phase}
            return item
        case _:
            return item


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
    continuation = continuation_of(tenant_of(request), fields)
    note_read(request.scope, continuation.origin)
    return continuation


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
