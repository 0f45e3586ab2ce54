"""The list of tasks as server-sent events: all at first, then each as it changes."""

from collections.abc import Sequence

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from typing_extensions import override

from agentlog.api.http.streaming.sse_framing import MariaFraming
from agentlog.api.http.streaming.sse_response import Stream
from agentlog.api.http.streaming.subscribers import TenantFollowers
from agentlog.domain.errors import UnknownThread
from agentlog.domain.events import Event
from agentlog.domain.json.text import print_text
from agentlog.extensions.facades.maria.tasks import task_json
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.subscriptions.hub import Paging
from agentlog.infrastructure.threads import Threads
from agentlog.projections.view import Item

MOST_TASKS = 100
"""Tasks that a list has: those last at work."""


def recent_tasks(threads: Threads, limit: int = MOST_TASKS) -> list[Item]:
    """Return the tasks last at work."""
    heads = threads.heads(ThreadFilter(), before=None, limit=limit)
    return [task_json(threads, head) for head in heads]


class TaskFraming(MariaFraming):
    """The frames of one task, which begin with its queue."""

    def __init__(self, queue: Sequence[Item]) -> None:
        data = print_text([*queue])
        self.opening = format_sse_event(data_str=data, event="maria.queued_messages.synchronized")


class TaskListStream(Stream):
    """Sends the tasks, then each one that changes after the position at which they were read."""

    def __init__(self, following: TenantFollowers, threads: Threads, *, finite: bool) -> None:
        super().__init__(following, finite=finite, pace=None)
        self._threads = threads
        self._paging = Paging()
        self._position = following.hub.reader.position()
        tasks: Item = {"tasks": [*recent_tasks(threads)]}
        self.opening = _frame("daemon.tasks.synchronized", tasks)

    @override
    def recent(self) -> tuple[Sequence[bytes], bool] | None:
        entries = self.following.hub.log_after(self._position, limit=1)
        return None if entries is None or entries else ((), False)

    @override
    def older(self) -> tuple[Sequence[bytes], bool]:
        upto = self.following.hub.position
        events = self.following.hub.reader.log(
            after=self._position, upto=upto, limit=self._paging.limit
        )
        more = self._paging.read(events)
        self._position = (events[-1].position or 0) if more else max(upto, self._position)
        names = dict.fromkeys(event.thread_id for event in events)
        return [frame for name in names for frame in self._changed(name)], more

    @override
    def past(self) -> Sequence[Event]:
        return ()

    @override
    def tell(self, event: Event) -> Sequence[bytes]:
        return self._changed(event.thread_id)

    @override
    def heartbeat(self) -> bytes:
        return KEEPALIVE_COMMENT

    def _changed(self, thread_id: str) -> Sequence[bytes]:
        try:
            head = self._threads.head(thread_id)
        except UnknownThread:  # it was hidden
            return ()
        return [_frame("daemon.task.changed", {"task": task_json(self._threads, head)})]


def _frame(name: str, data: Item) -> bytes:
    return format_sse_event(data_str=print_text(data), event=name)
