"""Routes of Maria's daemon, under the address that its user interface is given.

What needs the daemon itself is refused: a task begins and is cancelled where its agent is.
"""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query, Request, Response
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from starlette.concurrency import run_in_threadpool
from typing_extensions import override
from ulid import ULID

from agentlog.api.http.codec.bodies import Body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, TheTenant, principal_of, tenant_of
from agentlog.api.http.codec.parameters import At
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.routing import Router
from agentlog.api.http.streaming.sse_framing import MariaFraming
from agentlog.api.http.streaming.sse_response import Stream, StreamResponse
from agentlog.api.http.streaming.subscribers import Followers, TenantFollowers
from agentlog.api.http.streaming.thread_stream import ThreadStream
from agentlog.api.tails import FollowRequest, tail_of, view_to_tell
from agentlog.domain.drafts import Origin
from agentlog.domain.errors import InvalidMessage, UnknownThread
from agentlog.domain.events import Event
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import object_at, object_of, text_at
from agentlog.extensions.facades.errors import RunsNoAgent
from agentlog.extensions.facades.maria.tasks import queue_of, queue_of_all, task_json
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.subscriptions.hub import Paging
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.wires.letta_parts import parts_text
from agentlog.projections.view import Item
from agentlog.projections.views.maria.events import event_ids
from agentlog.projections.views.maria.view import Dialect

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


router = Router(prefix="/maria/v1", in_document=False)


@router.add("GET /tasks", "read")
def list_tasks(
    tenant: TheTenant, limit: Annotated[int, Query(ge=1, le=1000)] = MOST_TASKS
) -> Response:
    """List the tasks last at work."""
    return json_answer({"tasks": recent_tasks(tenant.threads, limit)})


@router.add("GET /task/{thread_id}", "read")
def read_task(tenant: TheTenant, thread_id: str) -> Response:
    """Return a task, with what waits in its queue."""
    threads = tenant.threads
    task = task_json(threads, threads.head(thread_id))
    return json_answer({"task": {**task, "queued_messages": [*queue_of(threads, thread_id)]}})


@router.add("GET /task/{thread_id}/queued_messages", "read")
@router.add("GET /task/{thread_id}/queued-messages", "read")
def list_queue(tenant: TheTenant, thread_id: str, at: At) -> Response:
    """List what waits in the queue of a task."""
    return json_answer(queue_of(tenant.threads, thread_id, at=at))


@router.add("GET /queued_messages", "read")
@router.add("GET /queued-messages", "read")
def list_queues(tenant: TheTenant) -> Response:
    """List what waits for the tasks last at work."""
    return json_answer(queue_of_all(tenant.threads, MOST_TASKS))


@router.add("POST /task/{thread_id}/message", "append")
def record_message(
    tenant: TheTenant, thread_id: str, body: Body, limits: TheLimits, origin: TheOrigin
) -> Response:
    """Record what is sent to a task; no agent answers."""
    fields = object_of(limits.json_in(body))
    tenant.threads.head(thread_id)
    return json_answer(_recorded(tenant.threads, thread_id, fields, origin))


def _recorded(threads: Threads, thread_id: str, fields: Item, origin: Origin) -> Item:
    """Append the message of a body, and return what Maria answers; none in a body is an error."""
    draft = _draft(fields)
    appended = threads.writer.append(threads.request(thread_id, [draft], origin=origin))
    return {"id": event_ids(appended.messages[0].id, 1)[0], "queued": False}


def _draft(fields: Item) -> Item:
    message = object_at(fields, "message")
    if message.get("role") != "user":
        raise InvalidMessage.at("message.role", "send the message of a user")
    return {"type": "input", "text": parts_text(message, "content")}


@router.add("POST /task", "append")
def begin_task(tenant: TheTenant, body: Body, limits: TheLimits, origin: TheOrigin) -> Response:
    """Begin a thread for a task, with its first message; no agent answers."""
    fields, threads, thread_id = object_of(limits.json_in(body)), tenant.threads, str(ULID())
    if fields.get("message") is not None:
        _draft(fields)  # nothing begins where that is none
    metadata: Item = {key: fields[key] for key in ("cwd", "model") if text_at(fields, key)}
    goal = text_at(fields, "name")
    threads.start(
        thread_id,
        {"goal": goal, "metadata": metadata} if goal else {"metadata": metadata},
        origin=origin,
    )
    first: Item = {}
    if fields.get("message") is not None:
        first = {"message": _recorded(threads, thread_id, fields, origin)}
    task = task_json(threads, threads.head(thread_id))
    return json_answer({"task": task, **first}, status=201)


@router.add("POST /task/{thread_id}/cancel", "any key")
async def cancel_task(thread_id: str) -> Response:
    """Refuse to cancel a task."""
    del thread_id
    raise RunsNoAgent


@router.add("GET /events", "read", stream=True)
async def follow_tasks(
    request: Request,
    follow: bool = True,  # noqa: FBT001, FBT002 - a query parameter has a name
) -> Response:
    """Follow the list of tasks."""
    threads, following = tenant_of(request).threads, _following(request)

    def begin() -> TaskListStream:
        following.hub.start()
        return TaskListStream(following, threads, finite=not follow)

    return StreamResponse(await run_in_threadpool(begin), None)


@router.add("GET /task/{thread_id}/events", "read", stream=True)
async def follow_task(
    request: Request,
    thread_id: str,
    at: At,
    dialect: Dialect = "2025-12",
    follow: bool = True,  # noqa: FBT001, FBT002 - a query parameter has a name
) -> Response:
    """Follow a task: its queue, all that happened, then what comes."""
    tenant, following = tenant_of(request), _following(request)
    asked = FollowRequest(view_to_tell("maria", {"dialect": dialect}), at=at)

    def begin() -> ThreadStream:
        following.hub.start()
        tail = tail_of(tenant.views, thread_id, asked)
        framing = TaskFraming(queue_of(tenant.threads, thread_id, at=at))
        finite = at is not None or not follow
        return ThreadStream(following, tail, framing, finite=finite, pace=None)

    return StreamResponse(await run_in_threadpool(begin), thread_id)


unversioned = Router(prefix="/maria", in_document=False)
"""The same routes without a version, as the event streams of the first documents are written."""

for _route in router.routes:
    _path = f"{_route.method} {_route.template.removeprefix('/maria/v1')}"
    unversioned.add(
        _path, _route.need, stream=_route.stream, reads=_route.reads, audited=_route.audited
    )(_route.endpoint)


def _following(request: Request) -> TenantFollowers:
    followings: Followers = request.app.state.followings
    return followings.of(principal_of(request).tenant)
