"""Circuit breaker: refuses callers at once while the database does not answer.

A connection that broke, or could not be made, triggers a probe, as the server may have ended that
one alone. If the probe fails, or the server is found to hang, the breaker opens, and probes go on
until one succeeds.
"""

import logging
import threading
from collections.abc import Callable

from typing_extensions import override

from agentlog.infrastructure.runtime.closeable import Closing

logger = logging.getLogger("agentlog")

_PAUSE_SECONDS = 0.5
_LOOK_SECONDS = 0.25


class Breaker(Closing):
    """Opens when `probe` finds no server and closes when it does, in a thread of its own.

    `hangs` is asked four times a second whether the server leaves callers without an answer.
    `opened` and `closed` are called in that thread, `closed` before callers are let through again.
    """

    def __init__(
        self,
        probe: Callable[[], bool],
        *,
        hangs: Callable[[], bool] | None = None,
        opened: Callable[[], None],
        closed: Callable[[], None],
    ) -> None:
        self._probe, self._opened, self._closed = probe, opened, closed
        self._hangs = hangs
        self._is_open = False
        self._suspected = threading.Event()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._work, name="breaker", daemon=True)
        self._thread.start()

    def suspect(self) -> None:
        """Start a probe: a connection broke, or none could be had."""
        self._suspected.set()

    @override
    def close(self) -> None:
        """Stop probing."""
        self._ending.set()
        self._suspected.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._ending.is_set():
            is_suspected = self._suspected.wait(_LOOK_SECONDS if self._hangs else None)
            self._suspected.clear()
            if not self._ending.is_set() and self._hangs is not None and self._hangs():
                self._open("PostgreSQL does not answer; until it does, callers are refused")
            elif not is_suspected:
                continue
            while not self._ending.is_set() and not self._answers():
                self._ending.wait(_PAUSE_SECONDS)

    def _answers(self) -> bool:
        answers = self._probe()
        if self._is_open and answers:
            self._closed()
            self._is_open = False
            logger.warning("PostgreSQL takes connections again")
        elif not self._is_open and not answers:
            self._open("PostgreSQL takes no connections; until it does, callers are refused")
        return answers

    def _open(self, why: str) -> None:
        self._is_open = True
        logger.warning(why)
        self._opened()
