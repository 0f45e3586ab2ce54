"""A thread that checks for changes whenever a channel is notified."""

import logging
import threading
from abc import abstractmethod

from typing_extensions import override

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.runtime.closeable import Closing

logger = logging.getLogger("agentlog")


class Watch(Closing):
    """Calls `_look` once at first and after every notification; retries a failed one at the next.

    A notification is only a hint, so each look reads the tables for changes since the last.
    `failing` is the log message while looks fail.
    """

    def __init__(self, listener: Listener, channel: str, *, name: str, failing: str) -> None:
        """Start the thread; a subclass sets its own attributes before."""
        self._failing = failing
        self._woken = threading.Event()
        self._closed = threading.Event()
        self._end = listener.on(channel, self._woken.set)
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._woken.set()  # changes before the subscription were not notified
        self._thread.start()

    @override
    def close(self) -> None:
        """Stop watching."""
        self._closed.set()
        self._end()
        self._woken.set()
        self._thread.join()

    @abstractmethod
    def _look(self) -> None:
        """Handle changes since the last look; return early when closed."""

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
                failing = True  # the listener's next poll triggers a retry
            else:
                failing = False


def warn(what: str, error: Exception) -> None:
    """Log a warning that something does not go on; a defect comes with its traceback."""
    expected = isinstance(error, AgentlogError)
    logger.warning("%s: %s", what, error, exc_info=None if expected else error)
