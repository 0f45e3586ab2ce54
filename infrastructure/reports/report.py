"""What a report is: its columns, what it can be broken down by, and what narrows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, LiteralString

Clock = Literal["recorded", "sent"]

Fragment = LiteralString
"""SQL of ours: the only SQL that statements are put together from, besides quoted names."""

METADATA = "metadata."
"""What the name of a breakdown or filter by a key of the thread's metadata begins with."""

TIMES: Mapping[str, Fragment] = {
    "hour": "date_trunc('hour', {at} AT TIME ZONE 'UTC')",
    "day": "({at} AT TIME ZONE 'UTC')::date",
    "week": "date_trunc('week', {at} AT TIME ZONE 'UTC')::date",
    "month": "date_trunc('month', {at} AT TIME ZONE 'UTC')::date",
}
"""Breakdowns by time, each with where it begins, in UTC; a week on its Monday."""

OF_THREADS: Mapping[str, Fragment] = {"thread": "item.thread_id", "parent": "thread.parent"}
"""Breakdowns that every report has, beside those by a key of the thread's metadata."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an answer; `unit` is None for names, `share` for what lies between 0 and 1."""

    name: str
    unit: str | None
    comment: str


@dataclass(frozen=True, slots=True)
class Report:
    """A report over the rows of a read model, or over the heads of threads where it names none.

    `order` is a column, with a minus for the largest first. `by` is what it is broken down by where
    nobody says; None where it lists single rows and cannot be. `filters` are columns that a
    question may name values of. Rows that came out of a response of a model, as calls of tools do,
    can also be told apart by its `model`, where both carry its id.
    """

    name: str
    comment: str
    model: str | None
    clocks: Mapping[Clock, Fragment]
    columns: tuple[Column, ...]
    order: str
    by: tuple[str, ...] | None = None
    breakdowns: Mapping[str, Fragment] = field(default_factory=dict)
    filters: Mapping[str, Fragment] = field(default_factory=dict)
    limit: int = 1000

    @property
    def of_responses(self) -> bool:
        """Whether its rows came out of responses of models."""
        return self.model == "tool_calls"

    @property
    def all_breakdowns(self) -> Mapping[str, Fragment]:
        """What it can be broken down by, but for keys of metadata."""
        if self.by is None:
            return {}
        return {**self.breakdowns, **self._responses, **TIMES, **OF_THREADS}

    @property
    def all_filters(self) -> Mapping[str, Fragment]:
        """What narrows it, but for time and keys of metadata."""
        threads: Mapping[str, Fragment] = {"thread": "item.thread_id", "parent": "thread.parent"}
        return {**self.filters, **self._responses, **threads}

    @property
    def _responses(self) -> Mapping[str, Fragment]:
        return {"model": "response.model"} if self.of_responses else {}


def share(name: str, comment: str) -> Column:
    """Return a column of shares."""
    return Column(name, "share", comment)


def percentiles(name: str, what: str) -> tuple[Column, ...]:
    """Return columns for the middle of what was measured, and for its slow end."""
    return tuple(
        Column(f"{name}_p{rank}", "ms", f"{rank} % of {what} took no longer")
        for rank in (50, 95, 99)
    )
