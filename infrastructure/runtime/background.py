"""Background tasks, run in order by one thread."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from typing_extensions import override

from agentlog.infrastructure.runtime.closeable import Closing

_logger = logging.getLogger("agentlog")

_Task = Callable[[], None]


class Background(Closing):
    """A thread for tasks, started with the first; `close` runs the remaining ones.

    Pending tasks hold at most `most_bytes` in all; `add` blocks while there is no room.
    """

    def __init__(self, *, most_bytes: int = 16 * 2**20) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._less = threading.Condition()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="background")

    def add(self, task: _Task, size: int) -> None:
        """Schedule a task that holds `size` bytes until it is done; a task must not add others.

        After `close` tasks are dropped.
        """
        with self._less:
            # a single task is accepted at any size
            self._less.wait_for(lambda: not self._bytes or self._bytes + size <= self._most_bytes)
            self._bytes += size
        try:
            self._pool.submit(self._run, task, size)
        except RuntimeError:  # it is closed
            self._make_room(size)

    @override
    def close(self) -> None:
        self._pool.shutdown()

    def _run(self, task: _Task, size: int) -> None:
        try:
            task()
        except Exception:
            _logger.exception("what was to be done in the background failed")
        finally:
            self._make_room(size)

    def _make_room(self, size: int) -> None:
        with self._less:
            self._bytes -= size
            self._less.notify_all()
