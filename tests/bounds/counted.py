"""Work counted in lines of Python that ran: the same each time, on any machine."""

import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_of(work: Callable[[], object]) -> int:
    """Return how many lines run; each turn of a loop counts."""
    lines = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


def peak_bytes_of(work: Callable[[], object]) -> int:
    """Return how many bytes of Python objects there are at most, beside those before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
