"""Routes of threads: start, list, read, close, annotate, remark."""

from fastapi import Response
from ulid import ULID

from agentlog.api.http.codec.bodies import Body, fields_in, read_body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, TheThreads
from agentlog.api.http.codec.parameters import (
    After,
    Hidden,
    Limit,
    TheIndexedFilter,
    ThreadId,
    number_cursor,
)
from agentlog.api.http.codec.responses import json_answer, page_answer
from agentlog.api.http.openapi.answers import TRACEPARENT, answers, body
from agentlog.api.http.openapi.bodies import AnnotateBody, CloseBody
from agentlog.api.http.routing import Router
from agentlog.api.shapes.shape import Page
from agentlog.api.shapes.threads import Appended, Thread, appended_json, thread_json
from agentlog.domain.errors import InvalidMessage

router = Router(prefix="/v1", tags=["threads"])


_FACTS = ("goal", "parent", "limits", "policy", "metadata")


@router.add(
    "POST /threads",
    "append",
    status_code=201,
    responses={**answers(200, Appended), **answers(201, Appended, 400, 409, 413)},
    openapi_extra=body("StartBody", TRACEPARENT, description="What the thread is for."),
)
def start_thread(threads: TheThreads, limits: TheLimits, body: Body, origin: TheOrigin) -> Response:
    """Start a thread, under an id of yours or a new one. Starting it again the same way is safe."""
    facts = fields_in(body, limits, "threadId", *_FACTS)
    thread_id = facts.pop("threadId", None)
    if not isinstance(thread_id, str | None):
        raise InvalidMessage.at("threadId", "not a string")
    new_id = str(ULID()) if thread_id is None else thread_id
    appended = threads.start(new_id, facts, origin=origin)
    headers = {"Location": f"/v1/threads/{appended.thread_id}", "ETag": f'"{appended.version}"'}
    status = 200 if appended.messages[0].replayed else 201
    return json_answer(appended_json(appended), status=status, headers=headers)


@router.add("GET /threads", "read", responses=answers(200, Page[Thread]))
def list_threads(
    threads: TheThreads,
    which: TheIndexedFilter,
    after: After = None,
    limit: Limit = 50,
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """List threads as the log has them now, most recently changed first.

    `/v1/summaries` takes every filter, and any order.
    """
    heads = threads.heads(which, before=number_cursor(after), limit=limit + 1, hidden=hidden)
    return page_answer(heads, limit, shown=thread_json, place=lambda head: head.position)


@router.add("GET /threads/{thread_id}", "read", responses=answers(200, Thread, 404))
def read_thread(
    threads: TheThreads,
    thread_id: ThreadId,
    hidden: Hidden = False,  # noqa: FBT002 - a query parameter has a name
) -> Response:
    """Where a thread stands; its version comes as ETag too."""
    head = threads.head(thread_id, hidden=hidden)
    return json_answer(thread_json(head), headers={"ETag": f'"{head.version}"'})


@router.add(
    "POST /threads/{thread_id}/close",
    "append",
    responses=answers(200, Appended, 400, 404, 409, 413),
    openapi_extra=body(CloseBody, TRACEPARENT, description="Why, if there is something to say."),
)
def close_thread(
    threads: TheThreads,
    limits: TheLimits,
    thread_id: ThreadId,
    body: Body,
    origin: TheOrigin,
) -> Response:
    """Close a thread: nothing follows."""
    reason = read_body(body, limits, CloseBody).reason
    appended = threads.close(thread_id, reason, origin=origin)
    return json_answer(appended_json(appended))


@router.add(
    "POST /threads/{thread_id}/annotate",
    "append",
    responses=answers(200, Appended, 400, 404, 413),
    openapi_extra=body(AnnotateBody, TRACEPARENT, description="Keys to set; null takes one away."),
)
def annotate_thread(
    threads: TheThreads,
    limits: TheLimits,
    thread_id: ThreadId,
    body: Body,
    origin: TheOrigin,
) -> Response:
    """Add to a thread's metadata."""
    metadata = read_body(body, limits, AnnotateBody).metadata
    appended = threads.annotate(thread_id, metadata, origin=origin)
    return json_answer(appended_json(appended))


@router.add(
    "POST /threads/{thread_id}/remarks",
    "append",
    status_code=201,
    responses={**answers(200, Appended), **answers(201, Appended, 400, 404, 409, 413)},
    openapi_extra=body("RemarkBody", TRACEPARENT, description="A note, labels or a judgement."),
)
def remark_on_thread(
    threads: TheThreads,
    limits: TheLimits,
    thread_id: ThreadId,
    body: Body,
    origin: TheOrigin,
) -> Response:
    """Say something about a thread, or about one of its events; closed ones too.

    It is no part of what the agent did: no view shows it to a model, and the thread's last activity
    stays as it was. The view `remarks` shows what stands.
    """
    remark = limits.json_in(body)
    if not isinstance(remark, dict):
        raise InvalidMessage.at("", "send a JSON object")
    appended = threads.remark(thread_id, remark, origin=origin)
    status = 200 if appended.messages[0].replayed else 201
    return json_answer(appended_json(appended), status=status)
