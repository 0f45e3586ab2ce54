"""Handles appends without blocking a thread while the writer works."""

import asyncio
import re
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool

from infrastructure.appending.append_request import Appended, AppendRequest, Outcomes, appended_in
from infrastructure.views.store import Store

SMALL_BODY = 64 * 2**10
_ESCAPED = re.compile(rb"\\u00[0-7]")


async def append(store: Store, body: bytes, read: Callable[[bytes], AppendRequest]) -> Appended:
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
        store.submit([read(body)], deliver)
    else:
        await run_in_threadpool(lambda: store.submit([read(body)], deliver))
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
