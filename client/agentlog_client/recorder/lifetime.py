"""Uploaders end with their process, and begin anew in a child of it."""

import atexit
import os
import sys
import time
from functools import cache
from typing import Any, Protocol
from weakref import WeakSet

from agentlog_client.recorder.spool_file import close_inherited

_EXIT_SECONDS = 5.0
"""How long the end of a process waits, at most."""


class Living(Protocol):
    """What has a thread and a file."""

    def after_fork(self) -> None:
        """Begin anew in a child process."""

    def end(self) -> None:
        """Begin to end."""

    def close(self, timeout: float) -> None:
        """End within so many seconds."""


_LIVING: WeakSet[Living] = WeakSet()


def lives(uploader: Living) -> None:
    """Have it end with this process, and begin anew in children."""
    _hook_process()
    _LIVING.add(uploader)


def closes_with_worker() -> None:
    """Have a process of `multiprocessing` close too: it ends without what `atexit` does."""
    process: Any = sys.modules.get("multiprocessing.process")
    util: Any = sys.modules.get("multiprocessing.util")
    if process is not None and util is not None and process.parent_process() is not None:
        util.Finalize(None, _close_all, exitpriority=0)


@cache
def _hook_process() -> None:
    if sys.platform != "win32":
        os.register_at_fork(after_in_child=_after_fork)
    atexit.register(_close_all)


def _after_fork() -> None:
    close_inherited()
    for uploader in list(_LIVING):
        uploader.after_fork()


def _close_all() -> None:
    deadline = time.monotonic() + _EXIT_SECONDS
    uploaders = list(_LIVING)
    for uploader in uploaders:
        uploader.end()
    for uploader in uploaders:
        uploader.close(max(0.0, deadline - time.monotonic()))
