"""Request dependencies: strict JSON bodies, moments, versions, cursors; appends awaited.

They are coroutines because the framework would run plain functions in a thread, which costs more
than they do.
"""

import asyncio
import re
from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from agentlog.api.http.codec.responses import Headers
from agentlog.api.http.request.errors import BodyTooLarge, InvalidIfMatch
from agentlog.api.http.request.limits import RequestLimits
from agentlog.api.http.request.scope import PRINCIPAL
from agentlog.domain.access import Principal
from agentlog.domain.drafts import NO_ORIGIN, Origin
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.identifiers import MESSAGE_ID_PATTERN, THREAD_ID_PATTERN
from agentlog.domain.json.values import JsonValue
from agentlog.domain.points_in_time import Moment, number_in, number_of, parse_moment
from agentlog.domain.traces import read_traceparent
from agentlog.infrastructure.appending.append_request import (
    Appended,
    AppendRequest,
    Outcomes,
    appended_in,
)
from agentlog.infrastructure.tenants import Tenant, Tenants
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views

SMALL_BODY = 64 * 2**10
_ESCAPED = re.compile(rb"\\u00[0-7]")


def principal_of(request: Request) -> Principal:
    """Return the authenticated principal."""
    principal: Principal = request.scope[PRINCIPAL]
    return principal


def tenant_of(request: Request) -> Tenant:
    """Return the tenant of the principal."""
    tenants: Tenants = request.app.state.tenants
    return tenants[principal_of(request).tenant]


def header_of(headers: Headers, name: bytes) -> bytes | None:
    """Return the first header of that lower-case name; faster than a mapping of all headers."""
    for header, value in headers:
        if header == name:
            return value
    return None


async def threads_of(request: Request) -> Threads:
    """Return the threads of the principal's tenant."""
    return tenant_of(request).threads


async def views_of(request: Request) -> Views:
    """Return the views of the principal's tenant."""
    return tenant_of(request).views


async def body_of(request: Request) -> bytes:
    """Return the request's body; raises `BodyTooLarge` before holding more than the limit."""
    limit: int = request.app.state.max_body_bytes
    declared = header_of(request.scope["headers"], b"content-length") or b""
    if declared.isdigit() and int(declared) > limit:
        raise BodyTooLarge(limit)
    chunks, size, more = [], 0, True
    while more:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        chunk = message.get("body", b"")
        size += len(chunk)
        if size > limit:
            raise BodyTooLarge(limit)
        chunks.append(chunk)
        more = message.get("more_body", False)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def request_limits(request: Request) -> RequestLimits:
    """Return the service's limits for clients."""
    limits: RequestLimits = request.app.state.limits
    return limits


async def moment_of(
    at: Annotated[
        str | None,
        Query(
            description="As it was just after this: a version (12), a position (@345), a message "
            "id (ULID) or an RFC 3339 time with its zone.",
            examples=["12", "@345", "2026-11-21T10:00:00Z"],
        ),
    ] = None,
) -> Moment | None:
    """Return the moment that `at` names."""
    return None if at is None else parse_moment(at)


async def append_origin(request: Request) -> Origin:
    """Return the key of a request and the trace in its traceparent header."""
    return origin_in(request.scope["headers"], principal_of(request))


def origin_in(headers: Headers, principal: Principal) -> Origin:
    """Return what `append_origin` returns, for a request with these headers.

    An invalid or repeated header is ignored, as the W3C recommends.
    """
    key_id = principal.key_id
    parents = [value for name, value in headers if name == b"traceparent"]
    trace = read_traceparent(parents[0].decode("latin-1")) if len(parents) == 1 else None
    return NO_ORIGIN if key_id is None and trace is None else Origin(trace, key_id)


def expected_version_of(if_match: str | None) -> int | None:
    """Return the version in the If-Match header; `*` is any."""
    if if_match is None or if_match.strip() == "*":
        return None
    version = number_in(if_match.strip().removeprefix("W/").strip('"'))
    if version is None:
        raise InvalidIfMatch(if_match)
    return version


def number_cursor(text: str | None) -> int | None:
    """Return the version or position in a list's cursor."""
    return None if text is None else number_of(text)


def drafts_in(body: bytes, limits: RequestLimits) -> list[JsonValue]:
    """Return the messages of a body: one message, a list, or `{"messages": […]}`."""
    given = limits.json_in(body)
    if isinstance(given, dict):
        if len(given) == 1 and "messages" in given:
            given = given["messages"]
        elif "type" in given:
            return [given]
    if isinstance(given, list):
        return limits.batch(given)
    raise InvalidMessage.at(
        "", 'send one message with its "type", a list of messages, or {"messages": […]}'
    )


async def append(threads: Threads, body: bytes, read: Callable[[bytes], AppendRequest]) -> Appended:
    """Append and return the outcome; `read` makes the request from the body.

    A small body is read in the event loop, which takes less time than a thread switch; a large one
    is read in a thread, so that it does not block the loop.

    Raises:
        AgentlogError: the append is refused.
    """
    loop = asyncio.get_running_loop()
    settling: asyncio.Future[Outcomes] = loop.create_future()

    def deliver(outcomes: Outcomes) -> None:
        loop.call_soon_threadsafe(_settle, settling, outcomes)

    if is_small(body):
        threads.submit([read(body)], deliver)
    else:
        await run_in_threadpool(lambda: threads.submit([read(body)], deliver))
    return appended_in(await settling)


def is_small(body: bytes) -> bool:
    """Return whether a body is small enough to read in the event loop, and needs no database."""
    return len(body) <= SMALL_BODY and not may_name_file(body)


def may_name_file(body: bytes) -> bool:
    """Return whether a body may refer to a file, by a key that may be escaped."""
    # two plain searches are much faster than one regular expression
    return b'"sha256"' in body or (b"\\u00" in body and _ESCAPED.search(body) is not None)


def _settle(settling: asyncio.Future[Outcomes], outcomes: Outcomes) -> None:
    if not settling.done():  # the client may have disconnected
        settling.set_result(outcomes)


async def types_of(
    types: Annotated[
        list[str] | None, Query(alias="type", description="Only events of these types.")
    ] = None,
) -> list[str] | None:
    """Return the types to list, None for all."""
    return None if types is None else [without_nul(type_name) for type_name in types]


def without_nul(text: str) -> str:
    """Return text that PostgreSQL accepts: its indexes have U+FFFD for each NUL of the log."""
    return text.replace("\x00", "\ufffd")


TheThreads = Annotated[Threads, Depends(threads_of)]
TheViews = Annotated[Views, Depends(views_of)]
Hidden = Annotated[bool, Query(description="Hidden threads too.")]
TheLimits = Annotated[RequestLimits, Depends(request_limits)]
Body = Annotated[bytes, Depends(body_of)]
At = Annotated[Moment | None, Depends(moment_of)]
ThreadId = Annotated[str, Path(pattern=THREAD_ID_PATTERN, examples=["support-42"])]
MessageId = Annotated[
    str, Path(pattern=MESSAGE_ID_PATTERN, examples=["01JD8Z3Q5N7V2M4K6H8G0F1E2D"])
]
Types = Annotated[list[str] | None, Depends(types_of)]
TheOrigin = Annotated[Origin, Depends(append_origin)]
After = Annotated[str | None, Query(description="The `next` of the page before.")]
Limit = Annotated[int, Query(ge=1, le=1000)]
