"""Waits until the log, or read models, have reached a position, without blocking a thread.

A read waits for the position in its parameter `wait`: it finds what its client appended, also at a
standby, which replays the log a little later, and in a read model, which is filled a little later.
"""

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from itertools import count
from typing import NamedTuple
from urllib.parse import parse_qsl

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.types import Scope

from agentlog.domain.errors import AgentlogError, FutureMoment, InvalidInput
from agentlog.domain.points_in_time import number_in
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import APPENDED, PROJECTED, Listener
from agentlog.infrastructure.postgres.log_position import log_position
from agentlog.infrastructure.readmodels.projection_status import ProjectionStatus
from agentlog.infrastructure.runtime.backoff import pause_seconds
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.infrastructure.readmodels import counted_rows
    from agentlog.projections.readmodels import registry

WAIT_SECONDS = 10.0
"""Seconds that a request waits, at most."""

PARAMETER = "wait"
_WAIT = "agentlog.wait"
"""The key of a request's `_Wait` in its scope."""


class InvalidWait(InvalidInput):
    """The parameter `wait` is no position."""

    def __init__(self, text: str) -> None:
        super().__init__(f"wait={text[:64]} is no position of the log, as an append answers it")


class LogBehind(AgentlogError, kind="unavailable", transient=True):
    """A database that takes no writes has not got the log up to a position in time."""

    def __init__(self, position: int, *, wanted: int) -> None:
        super().__init__(
            f"the log stands at position {position} here, not at {wanted} yet: ask again a little "
            "later, or the service that appends"
        )


class _Wait(NamedTuple):
    position: int
    until: float
    """A time of the event loop."""


async def until_logged(scope: Scope, database: Database, listener: Listener) -> None:
    """Return once the log has the position in a request's parameter `wait`, if it has one.

    Raises:
        InvalidWait: it is no position.
        FutureMoment: the log has not reached it, and the database takes writes: no append has.
        LogBehind: it takes none, and the wait takes longer than `WAIT_SECONDS`.
        DatabaseUnavailable: the database does not answer.
    """
    given = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
    if PARAMETER not in given:
        return
    wanted = number_in(given[PARAMETER])
    if wanted is None:
        raise InvalidWait(given[PARAMETER])
    until = asyncio.get_running_loop().time() + WAIT_SECONDS
    scope[_WAIT] = _Wait(wanted, until)

    def behind() -> LogBehind | None:
        writable = database.write_access.is_given  # before the position is read
        position = log_position(database)
        if position >= wanted:
            return None
        if writable:
            present = f"the log is at position {position}"
            raise FutureMoment(f"position {wanted}", present=present)
        return LogBehind(position, wanted=wanted)

    await _until(listener, APPENDED, behind, until=until)


async def read_models_waited(request: Request, names: Collection[str] | None = None) -> None:
    """Return once read models, by default all, have come where the request waits for them.

    Raises what `until_projected` raises.
    """
    wait: _Wait | None = request.scope.get(_WAIT)
    if wait is not None:
        status: ProjectionStatus = request.app.state.projection_status
        names = registry.READ_MODELS if names is None else counted_rows.with_beside(names)
        await until_projected(status, wait.position, names=names, until=wait.until)


async def until_projected(
    projection_status: ProjectionStatus,
    position: int,
    *,
    names: Collection[str],
    until: float,
) -> None:
    """Return once the live builds of these projections have reached a position.

    It waits until a time of the event loop, at most.

    Raises:
        FutureMoment: the log has not reached the position itself.
        ProjectionBehind: the wait takes longer, or a projection is stopped.
        NotYetBuilt: a projection has no live build.
        UnknownReadModel: a projection does not exist.
    """

    def behind() -> AgentlogError | None:
        error = projection_status.behind(position, names)
        if error is not None and error.stands_still:
            raise error
        return error

    await _until(projection_status.listener, PROJECTED, behind, until=until)


async def _until(
    listener: Listener, channel: str, behind: Callable[[], AgentlogError | None], *, until: float
) -> None:
    """Return once `behind` returns None.

    It is called again whenever the channel is notified, and after pauses that double: most waits
    are shorter than it takes to learn that a standby's log has grown.

    Raises:
        AgentlogError: the last that it returned, once the time has come.
    """
    loop = asyncio.get_running_loop()
    woken = asyncio.Event()

    def wake() -> None:
        with suppress(RuntimeError):  # the loop is closed: no request waits
            loop.call_soon_threadsafe(woken.set)

    off = listener.on(channel, wake)
    try:
        for looks in count():
            woken.clear()
            error = await run_in_threadpool(behind)
            if error is None:
                return
            left = until - loop.time()
            if left <= 0:
                raise error
            with suppress(TimeoutError):
                pause = pause_seconds(looks, first=0.005, most=left)
                await asyncio.wait_for(woken.wait(), min(left, pause))
    finally:
        off()
