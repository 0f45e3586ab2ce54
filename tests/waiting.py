"""Waiting for what must be so before long."""

import asyncio
import time
from collections.abc import Callable

WAIT_SECONDS = 60.0
"""For what takes well under a second, on a machine that does much else."""


def until(is_so: Callable[[], object], *, seconds: float = WAIT_SECONDS) -> None:
    """Return once it is so, which it must be before long."""
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it is not so"
        time.sleep(0.005)


async def soon(is_so: Callable[[], object]) -> None:
    """Do as `until`, and let others go on meanwhile."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it is not so"
        await asyncio.sleep(0.001)
