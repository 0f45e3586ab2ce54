"""Between an event loop and writers: what it has them append, and what it is told of that."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from weakref import WeakKeyDictionary

from infrastructure.requests import AppendRequest, Outcomes
from infrastructure.writer import Writer

logger = logging.getLogger("agentlog")

Settle = Callable[[Outcomes], None]
"""Takes what came of an append, in the event loop's thread."""


class Exchange:
    """What one event loop asks of writers, and what it is told.

    Either way all that there is goes in one go: to wake another thread takes a system call, and
    from then on both want the interpreter. A writer that the loop is `driving` is asked to commit
    here, step by step; any other has a thread of its own for it.
    """

    def __init__(self) -> None:
        self._asked: list[tuple[Writer, AppendRequest, Settle]] = []
        self._told: deque[tuple[Settle, Outcomes]] = deque()
        self._waking = False
        self._driven: dict[Writer, int | None] = {}
        """Writers that this loop drives, with the socket where there is one to be waited for."""

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
                self.tell(loop, settle, error)
        for writer in {each[0] for each in asked}:
            if writer in self._driven:
                self._set_out(loop, writer)
            else:
                writer.wake()

    @contextmanager
    def driving(self, writer: Writer) -> Iterator[None]:
        """Have this loop commit what it can of what a writer is asked, while the block lasts."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            # who calls may have come upon this just before the block ended, and the loop with it:
            # what waited then has been left to the writer's own thread
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._set_out, loop, writer)

        self._driven[writer] = None
        try:
            with writer.driven(wake):
                yield
        finally:
            fileno = self._driven.pop(writer)
            if fileno is not None:
                loop.remove_reader(fileno)
                writer.leave()

    def _set_out(self, loop: asyncio.AbstractEventLoop, writer: Writer) -> None:
        """Commit what has gathered, unless somebody does already."""
        if writer in self._driven:
            self._await(loop, writer, writer.set_out())

    def _await(self, loop: asyncio.AbstractEventLoop, writer: Writer, fileno: int | None) -> None:
        if fileno is not None:
            self._driven[writer] = fileno
            loop.add_reader(fileno, self._proceed, loop, writer, fileno)

    def _proceed(self, loop: asyncio.AbstractEventLoop, writer: Writer, fileno: int) -> None:
        """Go on with what has set out: there is something of PostgreSQL's to read."""
        loop.remove_reader(fileno)  # before its connection may be closed
        self._driven[writer] = None
        self._waking = True  # who is told of it will be here, once the next has set out
        try:
            self._await(loop, writer, writer.proceed())
        finally:
            self._settle_all()

    def tell(self, loop: asyncio.AbstractEventLoop, settle: Settle, outcomes: Outcomes) -> None:
        """Have an append settled; to be called in any thread."""
        self._told.append((settle, outcomes))
        if not self._waking:
            self._waking = True  # before the loop may take it back
            loop.call_soon_threadsafe(self._settle_all)

    def _settle_all(self) -> None:
        self._waking = False  # what comes from now on may be too late for this round
        while self._told:
            settle, outcomes = self._told.popleft()
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
