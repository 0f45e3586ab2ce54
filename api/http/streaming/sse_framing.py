"""Server-sent events: frames of each view's updates.

Clients differ. Most read an event's name and id. Letta's client drops events with a name and fails
on an empty line between frames; Maria's expects one name for all events, no ids, and a first event
about queued messages.
"""

import copy
from collections.abc import Mapping

from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event
from typing_extensions import override

from agentlog.api.shapes.threads import event_json
from agentlog.domain.json.text import print_text
from agentlog.infrastructure.subscriptions.hub import HubEntry
from agentlog.projections import view
from agentlog.projections.followed_view import FollowUpdate
from agentlog.projections.views.letta.turns import DONE


class Framing:
    """Frames for clients that follow the standard: a name, an id, JSON on one line."""

    opening = b""
    """The first bytes of a stream."""
    heartbeat = KEEPALIVE_COMMENT
    """The heartbeat."""

    def frame(self, update: FollowUpdate) -> bytes:
        """Return the frame of an update."""
        return format_sse_event(
            data_str=print_text(update.data), event=update.kind, id=update.place
        )


class LettaFraming(Framing):
    """Frames without a name; a turn ends in `[DONE]`."""

    heartbeat = b": ping\n"
    """No empty line: after an id, the client reads one as an event without data."""

    @override
    def frame(self, update: FollowUpdate) -> bytes:
        ends = isinstance(update.data, dict) and update.data.get("message_type") == DONE
        return format_sse_event(data_str=DONE if ends else print_text(update.data), id=update.place)


class MariaFraming(Framing):
    """Frames of one name, without ids: every connection gets the whole history."""

    opening = format_sse_event(data_str="[]", event="maria.queued_messages.synchronized")

    @override
    def frame(self, update: FollowUpdate) -> bytes:
        return format_sse_event(data_str=print_text(update.data), event="maria")


FRAMINGS: Mapping[view.Framing, Framing] = {
    "standard": Framing(),
    "letta": LettaFraming(),
    "maria": MariaFraming(),
}


def log_frame(entry: HubEntry) -> bytes:
    """Return the frame of a log event, made once for all followers."""
    if entry.frame is None:
        event = copy.copy(entry.event)  # the entry must not cache parsed values
        data = print_text(event_json(event, with_thread=True))
        entry.frame = format_sse_event(data_str=data, event="event", id=str(event.position))
    return entry.frame


def place_frame(position: int) -> bytes:
    """Return a frame that only moves the place to resume from."""
    return format_sse_event(id=str(position))
