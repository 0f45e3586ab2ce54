"""Routes of forks: fork a thread at a point of its history, and the tree of its forks."""

from fastapi import Response

from agentlog.api.http.codec.bodies import Body, read_body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, TheTenant
from agentlog.api.http.codec.parameters import Hidden, ThreadId
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.openapi.answers import TRACEPARENT, answers, body
from agentlog.api.http.openapi.bodies import ForkBody
from agentlog.api.http.routing import Router
from agentlog.api.shapes.forks import Fork, Tree, fork_json, tree_json
from agentlog.domain.points_in_time import parse_moment
from agentlog.infrastructure.forks.edits import edits_in

router = Router(prefix="/v1", tags=["forks"])


@router.add(
    "POST /threads/{thread_id}/fork",
    "append",
    status_code=201,
    responses={**answers(200, Fork), **answers(201, Fork, 400, 404, 409, 413)},
    openapi_extra=body(ForkBody, TRACEPARENT, description="Where, under which id, and edits."),
)
def fork_thread(
    tenant: TheTenant,
    limits: TheLimits,
    thread_id: ThreadId,
    body: Body,
    origin: TheOrigin,
) -> Response:
    """Start a thread with a copy of another's messages up to a point. Doing so again is safe."""
    wanted = read_body(body, limits, ForkBody)
    facts = {"goal": wanted.goal, "metadata": wanted.metadata}
    fork = tenant.forker.fork(
        thread_id,
        None if wanted.at is None else parse_moment(wanted.at),
        as_thread=wanted.thread_id,
        edits=edits_in(wanted.edits),
        facts={name: fact for name, fact in facts.items() if fact is not None},
        origin=origin,
    )
    headers = {"Location": f"/v1/threads/{fork.thread_id}", "ETag": f'"{fork.version}"'}
    return json_answer(fork_json(fork), status=200 if fork.replayed else 201, headers=headers)


@router.add("GET /threads/{thread_id}/forks", "read", responses=answers(200, Tree, 404))
def read_forks(tenant: TheTenant, thread_id: ThreadId, hidden: Hidden = False) -> Response:  # noqa: FBT002 - a query parameter has a name
    """The tree of forks that a thread stands in, each thread before its forks."""
    threads, truncated = tenant.forker.tree(thread_id, hidden=hidden)
    return json_answer(tree_json(threads, truncated=truncated))
