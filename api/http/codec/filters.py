"""Filters of threads: by state, words, parent and metadata, and by what became of them."""

from typing import Annotated, Literal

from fastapi import Depends, Query, Request

from agentlog.api.filters import metadata_filter
from agentlog.api.http.codec.parameters import without_nul
from agentlog.api.http.openapi.answers import metadata_parameter
from agentlog.domain.json.values import JsonValue
from agentlog.domain.threads import Status
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.reports.summaries import SummaryQuery
from agentlog.projections.outcomes.outcome import ThreadOutcome, ThreadVerdict

_METADATA = "metadata."
METADATA_PARAMETER = metadata_parameter(
    "`metadata.KEY=VALUE`, for any top-level keys of the metadata: what they must "
    "be. A value that reads as a number, true, false, null or a quoted string of JSON is that, so "
    "0.0 finds 0; any other is a string. Values of more than 1,000 characters are not found.",
    team="support",
    reward="0.0",
)
_TEXT = (
    "Text to look for, whatever its case: each part of it, between spaces, must stand in the id or "
    "in the first 4,000 characters of the goal, from the beginning of a word. Each character of a "
    "script without spaces, and each of punctuation, counts as a word. Of a thread that was never "
    "started, all of it must begin the id, as that is written."
)
_FAILED = "Whether a call of a tool failed, or there was a runtime error, or it exited with error."


def metadata_in(request: Request) -> dict[str, JsonValue]:
    """Return the query's filters on metadata, whose names have any keys."""
    return metadata_filter(
        (name.removeprefix(_METADATA), value)
        for name, value in request.query_params.multi_items()
        if name.startswith(_METADATA)
    )


async def thread_filter(
    request: Request,
    status: Status | None = None,
    q: Annotated[str | None, Query(description=_TEXT, max_length=1000)] = None,
    parent: Annotated[str | None, Query(description="Id of the parent thread.")] = None,
) -> ThreadFilter:
    """Return the query's filters of threads."""
    return ThreadFilter(
        status=status,
        parent=parent and without_nul(parent),
        text=q and without_nul(q),
        metadata=metadata_in(request),
    )


async def summary_filter(  # noqa: PLR0913, PLR0917 - one parameter a filter
    outcome: ThreadOutcome | None = None,
    verdict: Annotated[
        ThreadVerdict | Literal["unknown"] | None, Query(description="What it came to.")
    ] = None,
    rule: Annotated[
        str | None, Query(description="A rule of suspicion that a call of it meets.")
    ] = None,
    loops: Annotated[
        bool | None, Query(description="Whether it made the same calls again and again.")
    ] = None,
    anomalies: Annotated[bool | None, Query(description="Whether it has any.")] = None,
    failed: Annotated[bool | None, Query(description=_FAILED)] = None,
    pending: Annotated[
        bool | None, Query(description="Whether a request for approval waits for its answer.")
    ] = None,
) -> SummaryQuery:
    """Return the query's filters of threads by what became of them."""
    return SummaryQuery(
        outcome=outcome,
        verdict=verdict,
        rule=rule and without_nul(rule),
        loops=loops,
        anomalies=anomalies,
        failed=failed,
        pending=pending,
    )


TheFilter = Annotated[ThreadFilter, Depends(thread_filter)]
TheSummaryFilter = Annotated[SummaryQuery, Depends(summary_filter)]
