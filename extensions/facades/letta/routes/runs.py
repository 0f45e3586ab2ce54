"""Routes of runs and their steps, and of runs as streams."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from fastapi import Query, Request, Response
from starlette.concurrency import run_in_threadpool
from typing_extensions import override

from agentlog.api.http.codec.bodies import body_of
from agentlog.api.http.codec.caller import TheTenant, principal_of, request_limits, tenant_of
from agentlog.api.http.codec.parameters import At
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.routing import Router
from agentlog.api.http.streaming.sse_framing import LettaFraming
from agentlog.api.http.streaming.sse_response import StreamResponse
from agentlog.api.http.streaming.subscribers import Followers
from agentlog.api.http.streaming.thread_stream import ThreadStream
from agentlog.api.tails import FollowRequest, tail_of, view_to_tell
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import integer_at, object_of
from agentlog.domain.points_in_time import Moment
from agentlog.extensions.facades.letta.paging import Newest, Oldest
from agentlog.extensions.facades.letta.reading import UnknownRun, run_at, turns_in
from agentlog.extensions.facades.letta.routes import PREFIX, THREADS
from agentlog.extensions.facades.letta.turns import Turn, id_of_run, run_json, steps_json
from agentlog.infrastructure.tenants import Tenant
from agentlog.projections.followed_view import FollowUpdate
from agentlog.projections.view import Item
from agentlog.projections.views.letta.turns import DONE

router = Router(prefix=PREFIX, in_document=False, threads=THREADS)

Named = Annotated[list[str] | None, Query()]


@router.add("GET /runs/", "read")
def list_runs(  # noqa: PLR0913, PLR0917 - one parameter a choice
    tenant: TheTenant,
    paging: Newest,
    at: At,
    agent_id: str | None = None,
    agent_ids: Named = None,
    conversation_id: str | None = None,
    statuses: Named = None,
    stop_reason: str | None = None,
    active: bool | None = None,  # noqa: FBT001 - a query parameter has a name
) -> Response:
    """List the runs of an agent."""
    own_id = _agent(agent_id, conversation_id, agent_ids)
    runs = [run_json(turn, own_id) for turn in turns_in(tenant, own_id, at=at)]
    listed = [
        run
        for run in runs
        if (statuses is None or run["status"] in statuses)
        and stop_reason in {None, run["stop_reason"]}
        and active in {None, run["status"] == "running"}
    ]
    return json_answer(paging.page(listed))


@router.add("GET /runs/{run_id}", "read")
def read_run(tenant: TheTenant, run_id: str, at: At) -> Response:
    """Return a run."""
    agent_id, turn = run_at(tenant, run_id, at=at)
    return json_answer(run_json(turn, agent_id))


@router.add("GET /runs/{run_id}/messages", "read")
def list_run(tenant: TheTenant, run_id: str, paging: Oldest, at: At) -> Response:
    """List the messages of a run."""
    _, turn = run_at(tenant, run_id, at=at)
    return json_answer(paging.page([item for item in turn.items if "id" in item]))


@router.add("GET /runs/{run_id}/usage", "read")
def read_usage(tenant: TheTenant, run_id: str, at: At) -> Response:
    """Return the tokens of a run; null where no answer told them."""
    _, turn = run_at(tenant, run_id, at=at)
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    return json_answer({name: turn.usage.get(name) for name in names})


@router.add("GET /runs/{run_id}/steps", "read")
def list_run_steps(tenant: TheTenant, run_id: str, paging: Newest, at: At) -> Response:
    """List the steps of a run."""
    agent_id, turn = run_at(tenant, run_id, at=at)
    return json_answer(paging.page(steps_json(turn, agent_id)))


@router.add("GET /steps/", "read")
def list_steps(tenant: TheTenant, paging: Newest, at: At, agent_id: str | None = None) -> Response:
    """List the steps of an agent."""
    own_id = _agent(agent_id)
    return json_answer(paging.page(list(_steps(tenant, own_id, at))))


@router.add("GET /steps/{step_id}", "read")
def read_step(tenant: TheTenant, step_id: str, at: At, agent_id: str | None = None) -> Response:
    """Return a step; its id is unique in its agent alone, which must be named."""
    own_id = _agent(agent_id)
    for step in _steps(tenant, own_id, at):
        if step["id"] == step_id:
            return json_answer(step)
    raise UnknownRun(step_id)


@router.add("GET /steps/{step_id}/messages", "read")
def list_step(
    tenant: TheTenant, step_id: str, paging: Oldest, at: At, agent_id: str | None = None
) -> Response:
    """List the messages of a step, whose agent must be named."""
    turns = turns_in(tenant, _agent(agent_id), at=at)
    items = [item for turn in turns for item in turn.items if item.get("step_id") == step_id]
    return json_answer(paging.page(items))


@router.add("POST /runs/{run_id}/stream", "read", stream=True)
async def stream_run(request: Request, run_id: str) -> Response:
    """Send a run as server-sent events: what there is, then what comes, up to its end."""
    tenant = tenant_of(request)
    agent_id, turn = await run_in_threadpool(lambda: run_at(tenant, run_id, at=None))
    return await _streamed(request, tenant, agent_id, turn)


@router.add("POST /conversations/{thread_id}/stream", "read", stream=True)
async def stream_conversation(request: Request, thread_id: str) -> Response:
    """Send the last run of a conversation."""
    tenant = tenant_of(request)
    turns = await run_in_threadpool(lambda: turns_in(tenant, thread_id, at=None))
    if not turns:
        raise UnknownRun(thread_id)
    return await _streamed(request, tenant, thread_id, turns[-1])


async def _streamed(request: Request, tenant: Tenant, agent_id: str, turn: Turn) -> Response:
    body = await body_of(request)
    fields = object_of((await request_limits(request)).json_in(body) if body.strip() else {})
    framing = RunFraming(id_of_run(turn, agent_id), after=integer_at(fields, "starting_after") or 0)
    if turn.stop_reason is not None:
        return Response(run_frames(turn, framing), media_type="text/event-stream")
    followings: Followers = request.app.state.followings
    following = followings.of(principal_of(request).tenant)
    asked = FollowRequest(view_to_tell("letta", {}), after=f"{turn.begin - 1}.{2**31}")

    def begin() -> ThreadStream:
        following.hub.start()
        tail = tail_of(tenant.views, agent_id, asked)
        return ThreadStream(following, tail, framing, finite=False, pace=None)

    return StreamResponse(await run_in_threadpool(begin), agent_id)


def _steps(tenant: Tenant, agent_id: str, at: Moment | None) -> Iterator[Item]:
    for turn in turns_in(tenant, agent_id, at=at):
        yield from steps_json(turn, agent_id)


def _agent(agent_id: str | None, *others: str | Sequence[str] | None) -> str:
    """Return the agent that a query names; runs of all agents at once are not listed."""
    names = [agent_id, *others]
    for name in names:
        if isinstance(name, str):
            return name
        if name:
            return name[0]
    raise InvalidMessage.at("agent_id", "name the agent: runs and steps are listed by agent")


_ENDS = ("stop_reason", "usage_statistics", DONE)
"""Items of a stream that have no number."""
_NO_USAGE: Item = {"message_type": "usage_statistics", "total_tokens": None}


class RunFraming(LettaFraming):
    """Frames of one run, those after the number `after`; a client stops at `[DONE]`."""

    def __init__(self, run_id: str, *, after: int) -> None:
        self._run_id = run_id
        self._after = after
        self._number = 0

    @override
    def frame(self, update: FollowUpdate) -> bytes:
        item = object_of(update.data)
        if item.get("message_type") in _ENDS:
            return super().frame(FollowUpdate(update.kind, None, item))
        self._number += 1
        if self._number <= self._after:
            return b""
        numbered = {**item, "seq_id": self._number, "run_id": self._run_id}
        return super().frame(FollowUpdate(update.kind, None, numbered))


def run_frames(turn: Turn, framing: RunFraming) -> bytes:
    """Return all frames of a run that has ended."""
    stop: Item = {"message_type": "stop_reason", "stop_reason": turn.stop_reason}
    items: list[Item] = [*turn.items, stop, turn.usage or _NO_USAGE, {"message_type": DONE}]
    return b"".join(framing.frame(FollowUpdate("item", None, item)) for item in items)
