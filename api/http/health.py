"""Whether the service lives, and whether it can work."""

from fastapi import APIRouter, Request, Response

from api.http.answers import json_answer
from api.http.shapes import answers
from infrastructure.database import Database

router = APIRouter(tags=["health"])


@router.get("/healthz", responses=answers(200, "Health"))
async def healthz() -> Response:
    """The process lives."""
    # not on a thread: all of them may wait for the database
    return json_answer({"status": "ok"})


@router.get("/readyz", responses=answers(200, "Health"))
def readyz(request: Request) -> Response:
    """The database answers."""
    database: Database = request.app.state.database
    with database.connection() as connection:
        connection.execute("SELECT 1")
    return json_answer({"status": "ready"})
