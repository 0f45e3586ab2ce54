"""Routes of SQL for analysts: queries, and the catalogue of tables."""

from collections.abc import Callable
from typing import Annotated, Literal

from anyio import CapacityLimiter, to_thread
from fastapi import Query, Request, Response

from agentlog.api.http.codec.bodies import Body, read_body
from agentlog.api.http.codec.caller import TheTenant, request_limits, tenant_of
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.codec.wait_for_position import read_models_waited
from agentlog.api.http.openapi import bodies
from agentlog.api.http.openapi.answers import answers, body, content
from agentlog.api.http.routing import Router
from agentlog.api.shapes.shape import Page
from agentlog.api.shapes.tables import QueryAnswer, query_csv, query_json
from agentlog.infrastructure.analysts.analyst import Analyst
from agentlog.infrastructure.analysts.answers import CatalogueTable, QueryResult
from agentlog.infrastructure.analysts.errors import InvalidQuery

router = Router(prefix="/v1", tags=["analytics"])

_CSV = "text/csv"
_ANSWERS = answers(200, QueryAnswer, 400, 403, 404, 413)
_ANSWERS[200]["content"] = content("Csv", _CSV)


@router.add(
    "POST /analytics/sql",
    "read",
    waits=True,
    response_class=Response,
    responses=_ANSWERS,
    openapi_extra=body(bodies.Query, description="The query, and what goes with it."),
)
async def ask(
    request: Request,
    body: Body,
    form: Annotated[
        Literal["json", "csv"] | None,
        Query(alias="format", description="csv does what the header `Accept: text/csv` does."),
    ] = None,
) -> Response:
    """Ask the tables of analysts: one query, which can read what is theirs and change nothing.

    It is broken off after a time, and its answer ends at a limit of rows and at 16 MiB.
    """
    await read_models_waited(request)
    analyst = tenant_of(request).analyst
    as_csv = form == "csv" or (form is None and _CSV in request.headers.get("accept", ""))
    limits = await request_limits(request)

    def answer() -> Response:
        wanted = read_body(body, limits, bodies.Query, InvalidQuery.at)
        result = analyst.query(
            wanted.sql,
            wanted.parameters or (),
            limit=wanted.limit,
            seconds=wanted.timeout_seconds,
        )
        return _printed(result, as_csv=as_csv)

    return await _apart(analyst, answer)


@router.add("GET /analytics/sql/tables", "read", responses=answers(200, Page[CatalogueTable], 404))
async def list_tables(tenant: TheTenant) -> Response:
    """List the tables that queries may be about, with what each column means."""
    analyst = tenant.analyst
    return await _apart(analyst, lambda: json_answer({"items": analyst.tables(), "next": None}))


async def _apart(analyst: Analyst, answer: Callable[[], Response]) -> Response:
    """Run in a separate thread, so that queries do not occupy the shared ones.

    There are as many threads as slots.
    """
    with analyst.slot():
        return await to_thread.run_sync(answer, limiter=CapacityLimiter(1))


def _printed(result: QueryResult, *, as_csv: bool) -> Response:
    if as_csv:
        more = "true" if result.truncated else "false"
        headers = {"Agentlog-Truncated": more}
        return Response(query_csv(result), media_type=f"{_CSV}; header=present", headers=headers)
    return json_answer(query_json(result))
