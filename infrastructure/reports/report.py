"""Definition of a report: its columns, breakdowns and filters."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, LiteralString

Clock = Literal["recorded", "sent"]

Fragment = LiteralString
"""A literal of SQL; statements consist only of these and quoted names."""

METADATA = "metadata."
"""Prefix of breakdowns and filters by a key of the thread's metadata."""

TIMES: Mapping[str, Fragment] = {
    "hour": "date_trunc('hour', {at} AT TIME ZONE 'UTC')",
    "day": "({at} AT TIME ZONE 'UTC')::date",
    "week": "date_trunc('week', {at} AT TIME ZONE 'UTC')::date",
    "month": "date_trunc('month', {at} AT TIME ZONE 'UTC')::date",
}
"""Breakdowns by time, each with the format of its beginning, in UTC; weeks begin on Monday."""

OF_THREADS: Mapping[str, Fragment] = {"thread": "item.thread_id", "parent": "thread.parent"}
"""Breakdowns that every report has, beside those by a key of the thread's metadata."""


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """A column of an answer; `unit` is None for names, `share` for values from 0 to 1.

    `computed` is the column that counts what of a figure is computed: if it is more than 0, the
    figure is shown with a `~`.
    """

    name: str
    unit: str | None
    comment: str
    computed: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A report over the rows of a read model, or over the heads of threads if it names none.

    `order` is a column, with a minus for the largest first. `by` is the default breakdown; None if
    it lists single rows and cannot be broken down. `filters` are columns whose values a question
    may name. `lists` are columns with several values, as JSON: broken down by one, a row counts
    with each of its values. Rows that come from a model's response, such as tool calls, can also be
    broken down by its `model`, if both carry its id. `rules` are rules of suspicion, for reports
    of the calls that meet them.
    """

    name: str
    comment: str
    model: str | None
    clocks: Mapping[Clock, Fragment]
    columns: tuple[ReportColumn, ...]
    order: str
    by: tuple[str, ...] | None = None
    breakdowns: Mapping[str, Fragment] = field(default_factory=dict)
    filters: Mapping[str, Fragment] = field(default_factory=dict)
    lists: Mapping[str, Fragment] = field(default_factory=dict)
    rules: Collection[str] = ()
    limit: int = 1000

    @property
    def of_responses(self) -> bool:
        """Whether its rows come from responses of models."""
        return self.model == "tool_calls"

    @property
    def all_breakdowns(self) -> Mapping[str, Fragment]:
        """Its possible breakdowns, except keys of metadata."""
        if self.by is None:
            return {}
        return {**self.breakdowns, **self.lists, **self._responses, **TIMES, **OF_THREADS}

    @property
    def all_filters(self) -> Mapping[str, Fragment]:
        """Its possible filters, except time and keys of metadata."""
        threads: Mapping[str, Fragment] = {"thread": "item.thread_id", "parent": "thread.parent"}
        return {**self.filters, **self.lists, **self._responses, **threads}

    @property
    def _responses(self) -> Mapping[str, Fragment]:
        return {"model": "response.model"} if self.of_responses else {}


def share(name: str, comment: str) -> ReportColumn:
    """Return a column of shares."""
    return ReportColumn(name, "share", comment)


def percentiles(name: str, what: str) -> tuple[ReportColumn, ...]:
    """Return columns for the 50th, 95th and 99th percentile of a duration, in ms."""
    return tuple(
        ReportColumn(f"{name}_p{rank}", "ms", f"{rank} % of {what} took no longer")
        for rank in (50, 95, 99)
    )
