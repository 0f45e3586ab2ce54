"""Sessions of frameworks: threads whose items their framework may delete; the log keeps all."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ParamSpec, TypeVar

from anyio.to_thread import run_sync

from agentlog_client.client import Client
from agentlog_client.errors import Conflict
from agentlog_client.identifiers import derived_id

P = ParamSpec("P")
T = TypeVar("T")

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
    started = {"id": derived_id(thread_id, "session.started"), "type": "session.started"}
    client.append(thread_id, started)


async def aside(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return what blocking work returns, done in a thread: to its end, also where it is cancelled.

    Connections are not those of an event loop, as frameworks run a session in several.
    """
    return await run_sync(partial(work, *args, **kwargs))
