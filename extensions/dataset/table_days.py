"""Reads a read model's table by day and column, within the caller's snapshot."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import psycopg
import pyarrow as pa
from psycopg.sql import SQL, Composable, Composed, Identifier

from agentlog.extensions.dataset.schema import arrow_schema, column, read_times_as_numbers
from agentlog.projections.readmodels.table import Table

_PAGE_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class DayRows:
    """Summary of a day's rows: how many, how many may still change, and a digest of those."""

    rows: int
    open: int
    digest: str


class TableDays:
    """One tenant's `rows` of a read model, by the day of its definition."""

    def __init__(self, table: Table, rows: Composable, *, tenant: str) -> None:
        self._table = table
        self._tenant = tenant
        self._schema = arrow_schema(table.name, tenant=tenant)
        self._rows = rows
        known = SQL(" OR {} IS NOT NULL").format(Identifier(table.identity or ""))
        self._may_change = SQL("(is_open{})").format(known if table.identity else SQL(""))
        self._day = Identifier(table.day)

    def days(self, connection: psycopg.Connection) -> dict[date | None, DayRows]:
        """Return every day that has rows; days are in UTC.

        Only open rows can change or be deleted, and those of an identity, which others tell again:
        a day with the same number of rows and the same ones of these has the same rows.
        """
        days = connection.execute(
            SQL(
                "SELECT ({day} AT TIME ZONE 'UTC')::date, count(*), "
                "count(*) FILTER (WHERE is_open), "
                "coalesce(sum(hashtextextended(item::text, 0)) "
                "FILTER (WHERE {may_change}), 0)::text "
                "FROM {rows} AS item WHERE tenant = %s GROUP BY 1 ORDER BY 1"
            ).format(day=self._day, rows=self._rows, may_change=self._may_change),
            (self._tenant,),
        ).fetchall()
        return {day: DayRows(rows, still_open, digest) for day, rows, still_open, digest in days}

    def days_of(self, connection: psycopg.Connection, threads: Sequence[str]) -> set[date | None]:
        """Return the days that have rows of some threads."""
        rows = connection.execute(
            SQL(
                "SELECT DISTINCT ({day} AT TIME ZONE 'UTC')::date FROM {rows} AS item "
                "WHERE tenant = %s AND thread_id = ANY (%s)"
            ).format(day=self._day, rows=self._rows),
            (self._tenant, list(threads)),
        ).fetchall()
        return {day for (day,) in rows}

    def rows(self, connection: psycopg.Connection, day: date | None) -> Iterator[pa.RecordBatch]:
        """Yield a day's rows in the order of time and key."""
        with connection.cursor(name="day_of_read_model") as cursor:
            read_times_as_numbers(cursor)
            cursor.execute(self._rows_of(day), self._span(day), binary=True)
            while rows := cursor.fetchmany(_PAGE_ROWS):
                columns = zip(*rows, strict=True)
                arrays = [
                    column(values, field.type)
                    for values, field in zip(columns, self._schema, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _rows_of(self, day: date | None) -> Composed:
        within = "{day} IS NULL" if day is None else "{day} >= %(begin)s AND {day} < %(end)s"
        keys = [self._table.day, *(key for key in self._table.key if key != "tenant")]
        return SQL(
            f"SELECT {{columns}} FROM {{rows}} AS item WHERE tenant = %(tenant)s AND {within} "  # noqa: S608 - ours
            "ORDER BY {keys}"
        ).format(
            columns=SQL(", ").join(Identifier(shown.name) for shown in self._table.columns),
            rows=self._rows,
            day=self._day,
            keys=SQL(", ").join(map(Identifier, keys)),
        )

    def _span(self, day: date | None) -> dict[str, object]:
        if day is None:
            return {"tenant": self._tenant}
        begin = datetime(day.year, day.month, day.day, tzinfo=UTC)
        return {"tenant": self._tenant, "begin": begin, "end": begin + timedelta(days=1)}
