"""The route of hazards: what a replay of a recorded run may do again."""

from collections import Counter
from typing import Annotated

from fastapi import Query, Response
from typing_extensions import TypedDict

from agentlog.api.http.codec.caller import TheThreads
from agentlog.api.http.codec.parameters import ThreadId
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.openapi.answers import answers
from agentlog.api.http.routing import Router
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.extensions.runs.infrastructure.exchanges import recorded_runs
    from agentlog.extensions.runs.projections.tapes import hazards

router = Router(prefix="/v1", tags=["forks"])


class ToolCalls(TypedDict):
    """A tool, and how often it was called."""

    name: str
    calls: int


class Hazards(TypedDict):
    """Recorded calls that a replay may make again, of tools that are not known to only read."""

    items: list[ToolCalls]


def hazards_json(calls: Counter[str]) -> Hazards:
    """Return the calls by tool, the most called first."""
    return {"items": [{"name": name, "calls": count} for name, count in calls.most_common()]}


@router.add("GET /threads/{thread_id}/hazards", "read", responses=answers(200, Hazards, 404))
def read_hazards(
    threads: TheThreads,
    thread_id: ThreadId,
    begin: Annotated[
        int | None,
        Query(alias="from", ge=1, description="The version where the agent goes on live."),
    ] = None,
) -> Response:
    """Recorded calls that a replay may make again: those of tools not known to only read."""
    cursor = recorded_runs.RecordedThread(threads, thread_id).cursor(begin)
    return json_answer(hazards_json(hazards.hazards(cursor.whole)))
