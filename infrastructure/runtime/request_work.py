"""What one request may read of the log: a ceiling of rows, bytes and seconds, for every route.

It is in the context of the request, which its worker threads have too. What reads the log spends of
it; where the client has left, the next read ends the work.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from agentlog.domain.errors import AgentlogError, InvalidInput


class TooMuchRead(InvalidInput):
    """A request reads more of the log than one may."""

    def __init__(self, most: str) -> None:
        super().__init__(
            f"this reads more than {most} of the log, which one request may: ask for pages "
            "(limit, after), for an earlier moment (at), or by a filter that fewer match"
        )


class ClientLeft(AgentlogError, kind="stalled"):
    """The client no longer waits for the answer."""

    def __init__(self) -> None:
        super().__init__("the client left before its answer: what was begun for it has ended")


class RequestWork:
    """The work of one request; `is_gone` returns whether its client has left."""

    def __init__(
        self,
        *,
        most_rows: int,
        most_bytes: int,
        most_seconds: float,
        is_gone: Callable[[], bool] = lambda: False,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        self.rows = 0
        self.bytes = 0
        self._most_rows = most_rows
        self._most_bytes = most_bytes
        self._most_seconds = most_seconds
        self._is_gone = is_gone
        self._ticks = ticks
        self._began = ticks()
        self._is_over = False

    def spend(self, rows: int, size: int) -> None:
        """Count rows and bytes that were read; raises `TooMuchRead`, `ClientLeft`."""
        if self._is_over:  # a task that was begun by the request and outlives it
            return
        self.rows += rows
        self.bytes += size
        error = self._end()
        if error is not None:
            self._is_over = True  # its refusal may be put on record
            raise error

    def _end(self) -> AgentlogError | None:
        """Return why the work ends, None where it goes on."""
        if self._is_gone():
            return ClientLeft()
        if self.rows > self._most_rows:
            return TooMuchRead(f"{self._most_rows:,} rows")
        if self.bytes > self._most_bytes:
            return TooMuchRead(f"{self._most_bytes:,} bytes")
        if self._ticks() - self._began > self._most_seconds:
            return TooMuchRead(f"can be read in {self._most_seconds:g} s")
        return None

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count what the block reads, and its threads."""
        before = _WORK.set(self)
        try:
            yield
        finally:
            self._is_over = True
            _WORK.reset(before)


_WORK: ContextVar[RequestWork | None] = ContextVar("request_work", default=None)


def spend(rows: int = 0, size: int = 0) -> None:
    """Count what is read for the request of this context, if it is for one.

    Raises:
        TooMuchRead: that is more than one may.
        ClientLeft: nobody waits for it.
    """
    work = _WORK.get()
    if work is not None:
        work.spend(rows, size)
