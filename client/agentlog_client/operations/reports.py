"""Reports over all threads, and SQL."""

from collections.abc import Mapping, Sequence
from typing import Any

from agentlog_client.models import CatalogueTable, QueryAnswer, ReportAnswer, ReportTerms
from agentlog_client.operation import (
    Json,
    Listing,
    Moment,
    Operation,
    as_model,
    as_page,
    request,
)


def reports() -> Listing[ReportTerms]:
    """List the reports, with what each can be asked."""
    return Listing(request("GET", "/v1/analytics"), as_page(ReportTerms))


def report(  # noqa: PLR0913 - one parameter a choice
    name: str,
    *,
    by: str | Sequence[str] | None = None,
    begin: Moment | None = None,
    end: Moment | None = None,
    clock: str | None = None,
    order: str | None = None,
    limit: int | None = None,
    wait: int | None = None,
    filter: str | None = None,  # noqa: A002 - the API's name
) -> Operation[ReportAnswer]:
    """Read a report, as `tools`; `filter` says which rows count, as `model:gpt-4o`."""
    asked = request(
        "GET",
        "/v1/analytics/{}",
        name,
        query={
            "by": by,
            "from": begin,
            "to": end,
            "clock": clock,
            "order": order,
            "limit": limit,
            "wait": wait,
            "format": "json",
            "filter": filter,
        },
    )
    return Operation(asked, as_model(ReportAnswer))


def sql(
    query: str,
    parameters: Mapping[str, Json] | Sequence[Json] | None = None,
    *,
    limit: int | None = None,
    timeout_seconds: float | None = None,
) -> Operation[QueryAnswer]:
    """Ask a SELECT of the read models, with values for `:name` or `$1`."""
    fields: dict[str, Any] = {
        "parameters": parameters,
        "limit": limit,
        "timeoutSeconds": timeout_seconds,
    }
    body = {"sql": query} | {k: v for k, v in fields.items() if v is not None}
    return Operation(request("POST", "/v1/analytics/sql", body=body), as_model(QueryAnswer))


def tables() -> Listing[CatalogueTable]:
    """List the tables that `sql` may ask, with their columns."""
    return Listing(request("GET", "/v1/analytics/sql/tables"), as_page(CatalogueTable))
