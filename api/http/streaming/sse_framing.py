"""Server-sent events: how what is told of each view stands on the wire.

Clients differ. Most take an event's name and its id. Letta's drops whatever has a name, and chokes
on an empty line between frames, so it gets none; Maria's expects one name for everything, no ids,
and a word about queued messages first.
"""

import copy
from collections.abc import Mapping

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from typing_extensions import override

from api.shapes.threads import event_json
from domain.json.text import print_text
from infrastructure.subscriptions.hub import Entry
from projections import view
from projections.followed_view import Told
from projections.views.letta.turns import DONE


class Framing:
    """Frames of views whose clients follow the standard: a name, an id, JSON on one line."""

    opening = b""
    """What a stream begins with."""
    heartbeat = KEEPALIVE_COMMENT
    """What says that the stream is alive."""

    def frame(self, told: Told) -> bytes:
        """Return what is told as it goes over the wire."""
        return format_sse_event(data_str=print_text(told.data), event=told.kind, id=told.place)


class LettaFraming(Framing):
    """Frames without a name; a turn ends in `[DONE]`."""

    heartbeat = b": ping\n"
    """No empty line: once the client has seen an id, it takes that for an event without data."""

    @override
    def frame(self, told: Told) -> bytes:
        ends = isinstance(told.data, dict) and told.data.get("message_type") == DONE
        return format_sse_event(data_str=DONE if ends else print_text(told.data), id=told.place)


class MariaFraming(Framing):
    """Frames of one name, without ids: every connection hears the whole history."""

    opening = format_sse_event(data_str="[]", event="maria.queued_messages.synchronized")

    @override
    def frame(self, told: Told) -> bytes:
        return format_sse_event(data_str=print_text(told.data), event="maria")


FRAMINGS: Mapping[view.Framing, Framing] = {
    "standard": Framing(),
    "letta": LettaFraming(),
    "maria": MariaFraming(),
}


def log_frame(entry: Entry) -> bytes:
    """Return an event of the log as its frame, made once for all who follow."""
    if entry.frame is None:
        event = copy.copy(entry.event)  # what is parsed for this goes with it
        data = print_text(event_json(event, with_thread=True))
        entry.frame = format_sse_event(data_str=data, event="event", id=str(event.position))
    return entry.frame


def place_frame(position: int) -> bytes:
    """Return what moves the place to resume from, and nothing else."""
    return format_sse_event(id=str(position))
