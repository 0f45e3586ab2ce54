"""Views of what a model was sent: the messages of the context in place of those of the thread.

A later message may take away any of those before it, so that none of their items is settled: they
are made anew of all events.
"""

from collections.abc import Iterator, Sequence
from typing import Literal

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_to_keep
from agentlog.domain.json.values import JsonValue, array_of, object_of
from agentlog.projections.carries.persistent_list import PrintedList
from agentlog.projections.context.context import context_at
from agentlog.projections.view import BEFORE_ALL, CarryT, Options, OptionsT, Placed, View, render


class ContextOptions(Options):
    """Options of views that a model may be sent.

    `messages`: `said` shows all messages of the thread, `sent` those that stand in the context of
    the model: without what a compaction, a rewind or another branch left out, with the summary.
    """

    messages: Literal["said", "sent"] = "said"


def is_sent(view: View[CarryT, OptionsT]) -> bool:
    """Return whether a view shows what was sent."""
    return isinstance(view.options, ContextOptions) and view.options.messages == "sent"


def with_event(history: PrintedList, event: Event) -> PrintedList:
    """Return the events that a carry holds with one more."""
    body = event.body.decode("utf-8", "replace")
    name = event.originator_id, event.version, event.type, event.message_id
    return history.append(print_to_keep([*name, body, event.metadata, event.redacted]))


def sent_items(view: View[CarryT, OptionsT], history: PrintedList) -> Sequence[Placed]:
    """Return the items of the context after some events, as the view of what was said shows them.

    An item that stands behind those of later versions has the place of the last of them.
    """
    unlinked = type(view)(view.options.model_copy(update={"messages": "said"}))
    return [*_in_order(render(unlinked, context_at(map(_event, history)).events).items)]


def _in_order(items: Sequence[Placed]) -> Iterator[Placed]:
    version, ordinal = BEFORE_ALL
    for placed in items:
        ordinal = 0 if placed.version > version else ordinal + 1
        version = max(placed.version, version)
        yield Placed(version, ordinal, placed.item)


def _event(value: JsonValue) -> Event:
    match array_of(value):
        case [str(thread), int(version), str(kind), str(message_id), str(body), metadata, redacted]:
            return Event(
                thread,
                version,
                kind,
                body.encode(),
                message_id,
                metadata=object_of(metadata),
                redacted=redacted if isinstance(redacted, int) else None,
            )
        case _:
            raise ValueError("no event")
