"""Work that nobody waits for: done in the order it came in, by one thread of its own."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from typing_extensions import override

from infrastructure.runtime.closeable import Closing

_logger = logging.getLogger("agentlog")

_Task = Callable[[], None]


class Background(Closing):
    """One thread for tasks, which starts with the first; at its close all are done.

    They may hold `most_bytes` in all until then: whoever adds more waits.
    """

    def __init__(self, *, most_bytes: int = 16 * 2**20) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._less = threading.Condition()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="background")

    def add(self, task: _Task, size: int) -> None:
        """Have a task done that holds so many bytes until it is; it must not add any itself.

        Once this is closed nothing is done: whoever still reads then goes on without.
        """
        with self._less:
            # one alone is taken however large it is
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
