"""Sessions of frameworks: threads whose items their framework may delete; the log keeps all."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ParamSpec, TypeVar

from anyio.to_thread import run_sync

from agentlog_client.client import Client
from agentlog_client.errors import Conflict
from agentlog_client.identifiers import derived_id, new_id
from agentlog_client.models import Appended

P = ParamSpec("P")
T = TypeVar("T")

STARTED = {"type": "session.started"}
DELETED = {"type": "session.item_deleted"}
CLEARED = {"type": "session.cleared"}


def start_session(
    client: Client,
    thread_id: str,
    *,
    parent: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> None:
    """Begin a session in a thread, if it has not begun: two processes may do so at once."""
    try:
        client.start_thread(thread_id, parent=parent, policy="record", metadata=metadata)
    except Conflict as error:
        if error.type != "thread-exists":
            raise
    client.append(thread_id, {"id": derived_id(thread_id, "session.started"), **STARTED})


async def aside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what blocking work returns, done in a thread.

    Connections are not those of an event loop, as frameworks run a session in several.
    """
    return await run_sync(partial(work, *args, **kwargs))


async def to_the_end(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what blocking work returns; a cancelled caller is cancelled once it is done."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        task.exception()
        raise cancelled
    return task.result()


class Batches:
    """Appends items of a format to a thread; the same as in an attempt that failed, as the same.

    A framework that tries again after an error does not know whether the first attempt arrived.
    """

    def __init__(self, client: Client, thread_id: str, format_name: str) -> None:
        self._client = client
        self._thread_id = thread_id
        self._format = format_name
        self._failed: tuple[Sequence[Mapping[str, Any]], str] | None = None

    def append(self, items: Sequence[Mapping[str, Any]]) -> Appended:
        """Append items, all or none."""
        failed = self._failed
        key = failed[1] if failed is not None and failed[0] == items else new_id()
        self._failed = items, key
        appended = self._client.append_items(self._thread_id, items, format=self._format, key=key)
        self._failed = None
        return appended

    def forget(self) -> None:
        """Send the same items as others from here on: their session has lost some."""
        self._failed = None
