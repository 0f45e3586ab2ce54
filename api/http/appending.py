"""Appends over HTTP: they wait for the writer without holding a thread."""

import asyncio
import logging
import re
from collections import deque
from collections.abc import Callable
from functools import partial
from weakref import WeakKeyDictionary

from starlette.concurrency import run_in_threadpool

from domain.errors import AgentlogError
from infrastructure.requests import Appended, AppendRequest, Outcomes
from infrastructure.store import Store
from infrastructure.writer import Writer

logger = logging.getLogger("agentlog")

SMALL_BODY = 64 * 2**10
_ESCAPED = re.compile(rb"\\u00[0-7]")

Settle = Callable[[Outcomes], None]
"""Takes what came of an append, in the event loop's thread."""


class Exchange:
    """What one event loop asks of the writer's thread, and what it is told.

    Either way all that there is goes in one go: to wake the other side takes a system call, and
    from then on both want the interpreter.
    """

    def __init__(self) -> None:
        self._asked: list[tuple[Writer, AppendRequest, Settle]] = []
        self._told: deque[tuple[Settle, Outcomes, float]] = deque()
        self._waking = False

    def ask(self, writer: Writer, request: AppendRequest, settle: Settle) -> None:
        """Have an append written, together with all others that this round of the loop brings."""
        if not self._asked:
            loop = asyncio.get_running_loop()
            loop.call_soon(self._hand_in, loop)
        self._asked.append((writer, request, settle))

    def _hand_in(self, loop: asyncio.AbstractEventLoop) -> None:
        asked, self._asked = self._asked, []
        for writer, request, settle in asked:
            try:
                writer.hand_in([request], partial(self.tell, loop, settle))
            except Exception as error:  # noqa: BLE001 - it is given to who asked
                settle(error)
        for writer in {each[0] for each in asked}:
            writer.wake()

    def tell(
        self,
        loop: asyncio.AbstractEventLoop,
        settle: Settle,
        outcomes: Outcomes,
        seconds: float,
    ) -> None:
        """Have an append settled after so many seconds; to be called in any thread."""
        self._told.append((settle, outcomes, seconds))
        if not self._waking:
            self._waking = True  # before the loop may take it back
            loop.call_soon_threadsafe(self._settle_all, loop)

    def _settle_all(self, loop: asyncio.AbstractEventLoop) -> None:
        self._waking = False  # what comes from now on may be too late for this round
        while self._told:
            settle, outcomes, seconds = self._told.popleft()
            if seconds > 0:
                loop.call_later(seconds, settle, outcomes)
                continue
            try:
                settle(outcomes)
            except Exception:  # the others are still to be told
                logger.exception("what came of an append could not be told")


_EXCHANGES: WeakKeyDictionary[asyncio.AbstractEventLoop, Exchange] = WeakKeyDictionary()


def exchange() -> Exchange:
    """Return what all appends of the running event loop go through."""
    loop = asyncio.get_running_loop()
    found = _EXCHANGES.get(loop)
    if found is None:
        found = _EXCHANGES[loop] = Exchange()
    return found


async def append(store: Store, body: bytes, read: Callable[[bytes], AppendRequest]) -> Appended:
    """Return what an append came to; `read` makes the request out of the body.

    Reading and checking a small body takes less time than another thread would; a large one must
    not hold up everybody else.

    Raises:
        AgentlogError: what refuses it.
    """
    loop = asyncio.get_running_loop()
    settling: asyncio.Future[Outcomes] = loop.create_future()
    settle = partial(_settle, settling)
    if is_small(body):
        exchange().ask(store.writer, read(body), settle)
    else:
        deliver = partial(exchange().tell, loop, settle)
        await run_in_threadpool(lambda: store.submit([read(body)], deliver))
    return appended_in(await settling)


def appended_in(outcomes: Outcomes) -> Appended:
    """Return what one append came to; raises what refuses it."""
    if isinstance(outcomes, BaseException):
        raise outcomes
    (outcome,) = outcomes
    if isinstance(outcome, AgentlogError):
        raise outcome
    return outcome


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
