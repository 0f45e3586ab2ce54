"""Memory of processes that run for long: how often garbage is collected, and what is given back."""

import ctypes
import gc
import threading
from contextlib import suppress

from typing_extensions import override

from infrastructure.runtime.closeable import Closing

_THRESHOLDS = (50_000, 20, 10)
_EVERY_SECONDS = 5.0
_M_MMAP_THRESHOLD = -3  # of mallopt(3)
_LARGE_BYTES = 64 * 2**10


def collect_rarely() -> None:
    """Have the garbage collector look at less, and less often; to be called once all is imported.

    A read or a batch makes many objects and drops them together, and hardly any are in cycles: by
    default the collector goes through them every 700, and now and then through all there are.
    """
    gc.collect()
    gc.freeze()  # what is imported by now stays: no collection need look at it again
    gc.set_threshold(*_THRESHOLDS)


class MemoryReturn(Closing):
    """Collects all garbage and returns free memory to the system, every few seconds.

    The collector counts objects, not bytes: a few cycles may hold much for long. glibc keeps what
    is freed between blocks in use until it is told to trim.
    """

    def __init__(self, *, every_seconds: float = _EVERY_SECONDS) -> None:
        self._every_seconds = every_seconds
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name="memory", daemon=True)
        self._thread.start()

    @override
    def close(self) -> None:
        self._closed.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._closed.wait(self._every_seconds):
            gc.collect()
            _call_malloc("malloc_trim", 0)


def map_large_blocks() -> None:
    """Have large blocks, such as bodies and pieces of answers, go back as soon as they are freed.

    glibc maps blocks apart from the heap from 128 KiB, but raises that to 32 MiB by itself.
    """
    _call_malloc("mallopt", _M_MMAP_THRESHOLD, _LARGE_BYTES)


def _call_malloc(name: str, *numbers: int) -> None:
    """Call a function of glibc's malloc; elsewhere nothing happens."""
    with suppress(AttributeError, OSError, TypeError):
        getattr(ctypes.CDLL(None), name)(*numbers)
