"""A process that runs for long collects what only points to itself, however few objects it is."""

import gc
import threading
import weakref

from agentlog.infrastructure.runtime.garbage import MemoryReturn
from tests.waiting import until


class _Knot:
    def __init__(self) -> None:
        self.itself = self


def test_cycles_are_collected_before_the_collector_would() -> None:
    gc.disable()
    try:
        left = weakref.ref(_Knot())
        assert left() is not None
        with MemoryReturn(every_seconds=0.01):
            until(lambda: left() is None)
    finally:
        gc.enable()


def test_its_thread_ends_with_the_block() -> None:
    with MemoryReturn():
        assert "memory" in {thread.name for thread in threading.enumerate()}
    assert "memory" not in {thread.name for thread in threading.enumerate()}
