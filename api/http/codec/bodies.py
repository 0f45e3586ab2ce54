"""Bodies of requests: read within limits, as messages, and appended without blocking the loop."""

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from agentlog.api.http.codec.parameters import header_of
from agentlog.api.http.request.errors import BodyTooLarge
from agentlog.api.http.request.limits import RequestLimits
from agentlog.domain.catalogue import Refuse, validate
from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.fields import Model
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.infrastructure.appending.append_request import (
    Appended,
    AppendRequest,
    Outcomes,
    appended_in,
)
from agentlog.infrastructure.threads import Threads

M = TypeVar("M", bound=Model)

SMALL_BODY = 64 * 2**10
_ESCAPED = re.compile(rb"\\u00[0-7]")


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


def read_body(
    body: bytes,
    limits: RequestLimits,
    model: type[M],
    refuse: Refuse | None = None,
) -> M:
    """Return what a body says; raises as `domain.catalogue.validate` does."""
    return validate(model, object_in(body, limits, refuse), refuse)


def object_in(body: bytes, limits: RequestLimits, refuse: Refuse | None = None) -> JsonObject:
    """Return a body that is a JSON object, or empty; raises what `refuse` makes of another."""
    value = limits.json_in(body) if body.strip() else {}
    if not isinstance(value, dict):
        raise (refuse or InvalidMessage.at)("", "send a JSON object")
    return value


def fields_in(body: bytes, limits: RequestLimits, *known: str) -> JsonObject:
    """Return the fields of a body that is a JSON object, or empty; raises `InvalidMessage`."""
    value = object_in(body, limits)
    flaws = [
        Flaw(key, f"no such field: use {', '.join(known)}") for key in value if key not in known
    ]
    if flaws:
        raise InvalidMessage(flaws)
    return dict(value)


def drafts_in(
    body: bytes, limits: RequestLimits, *, marks: Sequence[str] = ("type",)
) -> list[JsonValue]:
    """Return the messages of a body: one message, a list, or `{"messages": […]}`.

    One message has one of the fields `marks`.
    """
    given = limits.json_in(body)
    if isinstance(given, dict):
        if len(given) == 1 and "messages" in given:
            given = given["messages"]
        elif any(mark in given for mark in marks):
            return [given]
    if isinstance(given, list):
        return limits.batch(given)
    raise InvalidMessage.at(
        "",
        f'send one message with its "{marks[0]}", a list of messages, or {{"messages": […]}}',
    )


async def append(
    threads: Threads, body: bytes, read: Callable[[bytes], AppendRequest], *, is_light: bool = True
) -> Appended:
    """Append and return the outcome; `read` makes the request from the body.

    A small body is read in the event loop, which takes less time than a thread switch; a large one,
    or one that is not light to read, is read in a thread, so that it does not block the loop.

    Raises:
        AgentlogError: the append is refused.
    """
    loop = asyncio.get_running_loop()
    settling: asyncio.Future[Outcomes] = loop.create_future()

    def deliver(outcomes: Outcomes) -> None:
        loop.call_soon_threadsafe(_settle, settling, outcomes)

    if is_light and is_small(body) and threads.is_quick:
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


Body = Annotated[bytes, Depends(body_of)]
