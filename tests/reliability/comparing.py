"""What both sides say, in a form to compare."""

import json
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from agentlog.domain.errors import AgentlogError
from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.projections.registry import AnyView, choose_view
from tests.reliability.drawn import ViewChoice
from tests.reliability.model import Content, KnownThread, Recorded, printed


def printed_items(items: Sequence[Content]) -> list[str]:
    return [printed(item) for item in items]


def view_of(view: ViewChoice) -> AnyView:
    return choose_view(view[0], dict(view[1]))


def event_of(recorded: Recorded) -> Event:
    """Return the event that a view is told of."""
    return Event(
        recorded.thread[1],
        recorded.version,
        recorded.type,
        print_bytes(recorded.body),
        str(recorded.id),
        recorded.position,
        recorded.recorded_at,
        recorded.metadata,
    )


def told(events: Sequence[Event]) -> list[Any]:
    return [
        (
            event.thread_id,
            event.version,
            event.position,
            event.type,
            event.message_id,
            printed(event.raw),
            printed(event.metadata),
        )
        for event in events
    ]


def expected_of(events: Sequence[Recorded]) -> list[Any]:
    return [
        (
            event.thread[1],
            event.version,
            event.position,
            event.type,
            event.id,
            printed(event.body),
            printed(event.metadata),
        )
        for event in events
    ]


def time_of(recorded: Recorded) -> datetime:
    assert recorded.recorded_at is not None
    return recorded.recorded_at


def has(thread: KnownThread, key: str, value: object) -> bool:
    metadata = thread.facts.get("metadata", {})
    return key in metadata and json.dumps(metadata[key]) == json.dumps(value)


def name_of(ask: Callable[[], object]) -> str:
    try:
        ask()
    except AgentlogError as error:
        return type(error).__name__
    return ""
