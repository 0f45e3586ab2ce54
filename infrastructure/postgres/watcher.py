"""Looking at what has changed, whenever a channel is rung, in a thread of its own."""

import logging
import threading
from abc import abstractmethod

from typing_extensions import override

from domain.errors import AgentlogError
from infrastructure.postgres.notifications import Listener
from infrastructure.runtime.closeable import Closing

logger = logging.getLogger("agentlog")


class Watch(Closing):
    """Looks once it is made, and at every ring; a look that fails is repeated at the next.

    A ring is but a hint, so each look asks the tables for what has come since the last. `failing`
    says in the log what does not happen meanwhile.
    """

    def __init__(self, listener: Listener, channel: str, *, name: str, failing: str) -> None:
        """Begin at once: whoever derives from it has its own attributes by then."""
        self._failing = failing
        self._rung = threading.Event()
        self._closed = threading.Event()
        self._end = listener.on(channel, self._rung.set)
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._rung.set()  # what came meanwhile was not rung for
        self._thread.start()

    @override
    def close(self) -> None:
        """Watch no more."""
        self._closed.set()
        self._end()
        self._rung.set()
        self._thread.join()

    @abstractmethod
    def _look(self) -> None:
        """Do what is to be done by now, or give up where it is closed."""

    def _work(self) -> None:
        failing = False
        while not self._closed.is_set():
            self._rung.wait()
            self._rung.clear()
            try:
                self._look()
            except Exception as error:  # noqa: BLE001 - whatever it is, nobody else looks
                if not failing and not self._closed.is_set():
                    warn(f"{self._failing}, trying on", error)
                failing = True  # the listener rings again at its next poll
            else:
                failing = False


def warn(what: str, error: Exception) -> None:
    """Say in the log what does not go on just now; a defect of ours comes with its traceback."""
    expected = isinstance(error, AgentlogError)
    logger.warning("%s: %s", what, error, exc_info=None if expected else error)
