"""Routes of projections: status, rebuild, pause and resume."""

from typing import Annotated

from fastapi import Path, Request, Response
from fastapi.concurrency import run_in_threadpool

from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.codec.wait_for_position import read_models_waited
from agentlog.api.http.openapi.answers import answers
from agentlog.api.http.routing import Router
from agentlog.api.shapes.shape import Page
from agentlog.api.shapes.threads import Projection
from agentlog.infrastructure.readmodels.projection_status import ProjectionStatus
from agentlog.projections.readmodels.registry import READ_MODELS, read_model

router = Router(prefix="/v1", tags=["projections"])

Name = Annotated[str, Path(json_schema_extra={"enum": list(READ_MODELS)}, examples=["messages"])]


def _standings(request: Request) -> ProjectionStatus:
    projection_status: ProjectionStatus = request.app.state.projection_status
    return projection_status


def _answer(request: Request, name: str | None = None) -> Response:
    builds = _standings(request).builds()
    items = [Projection.of(build) for build in builds if name is None or build.name == name]
    return json_answer({"items": items, "next": None})


@router.add("GET /projections", "admin", responses=answers(200, Page[Projection], 404))
async def list_projections(request: Request) -> Response:
    """List every projection: how far it is, or why it stands still.

    With `wait`, once all have come to that position: so that a client reads what it appended.
    """
    await read_models_waited(request)
    return await run_in_threadpool(_answer, request)


@router.add("GET /projections/{name}", "admin", responses=answers(200, Page[Projection], 404))
async def read_projection(request: Request, name: Name) -> Response:
    """Read where one projection stands: its live build, and the one beside it if any."""
    read_model(name)
    await read_models_waited(request, [name])
    return await run_in_threadpool(_answer, request, name)


@router.add(
    "POST /projections/{name}/rebuild",
    "admin",
    status_code=202,
    responses=answers(202, Page[Projection], 404, 409),
)
def rebuild_projection(request: Request, name: Name) -> Response:
    """Build it anew beside what is live, which it replaces once it has caught up."""
    _standings(request).rebuild(name)
    answer = _answer(request, name)
    answer.status_code = 202
    return answer


@router.add(
    "POST /projections/{name}/pause", "admin", responses=answers(200, Page[Projection], 404)
)
def pause_projection(request: Request, name: Name) -> Response:
    """Have it stand still until it is resumed."""
    _standings(request).pause(name)
    return _answer(request, name)


@router.add(
    "POST /projections/{name}/resume", "admin", responses=answers(200, Page[Projection], 404)
)
def resume_projection(request: Request, name: Name) -> Response:
    """Have it go on, also where an event had stopped it."""
    _standings(request).resume(name)
    return _answer(request, name)
