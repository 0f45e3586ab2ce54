"""Appends over HTTP: they wait for the writer without holding a thread."""

import asyncio
import re
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool

from infrastructure.appending.append_request import Appended, AppendRequest, Outcomes, appended_in
from infrastructure.views.store import Store

SMALL_BODY = 64 * 2**10
_ESCAPED = re.compile(rb"\\u00[0-7]")


async def append(store: Store, body: bytes, read: Callable[[bytes], AppendRequest]) -> Appended:
    """Return what an append came to; `read` makes the request out of the body.

    Reading and checking a small body takes less time than another thread would; a large one must
    not hold up everybody else.

    Raises:
        AgentlogError: what refuses it.
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
    """Tell whether to read a body takes less time than another thread would, and no database."""
    return len(body) <= SMALL_BODY and not may_name_file(body)


def may_name_file(body: bytes) -> bool:
    """Tell whether a body may name a file, which has to be read first; its key may be escaped."""
    # each plain search takes a tenth of one for both
    return b'"sha256"' in body or (b"\\u00" in body and _ESCAPED.search(body) is not None)


def _settle(settling: asyncio.Future[Outcomes], outcomes: Outcomes) -> None:
    if not settling.done():  # the client may have gone
        settling.set_result(outcomes)
