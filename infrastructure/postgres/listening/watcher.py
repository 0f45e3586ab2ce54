"""A thread that checks for changes whenever a channel is notified."""

import logging
from abc import abstractmethod

from typing_extensions import override

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.runtime.background import Background

logger = logging.getLogger("agentlog")


class Looking(Background):
    """Calls `_look` whenever it is woken.

    `failing` is the log message while looks fail; a failed one is tried again after
    `retry_seconds`, or when it is woken.
    """

    def __init__(self, *, name: str, failing: str, retry_seconds: float | None = None) -> None:
        super().__init__(name)
        self._failing, self._retry_seconds = failing, retry_seconds

    @abstractmethod
    def _look(self) -> None:
        """Handle changes since the last look; return early when closed."""

    @override
    def _work(self) -> None:
        failing = False
        while not self._closed.is_set():
            self._woken.wait()
            self._woken.clear()
            try:
                self._look()
            except Exception as error:  # noqa: BLE001 - any error is retried
                if not failing and not self._closed.is_set():
                    warn(f"{self._failing}, trying on", error)
                failing = True
                if self._retry_seconds is not None:
                    self._closed.wait(self._retry_seconds)
                    self._woken.set()
            else:
                failing = False


class Watch(Looking):
    """Looks once at first and after every notification; retries a failed look at the next.

    A notification is only a hint, so each look reads the tables for changes since the last.
    """

    def __init__(self, listener: Listener, channel: str, *, name: str, failing: str) -> None:
        """Start the thread; a subclass sets its own attributes before."""
        super().__init__(name=name, failing=failing)
        self._end = listener.on(channel, self._woken.set)
        self._woken.set()  # changes before the subscription were not notified
        self._begin()

    @override
    def close(self) -> None:
        """Stop watching."""
        self._end()
        super().close()


def warn(what: str, error: Exception) -> None:
    """Log a warning that something does not go on; a defect comes with its traceback."""
    expected = isinstance(error, AgentlogError)
    logger.warning("%s: %s", what, error, exc_info=None if expected else error)
