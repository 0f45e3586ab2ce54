"""Runs as server-sent events: the frames of the view, numbered within their run."""

from typing_extensions import override

from agentlog.api.http.streaming.sse_framing import LettaFraming
from agentlog.domain.json.values import object_of
from agentlog.extensions.facades.letta.turns import Turn
from agentlog.projections.followed_view import FollowUpdate
from agentlog.projections.view import Item
from agentlog.projections.views.letta.turns import DONE

_ENDS = ("stop_reason", "usage_statistics", DONE)
"""Items of a stream that have no number."""
_NO_USAGE: Item = {"message_type": "usage_statistics", "total_tokens": None}


class RunFraming(LettaFraming):
    """Frames of one run, those after the number `after`; a client stops at `[DONE]`."""

    def __init__(self, run_id: str, *, after: int) -> None:
        self._run_id = run_id
        self._after = after
        self._number = 0

    @override
    def frame(self, update: FollowUpdate) -> bytes:
        item = object_of(update.data)
        if item.get("message_type") in _ENDS:
            return super().frame(FollowUpdate(update.kind, None, item))
        self._number += 1
        if self._number <= self._after:
            return b""
        numbered = {**item, "seq_id": self._number, "run_id": self._run_id}
        return super().frame(FollowUpdate(update.kind, None, numbered))


def run_frames(turn: Turn, framing: RunFraming) -> bytes:
    """Return all frames of a run that has ended."""
    stop: Item = {"message_type": "stop_reason", "stop_reason": turn.stop_reason}
    items: list[Item] = [*turn.items, stop, turn.usage or _NO_USAGE, {"message_type": DONE}]
    return b"".join(framing.frame(FollowUpdate("item", None, item)) for item in items)
