"""Whether the service lives, and whether it can work."""

from fastapi import APIRouter, Request, Response

from api.http.answers import json_answer
from api.http.metrics import Metrics
from api.http.shapes import answers
from infrastructure.unavailable import DatabaseUnavailable

router = APIRouter(tags=["health"])


@router.get("/healthz", responses=answers(200, "Health"))
async def healthz() -> Response:
    """The process lives."""
    # not on a thread that all share: they may all wait for the database
    return json_answer({"status": "ok"})


@router.get("/readyz", responses=answers(200, "Health"))
async def readyz(request: Request) -> Response:
    """The database answers."""
    metrics: Metrics = request.app.state.metrics
    if await metrics.found() is None:
        raise DatabaseUnavailable("it gave no answer")
    return json_answer({"status": "ready"})
