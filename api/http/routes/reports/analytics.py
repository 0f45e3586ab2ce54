"""Routes of reports: JSON or CSV of the same answer."""

from typing import Annotated, Literal

from fastapi import Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from agentlog.api.http.codec.caller import tenant_of
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.codec.wait_for_position import PARAMETER, read_models_waited
from agentlog.api.http.openapi.answers import answers, content, parameter
from agentlog.api.http.routing import Router
from agentlog.api.questions import question_of
from agentlog.api.shapes.reports import (
    ReportAnswer,
    ReportTerms,
    report_csv,
    report_json,
    terms_json,
)
from agentlog.api.shapes.shape import Page
from agentlog.infrastructure.reports.catalogue import REPORTS, report
from agentlog.infrastructure.reports.query import read_models_of
from agentlog.infrastructure.reports.question import MOST_ROWS
from agentlog.infrastructure.reports.report import METADATA
from agentlog.infrastructure.reports.reports import ReportResult

router = Router(prefix="/v1", tags=["analytics"])

ReportFormat = Literal["json", "csv"]

_MEDIA_TYPES: dict[str, ReportFormat] = {"application/json": "json", "text/csv": "csv"}
_OWN = (PARAMETER, "format")
_FORMATS = (
    "What to answer; without it, what `Accept` prefers of application/json and text/csv. In CSV, "
    "a text that a spreadsheet would compute has an apostrophe first."
)


_BREAKDOWNS = "; ".join(
    f"{one.name}: {', '.join(one.breakdowns)}" for one in REPORTS.values() if one.breakdowns
)
_STRING = {"type": "string"}
_STRINGS = {"type": "array", "items": _STRING}
_FILTERS = "; ".join(
    f"{one.name}: {', '.join({**one.source.columns, **one.source.lists})}"
    for one in REPORTS.values()
)

_PARAMETERS = [
    parameter(
        "by",
        f"What rows are about; several together, repeated or with commas between. {_BREAKDOWNS}. "
        f"{METADATA}KEY is a key of the thread's metadata, as it is now. Days are of UTC. Empty "
        "for one row over everything.",
        _STRINGS,
        example=["day", "tool"],
    ),
    parameter(
        "from",
        "From then on: an RFC 3339 time with its zone, or a date, whose day begins in `zone`.",
        _STRING,
        example="2026-01-05",
    ),
    parameter(
        "to",
        "Before then: a time or a date, as `from`; that day counts no more.",
        _STRING,
        example="2026-02-01T00:00:00Z",
    ),
    parameter(
        "clock",
        "Which time counts, for days, `from` and `to`: when the log took the message that began "
        "it (recorded), or when the first of its messages was made by its producer's clock (sent); "
        "what has no such time is then on no day, and in no range, and `untimed` counts it.",
        {"type": "string", "enum": ["recorded", "sent"], "default": "recorded"},
    ),
    parameter(
        "zone",
        "Where days, weeks and hours begin: a name of the IANA database of time zones.",
        {"type": "string", "default": "UTC"},
        example="Europe/Berlin",
    ),
    parameter("order", "A column; with a minus the largest first.", _STRING, example="-error_rate"),
    parameter(
        "limit",
        "How many rows, at most; `truncated` says whether there are more.",
        {"type": "integer", "minimum": 1, "maximum": MOST_ROWS},
    ),
    parameter(
        "filter",
        "Which rows count: terms as `tool:search -outcome:failed metadata.team:red`. "
        f"{_FILTERS}. thread:, parent: and metadata.KEY: are of every report.",
        _STRING,
        example="tool:search",
    ),
]

_ANSWERS = answers(200, ReportAnswer, 404)
_ANSWERS[200]["content"] = content("Csv", "text/csv")


@router.add("GET /analytics", "read", responses=answers(200, Page[ReportTerms]))
async def list_reports() -> Response:
    """List the reports: what each says, by what, and narrowed by what."""
    return json_answer({"items": [terms_json(one) for one in REPORTS.values()], "next": None})


@router.add(
    "GET /analytics/{name}",
    "read",
    responses=_ANSWERS,
    openapi_extra={"parameters": _PARAMETERS},
)
async def read_report(
    request: Request,
    name: Annotated[str, Path(description=f"One of {', '.join(REPORTS)}.", examples=["tools"])],
    wanted: Annotated[ReportFormat | None, Query(alias="format", description=_FORMATS)] = None,
) -> Response:
    """Ask a report about all threads, as of the position that its read model has reached."""
    asked = report(name)
    pairs = request.query_params.multi_items()
    question = question_of(asked, [pair for pair in pairs if pair[0] not in _OWN])
    await read_models_waited(request, read_models_of(asked, question))
    reports = tenant_of(request).reports

    def answer() -> Response:
        return _printed(reports.ask(asked.name, question), wanted or _preferred(request))

    return await run_in_threadpool(answer)


def _printed(answer: ReportResult, wanted: ReportFormat) -> Response:
    headers = {"Vary": "Accept"}
    match wanted:
        case "json":
            return json_answer(report_json(answer), headers=headers)
        case "csv":
            headers["Agentlog-Truncated"] = "true" if answer.truncated else "false"
            media_type = "text/csv; header=present"
            return Response(report_csv(answer), media_type=media_type, headers=headers)


def _preferred(request: Request) -> ReportFormat:
    """Return the client's preferred format by its Accept header."""
    preferred = sorted(
        (part.partition(";") for part in request.headers.get("accept", "").split(",")),
        key=lambda parts: -_quality(parts[2]),
    )
    for media_type, _, _ in preferred:
        if media_type.strip() in _MEDIA_TYPES:
            return _MEDIA_TYPES[media_type.strip()]
    return "json"


def _quality(parameters: str) -> float:
    """Return the weight of a media range in Accept (RFC 9110, 12.4.2)."""
    name, _, value = parameters.strip().partition("=")
    try:
        return float(value) if name.strip() == "q" else 1.0
    except ValueError:
        return 1.0
