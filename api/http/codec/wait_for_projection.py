"""Waits until projections have reached a position, without blocking a thread."""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from typing import Annotated

from fastapi import Query
from fastapi.concurrency import run_in_threadpool

from agentlog.infrastructure.postgres.notifications import PROJECTED
from agentlog.infrastructure.readmodels.projection_status import ProjectionStatus
from agentlog.projections.readmodels.registry import READ_MODELS

WAIT_SECONDS = 10.0
"""Seconds that a request waits, at most."""

Wait = Annotated[
    int | None,
    Query(
        ge=0,
        lt=2**63,
        description="A position, as an append answers it: the answer comes once the projections "
        f"have come there, or as a problem: 503 where that takes longer than {WAIT_SECONDS:g} s, "
        "404 where the log has not come there itself.",
        examples=[345],
    ),
]


async def until_projected(
    projection_status: ProjectionStatus,
    position: int,
    *,
    names: Collection[str] = tuple(READ_MODELS),
    seconds: float | None = None,
) -> None:
    """Return once the live builds of these projections have reached a position.

    It waits `WAIT_SECONDS` at most by default.

    Raises:
        FutureMoment: the log has not reached the position itself.
        ProjectionBehind: the wait takes longer, or a projection is stopped.
        NotYetBuilt: a projection has no live build.
        UnknownReadModel: a projection does not exist.
    """
    loop = asyncio.get_running_loop()
    woken = asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed: no request waits
            loop.call_soon_threadsafe(woken.set)

    off = projection_status.listener.on(PROJECTED, wake)
    until = loop.time() + (WAIT_SECONDS if seconds is None else seconds)
    try:
        while True:
            woken.clear()
            behind = await run_in_threadpool(projection_status.behind, position, names)
            if behind is None:
                return
            left = until - loop.time()
            if left <= 0 or behind.stands_still:
                raise behind
            with suppress(TimeoutError):
                await asyncio.wait_for(woken.wait(), left)
    finally:
        off()
