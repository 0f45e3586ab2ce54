"""Appends over HTTP: they wait for the writer without holding a thread."""

import asyncio
import re
from collections.abc import Callable

from starlette.concurrency import run_in_threadpool

from domain.errors import AgentlogError
from infrastructure.requests import Appended, AppendRequest
from infrastructure.store import Store
from infrastructure.writer import Outcomes

_SMALL_BODY = 64 * 2**10
NAMES_FILE = re.compile(rb'"sha256"|\\u00[0-7]')
"""Found in a body that may name a file, which has to be read first; its key may be escaped."""


async def append(store: Store, body: bytes, read: Callable[[bytes], AppendRequest]) -> Appended:
    """Return what an append came to; `read` makes the request out of the body.

    Reading and checking a small body takes less time than another thread would; a large one must
    not hold up everybody else.

    Raises:
        AgentlogError: what refuses it.
    """
    loop = asyncio.get_running_loop()
    settled: asyncio.Future[Outcomes] = loop.create_future()

    def deliver(outcomes: Outcomes, seconds: float) -> None:
        if seconds > 0:
            loop.call_soon_threadsafe(loop.call_later, seconds, _settle, settled, outcomes)
        else:
            loop.call_soon_threadsafe(_settle, settled, outcomes)

    def submit() -> None:
        store.submit([read(body)], deliver)

    if len(body) <= _SMALL_BODY and not NAMES_FILE.search(body):
        submit()
    else:
        await run_in_threadpool(submit)
    outcomes = await settled
    if isinstance(outcomes, BaseException):
        raise outcomes
    (outcome,) = outcomes
    if isinstance(outcome, AgentlogError):
        raise outcome
    return outcome


def _settle(settled: asyncio.Future[Outcomes], outcomes: Outcomes) -> None:
    if not settled.done():  # the client may have gone
        settled.set_result(outcomes)
