"""Results of the tools: typed, so that clients get a schema; missing values are null."""

from typing import Any

from pydantic import BaseModel, Field

Json = Any
"""Any JSON value; long texts in it are cut, with a remark."""


class ThreadSummary(BaseModel):
    """Where a thread stands."""

    thread_id: str
    goal: str | None
    status: str = Field(description="open, exited or closed")
    version: int = Field(description="number of its events")
    anomalies: int = Field(description="messages that broke a rule")
    parent: str | None
    metadata: dict[str, Json]
    started_at: str | None
    updated_at: str | None


class Threads(BaseModel):
    """Threads, most recently changed first."""

    threads: list[ThreadSummary]
    next: str | None = Field(description="give it as `after` to go on; null at the end")


class ForkSummary(BaseModel):
    """A thread of a tree of forks."""

    thread_id: str
    depth: int = Field(description="how many forks are above it; 0 is no fork")
    status: str = Field(description="open, exited or closed")
    version: int = Field(description="number of its events")
    forked_from: str | None = Field(description="the thread whose messages it begins with")
    forked_at: int | None = Field(description="the version that it was copied up to")
    edits: int = Field(description="messages changed in the copy")
    changes: str | None = Field(description="what a replay changed from there on")
    live_calls: int | None = Field(description="requests of a replay that a provider was asked")
    unmet: int | None = Field(description="changes that the replay never came to")
    check: str | None = Field(description="what the replay's check said: passed or failed")


class Forks(BaseModel):
    """A tree of forks, each thread before its forks."""

    threads: list[ForkSummary]
    truncated: bool = Field(description="whether there are more")


class ThreadEvent(BaseModel):
    """A message or a fact of a thread."""

    version: int = Field(description="its place in the thread, from 1")
    message_id: str | None
    type: str
    recorded_at: str | None
    message: Json
    redacted: bool = Field(description="whether its contents were erased")


class ThreadPage(BaseModel):
    """Events of a thread in their order."""

    thread_id: str
    events: list[ThreadEvent]
    next: str | None = Field(description="give it as `after` to go on; null at the end")


class MessageText(BaseModel):
    """A part of a message's JSON, uncut."""

    thread_id: str
    message_id: str
    text: str
    offset: int = Field(description="of this part, in characters")
    total: int = Field(description="characters of the whole")
    next_offset: int | None = Field(description="give it as `offset` to go on; null at the end")


class ViewPage(BaseModel):
    """A thread in a view, at a version: its items, or its state."""

    thread_id: str
    view: str
    version: int
    items: list[Json] | None
    state: Json
    next: str | None = Field(description="give it as `after` to go on; null at the end")


class Difference(BaseModel):
    """What changed in a view between two moments: items, or a JSON Patch of the state."""

    thread_id: str
    view: str
    from_version: int
    to_version: int
    changes: Json


class Remarked(BaseModel):
    """The versions of the facts that say it."""

    thread_id: str
    versions: list[int]


class Reports(BaseModel):
    """What reports there are."""

    reports: list[Json]


class Report(BaseModel):
    """Rows of a report, as of a position of the log."""

    report: str
    as_of: int
    columns: list[Json]
    rows: list[dict[str, Json]]
    truncated: bool = Field(description="whether there are more rows: narrow it, or raise `limit`")


class Tables(BaseModel):
    """The tables that SQL may read."""

    tables: list[Json]


class SqlAnswer(BaseModel):
    """Rows of a query, as of positions of the log."""

    columns: list[Json]
    rows: list[list[Json]]
    truncated: bool = Field(description="whether there are more rows: use LIMIT and OFFSET")
    as_of: dict[str, Json]


class SearchPage(BaseModel):
    """Messages that match, newest first, as of a position of the log."""

    hits: list[Json]
    as_of: int
    searched_after: str | None = Field(description="earlier messages are not searched")
    next: str | None = Field(description="give it as `after` to go on; null at the end")


class Matches(BaseModel):
    """Messages of a thread that match, in its order, at a version."""

    thread_id: str
    version: int
    matches: list[Json]
    next: str | None = Field(description="give it as `after` to go on; null at the end")


class Outline(BaseModel):
    """The steps of a thread at a version; a step says nothing of what it has not."""

    thread_id: str
    version: int
    prices: str | None = Field(description="the list that costs were computed by")
    steps: list[Json]
    groups: list[Json] = Field(
        description="events that belong together, as spans and turns; those that begin in `steps`"
    )
    next: str | None = Field(description="give it as `after` to go on; null at the end")


class Why(BaseModel):
    """Why a run went as it went, with the versions that say so."""

    thread_id: str
    version: int
    why: Json


class ModelCall(BaseModel):
    """A model call: what was sent, what came back, what the request before it shares."""

    thread_id: str
    call: Json = Field(description="all of it but the messages of the request")
    messages: list[Json]
    next: str | None = Field(description="give it as `after` to go on; null at the end")


class Comparison(BaseModel):
    """Histories aligned with the first of them, as of a position of the log."""

    view: str
    as_of: int
    sides: list[Json]
    divergence: Json = Field(description="where all part first, and what each then did")
    comparisons: list[Json]
    next: str | None = Field(description="give it as `after` to go on; null at the end")


class ComparedSets(BaseModel):
    """The runs of each task, as of a position of the log."""

    view: str
    as_of: int
    by: str
    sets: list[Json]
    cut: bool = Field(description="whether older threads were left out")
    next: str | None = Field(description="give it as `after` to go on; null at the end")
