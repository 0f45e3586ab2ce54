"""Whether the service lives, and whether it can work."""

from fastapi import APIRouter, Request, Response

from api.http.answers import json_answer
from api.http.inquiry import CONNECTION_SECONDS, Inquiry
from api.http.shapes import answers
from infrastructure.database import Database
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
    readiness: Inquiry[bool] = request.app.state.readiness
    if not await readiness.answer():
        raise DatabaseUnavailable("it gave no answer")
    return json_answer({"status": "ready"})


def readiness_of(database: Database) -> Inquiry[bool]:
    """Return what asks whether the database answers."""

    def ask() -> bool:
        with database.connection(wait_seconds=CONNECTION_SECONDS) as connection:
            return connection.execute("SELECT true").fetchone() == (True,)

    return Inquiry(database, ask)
