"""Driving a writer by hand, as an event loop does."""

import select
import threading
from concurrent.futures import Future

from domain.errors import AgentlogError
from infrastructure.requests import Appended, AppendRequest, Outcomes
from infrastructure.writer import Writer

WAIT_SECONDS = 20


class Told:
    """What came of one hand-in, and by which thread that was told."""

    def __init__(self) -> None:
        self._future: Future[tuple[Outcomes, str]] = Future()

    def deliver(self, outcomes: Outcomes) -> None:
        """Take what came of it, once."""
        self._future.set_result((outcomes, threading.current_thread().name))

    @property
    def is_there(self) -> bool:
        """Whether it was told."""
        return self._future.done()

    @property
    def by(self) -> str:
        """The thread that told it."""
        return self._future.result(WAIT_SECONDS)[1]

    @property
    def outcomes(self) -> list[Appended | AgentlogError]:
        """What came of each request."""
        outcomes = self._future.result(WAIT_SECONDS)[0]
        assert not isinstance(outcomes, BaseException)
        return list(outcomes)

    @property
    def versions(self) -> list[int]:
        """Where each request stands."""
        return [each.version for each in self.outcomes if isinstance(each, Appended)]


def hand_in(writer: Writer, *requests: AppendRequest) -> Told:
    """Leave requests with a writer, for who drives it."""
    told = Told()
    writer.hand_in(requests, told.deliver)
    return told


def drive(writer: Writer, fileno: int | None) -> None:
    """Go on until there is nothing to wait for any more."""
    while fileno is not None:
        readable, _, _ = select.select([fileno], [], [], WAIT_SECONDS)
        assert readable
        fileno = writer.proceed()
