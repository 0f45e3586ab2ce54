"""Routes of recorded reads (`AGENTLOG_READ_AUDIT=on`)."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from api.http.codec.dependencies import After, Limit, number_cursor, principal_of
from api.http.codec.responses import json_answer
from api.http.openapi.schemas import answers
from api.shapes.access import access_json
from domain.identifiers import THREAD_ID_PATTERN
from infrastructure.keys.accesses import Accesses
from infrastructure.keys.key import ID_PATTERN

router = APIRouter(tags=["keys"])


@router.get("/accesses", responses=answers(200, "Accesses"))
def list_accesses(
    request: Request,
    key: Annotated[
        str | None, Query(pattern=ID_PATTERN, description="Only by the key of this id.")
    ] = None,
    thread: Annotated[
        str | None, Query(pattern=THREAD_ID_PATTERN, description="Only of this thread.")
    ] = None,
    after: After = None,
    limit: Limit = 100,
) -> Response:
    """List who read what of the tenant, and who was refused, the latest first."""
    accesses: Accesses = request.app.state.accesses
    found = accesses.page(
        principal_of(request).tenant,
        key_id=key,
        thread_id=thread,
        before=number_cursor(after),
        limit=limit + 1,
    )
    page = found[:limit]
    following = str(page[-1].number) if len(found) > limit else None
    return json_answer({"items": [access_json(each) for each in page], "next": following})
