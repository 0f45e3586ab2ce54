"""Threads as tasks of Maria's daemon, and what waits in their queues."""

from agentlog.domain.json.values import object_at, text_at
from agentlog.domain.messages import CustomMessage
from agentlog.domain.points_in_time import Moment
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.threads import Threads
from agentlog.projections.view import Item
from agentlog.projections.views.maria.view import CUSTOM

_LATEST = 16
"""Events, of the last ones, that say whether an agent is at work."""
_BEGINNING = 256
_WORKS = frozenset(
    {"approval_response", "input", "llm_request", "reasoning", "tool_calls", "tool_results"}
    | {"worker_result", "worker_spawned"}
)
_RESTS = frozenset({"approval_request", "exit", "reply", "runtime_error", "shutdown"})
_QUEUED, _UNQUEUED = f"{CUSTOM}MessageQueued", f"{CUSTOM}MessageUnqueued"


def task_json(threads: Threads, head: Head) -> Item:
    """Return a thread as a task: `generating` while its last step waits for the agent."""
    started = head.started_at or head.updated_at
    return {
        "id": head.thread_id,
        "name": head.goal or head.thread_id,
        "status": "generating" if _is_at_work(threads, head) else "idle",
        "created": None if started is None else int(started.timestamp() * 1000),
        "cwd": text_at(head.metadata, "cwd") or "",
    }


def _is_at_work(threads: Threads, head: Head) -> bool:
    if head.status != "open":
        return False
    after = max(head.version - _LATEST, 0)
    events = threads.messages(head.thread_id, after=after, most_bytes=_BEGINNING)
    steps = [event.type for event in events if event.type in _WORKS | _RESTS]
    return bool(steps) and steps[-1] in _WORKS


def queue_of_all(threads: Threads, limit: int) -> list[Item]:
    """Return what waits for the tasks last at work."""
    heads = threads.heads(ThreadFilter(), before=None, limit=limit)
    return [item for head in heads for item in queue_of(threads, head.thread_id)]


def queue_of(threads: Threads, thread_id: str, *, at: Moment | None = None) -> list[Item]:
    """Return the messages of a task that were queued, and not taken yet."""
    queue: dict[str, Item] = {}
    for event in threads.messages(thread_id, at=at, types=[_QUEUED, _UNQUEUED]):
        if isinstance(event.message, CustomMessage):
            payload = event.message.payload
            message = object_at(payload, "message") if isinstance(payload, dict) else {}
            own_id = text_at(message, "id") or ""
            if event.type == _UNQUEUED:
                queue.pop(own_id, None)
            else:
                content = {key: value for key, value in message.items() if key != "id"}
                queue[own_id] = {"id": own_id, "message": content}
    return list(queue.values())
