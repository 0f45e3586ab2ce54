"""Appends over HTTP: they wait for the writer without holding a thread."""

import asyncio
import re
from collections import deque
from collections.abc import Callable
from functools import partial
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool

from domain.errors import AgentlogError
from infrastructure.requests import Appended, AppendRequest, Outcomes
from infrastructure.store import Store

_SMALL_BODY = 64 * 2**10
_ESCAPED = re.compile(rb"\\u00[0-7]")

_Settling = asyncio.Future[Outcomes]


class _Deliveries:
    """What came of appends, on its way from the writer's thread to one event loop.

    All that a commit settles goes in one go: to wake the loop takes a system call and a change of
    threads.
    """

    def __init__(self) -> None:
        self._delivered: deque[tuple[_Settling, Outcomes, float]] = deque()
        self._waking = False

    def put(self, settling: _Settling, outcomes: Outcomes, seconds: float) -> None:
        """Have an append settled after so many seconds; to be called in any thread."""
        self._delivered.append((settling, outcomes, seconds))
        if not self._waking:
            self._waking = True  # before the loop may take it back
            settling.get_loop().call_soon_threadsafe(self._settle_all)

    def _settle_all(self) -> None:
        self._waking = False  # what comes from now on may be too late for this round
        while self._delivered:
            settling, outcomes, seconds = self._delivered.popleft()
            if seconds > 0:
                settling.get_loop().call_later(seconds, _settle, settling, outcomes)
            else:
                _settle(settling, outcomes)


_DELIVERIES: WeakKeyDictionary[asyncio.AbstractEventLoop, _Deliveries] = WeakKeyDictionary()


async def append(store: Store, body: bytes, read: Callable[[bytes], AppendRequest]) -> Appended:
    """Return what an append came to; `read` makes the request out of the body.

    Reading and checking a small body takes less time than another thread would; a large one must
    not hold up everybody else.

    Raises:
        AgentlogError: what refuses it.
    """
    loop = asyncio.get_running_loop()
    deliveries = _DELIVERIES.get(loop)
    if deliveries is None:
        deliveries = _DELIVERIES[loop] = _Deliveries()
    settling: _Settling = loop.create_future()
    deliver = partial(deliveries.put, settling)
    if len(body) <= _SMALL_BODY and not may_name_file(body):
        store.submit([read(body)], deliver)
    else:
        await run_in_threadpool(lambda: store.submit([read(body)], deliver))
    outcomes = await settling
    if isinstance(outcomes, BaseException):
        raise outcomes
    (outcome,) = outcomes
    if isinstance(outcome, AgentlogError):
        raise outcome
    return outcome


def may_name_file(body: bytes) -> bool:
    """Tell whether a body may name a file, which has to be read first; its key may be escaped."""
    # each plain search takes a tenth of one for both
    return b'"sha256"' in body or (b"\\u00" in body and _ESCAPED.search(body) is not None)


def _settle(settling: _Settling, outcomes: Outcomes) -> None:
    if not settling.done():  # the client may have gone
        settling.set_result(outcomes)
