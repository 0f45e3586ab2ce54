"""Tools that count over all threads: reports, and SQL on the tables of analysts."""

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from agentlog.domain.json.values import JsonValue, object_of
from agentlog.extensions.mcp.answers import Report, Reports, SqlAnswer, Tables
from agentlog.extensions.mcp.pages import MOST_BYTES, fitted, items_that_fit
from agentlog.extensions.mcp.parameters import ApiOf


class ReportTools:
    """Tools about all threads, by the API that `api_of` returns."""

    def __init__(self, api_of: ApiOf) -> None:
        self._api_of = api_of

    async def list_reports(self, ctx: Context) -> Reports:
        """List the reports over all threads: what each says, by what, and its filters."""
        answer = await self._api_of(ctx).get("/v1/analytics")
        return Reports(reports=[fitted(_without_comments(report)) for report in answer["items"]])

    async def report(  # noqa: PLR0913, PLR0917 - one parameter a choice
        self,
        ctx: Context,
        name: Annotated[str, Field(description="name of a report, as list_reports returns it")],
        by: Annotated[list[str] | None, Field(description="breakdown, such as tool, day")] = None,
        filter: Annotated[  # noqa: A002 - its name everywhere
            str | None,
            Field(description="which rows count: tool:pay -outcome:failed metadata.team:red"),
        ] = None,
        begin: Annotated[str | None, Field(description="from then on: a date or time")] = None,
        end: Annotated[str | None, Field(description="before then")] = None,
        order: Annotated[str | None, Field(description="a column, -column: largest first")] = None,
        limit: Annotated[int, Field(ge=1, le=500)] = 50,
    ) -> Report:
        """Ask a report about all threads: usage, tools, failures, latency, approvals and others."""
        given = {"by": by and ",".join(by), "filter": filter, "from": begin, "to": end}
        answer = await self._api_of(ctx).get(
            "/v1/analytics/{}", name, **given, order=order, limit=limit
        )
        rows = [object_of(fitted(row, MOST_BYTES // 2)) for row in answer["rows"]]
        page = items_that_fit(rows)
        return Report(
            report=answer["report"],
            as_of=answer["asOf"],
            columns=[_without_comments(column) for column in answer["columns"]],
            rows=page,
            truncated=answer["truncated"] or len(page) < len(rows),
        )

    async def sql_tables(
        self,
        ctx: Context,
        table: Annotated[
            str | None, Field(description="name of a table, for its columns; default the list")
        ] = None,
    ) -> Tables:
        """List the tables that sql may read, or the columns of one."""
        answer = await self._api_of(ctx).get("/v1/analytics/sql/tables")
        tables = answer["items"]
        if table is not None:
            named = [fitted(entry) for entry in tables if entry["name"] == table]
            if not named:
                known = ", ".join(table["name"] for table in tables)
                raise ToolError(f"there is no table {table[:64]!r}: there are {known}")
            return Tables(tables=named)
        return Tables(
            tables=[fitted({**table, "columns": len(table["columns"])}) for table in tables]
        )

    async def sql(
        self,
        ctx: Context,
        query: Annotated[str, Field(description="one SELECT; PostgreSQL, parameters as %(name)s")],
        parameters: dict[str, Any] | None = None,
        limit: Annotated[int, Field(ge=1, le=500)] = 100,
    ) -> SqlAnswer:
        """Ask the tables of analysts in SQL; it can read its tenant's and change nothing."""
        body: JsonValue = {"sql": query, "parameters": parameters or {}, "limit": limit}
        answer = await self._api_of(ctx).post("/v1/analytics/sql", body=body)
        rows = [fitted(row, MOST_BYTES // 2) for row in answer["rows"]]
        page = items_that_fit(rows)
        return SqlAnswer(
            columns=answer["columns"],
            rows=[row if isinstance(row, list) else [row] for row in page],
            truncated=answer["truncated"] or len(page) < len(rows),
            as_of=answer["asOf"],
        )


def _without_comments(described: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in described.items() if key not in {"comment", "clocks"}}
