"""Routes of SQL for analysts: queries, and the catalogue of tables."""

from collections.abc import Callable
from typing import Annotated, Literal

from anyio import CapacityLimiter, to_thread
from fastapi import Query, Request, Response

from agentlog.api.http.codec.bodies import Body
from agentlog.api.http.codec.caller import request_limits, tenant_of
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.codec.wait_for_position import read_models_waited
from agentlog.api.http.openapi.answers import answers, body, content
from agentlog.api.http.routing import Router
from agentlog.api.shapes.shape import Page
from agentlog.api.shapes.tables import QueryAnswer, query_csv, query_json
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.analysts.analyst import USUAL_ROWS, Analyst
from agentlog.infrastructure.analysts.answers import CatalogueTable, QueryResult
from agentlog.infrastructure.analysts.errors import InvalidQuery

router = Router(prefix="/v1", tags=["analytics"])

_FIELDS = ("sql", "parameters", "limit", "timeoutSeconds")
_CSV = "text/csv"
_ANSWERS = answers(200, QueryAnswer, 400, 403, 404, 413)
_ANSWERS[200]["content"] = content("Csv", _CSV)


@router.add(
    "POST /analytics/sql",
    "read",
    waits=True,
    response_class=Response,
    responses=_ANSWERS,
    openapi_extra=body("Query", description="The query, and what goes with it."),
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
    return await _apart(analyst, lambda: _answer(analyst, limits.json_in(body), as_csv=as_csv))


@router.add("GET /analytics/sql/tables", "read", responses=answers(200, Page[CatalogueTable], 404))
async def list_tables(request: Request) -> Response:
    """List the tables that queries may be about, with what each column means."""
    analyst = tenant_of(request).analyst
    return await _apart(analyst, lambda: json_answer({"items": analyst.tables(), "next": None}))


async def _apart(analyst: Analyst, answer: Callable[[], Response]) -> Response:
    """Run in a separate thread, so that queries do not occupy the shared ones.

    There are as many threads as slots.
    """
    with analyst.slot():
        return await to_thread.run_sync(answer, limiter=CapacityLimiter(1))


def _answer(analyst: Analyst, asked: JsonValue, *, as_csv: bool) -> Response:
    result = _asked(analyst, asked)
    if as_csv:
        more = "true" if result.truncated else "false"
        headers = {"Agentlog-Truncated": more}
        return Response(query_csv(result), media_type=f"{_CSV}; header=present", headers=headers)
    return json_answer(query_json(result))


def _asked(analyst: Analyst, asked: JsonValue) -> QueryResult:
    if not isinstance(asked, dict):
        raise InvalidQuery('send {"sql": …, "parameters"?: …, "limit"?: …, "timeoutSeconds"?: …}')
    unknown = [key for key in asked if key not in _FIELDS]
    if unknown:
        raise InvalidQuery(f"{unknown[0][:64]}: no such field: use {', '.join(_FIELDS)}")
    sql, limit, seconds = asked.get("sql"), asked.get("limit"), asked.get("timeoutSeconds")
    parameters = asked.get("parameters")
    if not isinstance(sql, str):
        raise InvalidQuery("sql: send the query as a string")
    if not isinstance(parameters, dict | list | None):
        raise InvalidQuery("parameters: send an object of names, or a list")
    if not isinstance(limit, int | None) or isinstance(limit, bool):
        raise InvalidQuery("limit: not an integer")
    if not isinstance(seconds, int | float | None) or isinstance(seconds, bool):
        raise InvalidQuery("timeoutSeconds: not a number")
    return analyst.query(
        sql, parameters or (), limit=USUAL_ROWS if limit is None else limit, seconds=seconds
    )
