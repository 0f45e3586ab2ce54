"""Threads, events, views and differences as JSON, for HTTP and the command line."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from agentlog.api.shapes.forks import Origin, origin_of
from agentlog.api.shapes.shape import Shape, shaped
from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.errors import ContentMissing
from agentlog.domain.events import Event as Recorded
from agentlog.domain.facts import Policy
from agentlog.domain.json.answers import Time, TimeText, time_text
from agentlog.domain.json.printed import PrintedArray
from agentlog.domain.json.shortened import beginnings
from agentlog.domain.json.text import printed_json
from agentlog.domain.json.values import JsonObject, JsonValue, object_of
from agentlog.domain.threads import Status
from agentlog.infrastructure.appending import append_request
from agentlog.infrastructure.eventlog.body_deduplication import with_links, without_data
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.views.results import Difference, Page, State
from agentlog.projections.readers.draft import Unmapped
from agentlog.projections.view import Printed

_MOST_ASIDE = 1000


class Judgement(TypedDict):
    """What a thread was judged to be by a criterion, if one was named."""

    criterion: str | None
    verdict: str | None
    score: float | None


class Thread(TypedDict):
    """Where a thread stands; `updatedAt` is of its last activity, which remarks are not."""

    threadId: str
    version: int
    position: int
    status: Status
    policy: Policy
    goal: str | None
    parent: str | None
    limits: dict[str, Any] | None
    metadata: dict[str, Any]
    forkedFrom: Origin | None
    labels: list[str]
    judgements: list[Judgement]
    anomalies: int
    startedAt: TimeText
    updatedAt: TimeText


class Redacted(TypedDict):
    """The version that erased a content."""

    version: int


class Missing(TypedDict):
    """Contents that the log has lost."""

    name: str
    detail: str
    missing: list[str]


class Event(TypedDict):
    """A recorded message, or a fact of the thread (started, closed, annotated, redacted).

    `bytes` is the size of the whole message as JSON. Of one whose content was erased, `redacted`
    says by which version. Where the log has lost a content, `error` names it, and a text stands in
    its place. Of one that a fork copied, `originVersion` is its version in the
    origin. `cut`: not all of message and metadata is shown.
    """

    threadId: NotRequired[str]
    version: int
    position: Annotated[int | None, WithJsonSchema({"type": "integer"})]
    recordedAt: TimeText
    type: str
    kind: Literal["message", "fact"]
    message: Any
    metadata: dict[str, Any]
    bytes: int
    originVersion: NotRequired[int]
    cut: NotRequired[Literal[True]]
    redacted: NotRequired[Redacted]
    error: NotRequired[Missing]


class Receipt(TypedDict):
    """The place of an appended message."""

    id: str
    version: int
    position: int
    replayed: bool


class Anomaly(TypedDict):
    """A rule that a recorded message breaks."""

    messageId: str
    rule: str
    place: str
    reason: str


class Aside(TypedDict):
    """What a reader kept without knowing it."""

    place: str
    reason: str


class Appended(TypedDict):
    """The outcome of an append; `aside` stands where a reader of another format kept anything."""

    threadId: str
    version: int
    position: int
    messages: list[Receipt]
    anomalies: list[Anomaly]
    aside: NotRequired[list[Aside]]


class Projection(Shape):
    """A build of a read model."""

    name: str
    build: int
    version: int
    state: Literal["building", "live"]
    paused: bool
    position: int
    log_position: int
    lag: Annotated[int, Field(description="How many positions it is behind the log.")]
    stopped_at: Annotated[
        int | None, Field(description="The position of the event that it cannot process.")
    ]
    error: Annotated[str | None, Field(description="Why it cannot.")]
    started_at: Time
    live_at: Time | None


def thread_json(head: Head) -> Thread:
    """Return a thread as in lists and reads; missing values are null."""
    facts = head.read_facts()
    goal, parent, limits = facts.get("goal"), facts.get("parent"), facts.get("limits")
    return shaped(
        Thread,
        head,
        goal=goal if isinstance(goal, str) else None,
        parent=parent if isinstance(parent, str) else None,
        limits=limits if isinstance(limits, dict) else None,
        metadata=object_of(facts.get("metadata")),
        forkedFrom=origin_of(head),
        startedAt=time_text(head.started_at),
        updatedAt=time_text(head.updated_at),
    )


def event_json(
    event: Recorded,
    *,
    with_thread: bool = False,
    links: Sequence[str | None] = (),
    cut: int | None = None,
) -> Event:
    """Return a recorded message or fact, with its places and metadata.

    `links` are digests to show in place of its files' data, None for a file as it is. With `cut`
    texts have at most so many characters, and files no data. Where the log has lost some of the
    content, `error` says so.
    """
    if event.raw is None:
        whole: JsonValue = {"unreadable": event.body.hex()}
    else:
        whole = with_links(event.raw, links) if links else event.raw
    message, metadata = whole, event.metadata
    if cut is not None:
        message, metadata = _cut(whole, cut), object_of(beginnings(metadata, cut))
    shown: Event = {
        "version": event.version,
        "position": event.position,
        "recordedAt": time_text(event.recorded_at),
        "type": event.type,
        "kind": "fact" if event.type in FACT_TYPES else "message",
        "message": printed_json(event.body) if message is event.raw else message,
        "metadata": metadata,
        "bytes": event.size,
    }
    if message != whole or metadata != event.metadata:
        shown["cut"] = True
    if event.origin_version is not None:
        shown["originVersion"] = event.origin_version
    if event.redacted is not None:
        shown["redacted"] = {"version": event.redacted}
    if event.missing:
        error = ContentMissing(f"message {event.message_id}", event.missing)
        missing = list(error.missing)
        shown["error"] = {"name": "content-missing", "detail": str(error), "missing": missing}
    return {"threadId": event.thread_id, **shown} if with_thread else shown


def _cut(message: JsonValue, characters: int) -> JsonValue:
    """Return a message with the beginnings of its texts; its type and id are kept whole."""
    fields = object_of(message)
    kept: JsonObject = {name: fields[name] for name in ("type", "id") if name in fields}
    return {**object_of(beginnings(without_data(message), characters)), **kept}


def appended_json(appended: append_request.Appended, unmapped: Sequence[Unmapped] = ()) -> Appended:
    """Return the outcome of an append, and what its reader did not know."""
    aside: list[Aside] = [
        {"place": part.place, "reason": part.reason} for part in unmapped[:_MOST_ASIDE]
    ]
    answer: Appended = {
        "threadId": appended.thread_id,
        "version": appended.version,
        "position": appended.position,
        "messages": [shaped(Receipt, message) for message in appended.messages],
        "anomalies": [
            {
                "messageId": message_id,
                "rule": breach.rule,
                "place": breach.flaw.place,
                "reason": breach.flaw.reason,
            }
            for message_id, breach in appended.breaches
        ],
    }
    return {**answer, "aside": aside} if aside else answer


def view_json(result: Page | State) -> dict[str, object]:
    """Return a view of a thread."""
    place: dict[str, object] = {
        "threadId": result.thread_id,
        "version": result.version,
        "position": result.position,
    }
    if isinstance(result, State):
        return {**place, "state": result.printable}
    page = {**place, "items": bare_items(result.items), "next": result.next}
    if (sent := result.context) is None:
        return page
    return {**page, "dropped": [one._asdict() for one in sent.dropped], "missing": [*sent.missing]}


def bare_view_json(result: Page | State) -> object:
    """Return only the items, or the state."""
    return result.printable if isinstance(result, State) else bare_items(result.items)


def bare_items(items: Sequence[Printed]) -> PrintedArray:
    """Return items without their places."""
    return PrintedArray.of([item.text for item in items])


def difference_json(difference: Difference) -> dict[str, object]:
    """Return the difference of a view between two versions."""
    span: dict[str, object] = {
        "threadId": difference.thread_id,
        "from": difference.from_version,
        "to": difference.to_version,
    }
    if difference.items is None:
        return {**span, "patch": list(difference.patch or ())}
    return {
        **span,
        "added": [_placed_json(item) for item in difference.items.added],
        "changed": [
            {
                "place": change.before.key,
                "before": printed_json(change.before.text),
                "after": printed_json(change.after.text),
            }
            for change in difference.items.changed
        ],
        "removed": [_placed_json(item) for item in difference.items.removed],
    }


def _placed_json(item: Printed) -> dict[str, object]:
    return {"place": item.key, "item": printed_json(item.text)}
