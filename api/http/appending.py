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


class _Exchange:
    """What one event loop asks of the writer's thread, and what it is told.

    Either way all that there is goes in one go: to wake the other side takes a system call, and
    from then on both want the interpreter.
    """

    def __init__(self) -> None:
        self._asked: list[tuple[Store, AppendRequest, _Settling]] = []
        self._told: deque[tuple[_Settling, Outcomes, float]] = deque()
        self._waking = False

    def ask(self, store: Store, request: AppendRequest, settling: _Settling) -> None:
        """Have an append written, together with all others that this round of the loop brings."""
        if not self._asked:
            settling.get_loop().call_soon(self._hand_in)
        self._asked.append((store, request, settling))

    def _hand_in(self) -> None:
        asked, self._asked = self._asked, []
        for store, request, settling in asked:
            try:
                store.submit([request], partial(self.tell, settling))
            except Exception as error:  # noqa: BLE001 - it is given to who asked
                _settle(settling, error)

    def tell(self, settling: _Settling, outcomes: Outcomes, seconds: float) -> None:
        """Have an append settled after so many seconds; to be called in any thread."""
        self._told.append((settling, outcomes, seconds))
        if not self._waking:
            self._waking = True  # before the loop may take it back
            settling.get_loop().call_soon_threadsafe(self._settle_all)

    def _settle_all(self) -> None:
        self._waking = False  # what comes from now on may be too late for this round
        while self._told:
            settling, outcomes, seconds = self._told.popleft()
            if seconds > 0:
                settling.get_loop().call_later(seconds, _settle, settling, outcomes)
            else:
                _settle(settling, outcomes)


_EXCHANGES: WeakKeyDictionary[asyncio.AbstractEventLoop, _Exchange] = WeakKeyDictionary()


async def append(store: Store, body: bytes, read: Callable[[bytes], AppendRequest]) -> Appended:
    """Return what an append came to; `read` makes the request out of the body.

    Reading and checking a small body takes less time than another thread would; a large one must
    not hold up everybody else.

    Raises:
        AgentlogError: what refuses it.
    """
    loop = asyncio.get_running_loop()
    exchange = _EXCHANGES.get(loop)
    if exchange is None:
        exchange = _EXCHANGES[loop] = _Exchange()
    settling: _Settling = loop.create_future()
    if len(body) <= _SMALL_BODY and not may_name_file(body):
        exchange.ask(store, read(body), settling)
    else:
        deliver = partial(exchange.tell, settling)
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
