"""Waiting for what must be so before long."""

import asyncio
import time
from collections.abc import Callable

import pytest

_WAIT_SECONDS = 20


def until(is_so: Callable[[], object], *, seconds: float = _WAIT_SECONDS) -> None:
    """Return once it is so, which it must be before long."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


async def soon(is_so: Callable[[], bool]) -> None:
    """Do as `until`, and let others go on meanwhile."""
    for _ in range(_WAIT_SECONDS * 1000):
        if is_so():
            return
        await asyncio.sleep(0.001)
    pytest.fail("it is not so")
