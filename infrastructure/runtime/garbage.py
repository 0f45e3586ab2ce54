"""Garbage-collector and malloc tuning for long-running processes."""

import ctypes
import gc
from contextlib import suppress

from typing_extensions import override

from agentlog.infrastructure.runtime.background import Background

_THRESHOLDS = (50_000, 20, 10)
_EVERY_SECONDS = 5.0
_M_MMAP_THRESHOLD = -3  # of mallopt(3)
_LARGE_BYTES = 64 * 2**10


def collect_rarely() -> None:
    """Make garbage collections rarer and smaller; call it after all imports.

    A read or a batch creates many objects and drops them together, and few are in cycles: by
    default the collector scans them every 700, and sometimes all objects.
    """
    gc.freeze()  # imported objects stay: exclude them from collections
    gc.set_threshold(*_THRESHOLDS)


class MemoryReturn(Background):
    """Collects all garbage and returns free memory to the system, every few seconds.

    The collector counts objects, not bytes: a few cycles may hold much memory for long. glibc keeps
    free memory between used blocks until trimmed.
    """

    def __init__(self, *, every_seconds: float = _EVERY_SECONDS) -> None:
        super().__init__("memory")
        self._every_seconds = every_seconds
        self._begin()

    @override
    def _work(self) -> None:
        while not self._closed.wait(self._every_seconds):
            gc.collect()
            _call_malloc("malloc_trim", 0)


def map_large_blocks() -> None:
    """Return large blocks, such as bodies and pieces of responses, to the system once freed.

    glibc maps blocks of 128 KiB and more outside the heap, but raises that limit to 32 MiB by
    itself.
    """
    _call_malloc("mallopt", _M_MMAP_THRESHOLD, _LARGE_BYTES)


def _call_malloc(name: str, *numbers: int) -> None:
    """Call a function of glibc's malloc; does nothing on other systems."""
    with suppress(AttributeError, OSError, TypeError):
        getattr(ctypes.CDLL(None), name)(*numbers)
