"""Circuit breaker: refuses callers at once while the database does not answer.

A connection that broke, or could not be made, triggers a probe, as the server may have ended that
one alone. If the probe fails, or the server is found to hang, the breaker opens, and probes go on
until one succeeds.
"""

import logging
from collections.abc import Callable

from typing_extensions import override

from agentlog.infrastructure.runtime.background import Background

logger = logging.getLogger("agentlog")

_PAUSE_SECONDS = 0.5
_LOOK_SECONDS = 0.25


class Breaker(Background):
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
        super().__init__("breaker")
        self._probe, self._on_open, self._on_close = probe, opened, closed
        self._hangs = hangs
        self._is_open = False
        self._begin()

    def suspect(self) -> None:
        """Start a probe: a connection broke, or none could be had."""
        self._woken.set()

    @override
    def _work(self) -> None:
        while not self._closed.is_set():
            is_suspected = self._woken.wait(_LOOK_SECONDS if self._hangs else None)
            self._woken.clear()
            if not self._closed.is_set() and self._hangs is not None and self._hangs():
                self._open("PostgreSQL does not answer; until it does, callers are refused")
            elif not is_suspected:
                continue
            while not self._closed.is_set() and not self._answers():
                self._closed.wait(_PAUSE_SECONDS)

    def _answers(self) -> bool:
        answers = self._probe()
        if self._is_open and answers:
            self._on_close()
            self._is_open = False
            logger.warning("PostgreSQL takes connections again")
        elif not self._is_open and not answers:
            self._open("PostgreSQL takes no connections; until it does, callers are refused")
        return answers

    def _open(self, why: str) -> None:
        self._is_open = True
        logger.warning(why)
        self._on_open()
