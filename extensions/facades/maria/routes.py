"""Routes of Maria's daemon, under the address that its user interface is given.

What needs the daemon itself is refused: a task begins and is cancelled where its agent is.
"""

from typing import Annotated

from fastapi import Query, Request, Response
from starlette.concurrency import run_in_threadpool

from agentlog.api.http.codec.bodies import Body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, principal_of, tenant_of
from agentlog.api.http.codec.parameters import At
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.routing import Router
from agentlog.api.http.streaming.sse_response import StreamResponse
from agentlog.api.http.streaming.subscribers import Followers, TenantFollowers
from agentlog.api.http.streaming.thread_stream import ThreadStream
from agentlog.api.tails import FollowRequest, tail_of, view_to_tell
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import object_at, object_of
from agentlog.extensions.facades.errors import RunsNoAgent
from agentlog.extensions.facades.maria.streams import (
    MOST_TASKS,
    TaskFraming,
    TaskListStream,
    recent_tasks,
)
from agentlog.extensions.facades.maria.tasks import queue_of, task_json
from agentlog.projections.readers.wires.letta_parts import parts_text
from agentlog.projections.view import Item
from agentlog.projections.views.maria.events import event_ids
from agentlog.projections.views.maria.view import Dialect

router = Router(prefix="/maria/v1", in_document=False)


@router.add("GET /tasks", "read")
def list_tasks(
    request: Request, limit: Annotated[int, Query(ge=1, le=1000)] = MOST_TASKS
) -> Response:
    """List the tasks last at work."""
    return json_answer({"tasks": recent_tasks(tenant_of(request).threads, limit)})


@router.add("GET /task/{thread_id}", "read")
def read_task(request: Request, thread_id: str) -> Response:
    """Return a task, with what waits in its queue."""
    threads = tenant_of(request).threads
    task = task_json(threads, threads.head(thread_id))
    return json_answer({"task": {**task, "queued_messages": [*queue_of(threads, thread_id)]}})


@router.add("GET /task/{thread_id}/queued_messages", "read")
@router.add("GET /task/{thread_id}/queued-messages", "read")
def list_queue(request: Request, thread_id: str, at: At) -> Response:
    """List what waits in the queue of a task."""
    return json_answer(queue_of(tenant_of(request).threads, thread_id, at=at))


@router.add("GET /queued_messages", "any key")
@router.add("GET /queued-messages", "any key")
async def list_no_queue() -> Response:
    """List what waits for no task: there is no such thing."""
    return json_answer([])


@router.add("POST /task/{thread_id}/message", "append")
def record_message(
    request: Request, thread_id: str, body: Body, limits: TheLimits, origin: TheOrigin
) -> Response:
    """Record what is sent to a task; no agent answers."""
    message = object_at(object_of(limits.json_in(body)), "message")
    if message.get("role") != "user":
        raise InvalidMessage.at("message.role", "send the message of a user")
    threads = tenant_of(request).threads
    threads.head(thread_id)
    draft: Item = {"type": "input", "text": parts_text(message, "content")}
    appended = threads.writer.append(threads.request(thread_id, [draft], origin=origin))
    return json_answer({"id": event_ids(appended.messages[0].id, 1)[0], "queued": False})


@router.add("POST /task", "any key")
async def begin_task() -> Response:
    """Refuse to begin a task."""
    raise RunsNoAgent


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


def _following(request: Request) -> TenantFollowers:
    followings: Followers = request.app.state.followings
    return followings.of(principal_of(request).tenant)
