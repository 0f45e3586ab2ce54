"""Threads, events, views and differences as JSON, for HTTP and the command line."""

from collections.abc import Sequence
from datetime import UTC, datetime

from domain.catalogue import FACT_TYPES
from domain.errors import ContentMissing
from domain.events import Event
from domain.json.printed import PrintedArray
from domain.json.text import JsonValue, printed_json
from infrastructure.appending.append_request import Appended, Receipt
from infrastructure.erasure.redactor import FileRedaction, Redaction
from infrastructure.eventlog.body_deduplication import with_links
from infrastructure.eventlog.thread_heads import Head
from infrastructure.readmodels.builds import Build
from infrastructure.views.results import Difference, Page, State
from projections.view import Printed


def thread_json(head: Head) -> JsonValue:
    """Return a thread as in lists and reads; missing values are null."""
    facts = head.read_facts()
    return {
        "threadId": head.thread_id,
        "version": head.version,
        "position": head.position,
        "status": head.status,
        "policy": head.policy,
        "goal": facts.get("goal"),
        "parent": facts.get("parent"),
        "limits": facts.get("limits"),
        "metadata": facts.get("metadata", {}),
        "anomalies": head.anomalies,
        "startedAt": time_text(head.started_at),
        "updatedAt": time_text(head.updated_at),
    }


def event_json(
    event: Event, *, with_thread: bool = False, links: Sequence[str | None] = ()
) -> JsonValue:
    """Return a recorded message or fact, with its places and metadata.

    `links` are digests to show in place of its files' data, None for a file as it is. Where the log
    has lost some of the content, `error` says so.
    """
    if event.raw is None:
        body: JsonValue = {"unreadable": event.body.hex()}
    else:
        body = with_links(event.raw, links) if links else printed_json(event.body)
    thread = {"threadId": event.thread_id} if with_thread else {}
    return {
        **thread,
        "version": event.version,
        "position": event.position,
        "recordedAt": time_text(event.recorded_at),
        "type": event.type,
        "kind": "fact" if event.type in FACT_TYPES else "message",
        "message": body,
        "metadata": event.metadata,
        **({} if event.redacted is None else {"redacted": {"version": event.redacted}}),
        **({"error": _missing_json(event)} if event.missing else {}),
    }


def _missing_json(event: Event) -> JsonValue:
    error = ContentMissing(f"message {event.message_id}", event.missing)
    return {"name": "content-missing", "detail": str(error), "missing": list(error.missing)}


def appended_json(appended: Appended) -> JsonValue:
    """Return the outcome of an append."""
    return {
        "threadId": appended.thread_id,
        "version": appended.version,
        "position": appended.position,
        "messages": [_receipt_json(receipt) for receipt in appended.messages],
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


def redaction_json(done: Redaction) -> JsonValue:
    """Return what was erased in a thread; `version` and `position` are of the redaction."""
    return {
        "threadId": done.thread_id,
        "version": done.version,
        "position": done.position,
        "messages": None if done.messages is None else list(done.messages),
        "events": done.events,
        "replayed": done.replayed,
    }


def file_redaction_json(done: FileRedaction) -> JsonValue:
    """Return which file was erased, and from which messages."""
    return {
        "sha256": done.sha256,
        "threads": [redaction_json(each) for each in done.threads],
        "replayed": done.replayed,
    }


def view_json(found: Page | State) -> JsonValue:
    """Return a view of a thread."""
    place: dict[str, JsonValue] = {
        "threadId": found.thread_id,
        "version": found.version,
        "position": found.position,
    }
    if isinstance(found, State):
        return {**place, "state": found.printable}
    return {**place, "items": bare_items(found.items), "next": found.next}


def bare_view_json(found: Page | State) -> JsonValue:
    """Return only the items, or the state."""
    return found.printable if isinstance(found, State) else bare_items(found.items)


def bare_items(items: Sequence[Printed]) -> JsonValue:
    """Return items without their places."""
    return PrintedArray.of([item.text for item in items])


def difference_json(found: Difference) -> JsonValue:
    """Return the difference of a view between two versions."""
    span: dict[str, JsonValue] = {
        "threadId": found.thread_id,
        "from": found.from_version,
        "to": found.to_version,
    }
    if found.items is None:
        return {**span, "patch": list(found.patch or ())}
    return {
        **span,
        "added": [_placed_json(item) for item in found.items.added],
        "changed": [
            {
                "place": each.before.key,
                "before": printed_json(each.before.text),
                "after": printed_json(each.after.text),
            }
            for each in found.items.changed
        ],
        "removed": [_placed_json(item) for item in found.items.removed],
    }


def build_json(build: Build) -> JsonValue:
    """Return a build of a projection, with its progress."""
    return {
        "name": build.name,
        "build": build.build,
        "version": build.version,
        "state": build.state,
        "paused": build.paused,
        "position": build.position,
        "logPosition": build.log_position,
        "lag": build.lag,
        "stoppedAt": build.stopped_at,
        "error": build.error,
        "startedAt": time_text(build.started_at),
        "liveAt": time_text(build.live_at),
    }


def time_text(time: datetime | None) -> str | None:
    """Return a time as RFC 3339 in UTC, with microseconds."""
    if time is None:
        return None
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _receipt_json(receipt: Receipt) -> JsonValue:
    return {
        "id": receipt.id,
        "version": receipt.version,
        "position": receipt.position,
        "replayed": receipt.replayed,
    }


def _placed_json(item: Printed) -> JsonValue:
    return {"place": item.key, "item": printed_json(item.text)}
