"""Runs imports in threads: at most one at a time of each tenant, and few in all."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from typing_extensions import override

from agentlog.infrastructure.runtime.closeable import Closing
from agentlog.infrastructure.transfer.uploads.errors import RunStopped

Job = Callable[[], None]

_AT_ONCE = 2


class RunQueue(Closing):
    """The imports of all tenants that run or wait; jobs look at `is_closing` and raise nothing."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="imports")
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[Job]] = {}
        self.is_closing = False

    def submit(self, tenant: str, job: Job) -> None:
        """Run a job after those of its tenant; raises `RunStopped`."""
        with self._lock:
            if self.is_closing:
                raise RunStopped
            if tenant in self._waiting:
                self._waiting[tenant].append(job)
                return
            self._waiting[tenant] = deque()
            self._executor.submit(self._work, tenant, job)

    def _work(self, tenant: str, job: Job) -> None:
        job()
        with self._lock:
            if self.is_closing or not self._waiting[tenant]:
                del self._waiting[tenant]
                return
            following = self._waiting[tenant].popleft()
            self._executor.submit(self._work, tenant, following)  # others come before it

    @override
    def close(self) -> None:
        with self._lock:
            self.is_closing = True
        self._executor.shutdown(cancel_futures=True)
