"""Where what a fork of Codex copied from its origin ends.

A forked file has the lines of its parent after its own first one. They may have their own times, or
that of the fork (ccusage#1370, #1460), so only turns tell: their ids are UUIDs of version 7, with
the time at which they began (agentsview#657).
"""

from dataclasses import dataclass
from uuid import UUID

from agentlog.domain.json.values import integer_at, object_at, text_at
from agentlog.projections.view import Item

_COPYING_MS = 5_000
"""How long after it began a fork is still being written, where no turn says when it began."""
_VERSION = 7


@dataclass(slots=True)
class Origin:
    """What is copied into a file that began at `started`, in ms since the epoch."""

    started: int | None
    knows_turns: bool = False

    def ends(self, line: Item, of_draft: Item) -> bool:
        """Return whether a line is the fork's own, as are all that follow."""
        if self.started is None:
            return False
        begun = _turn_began(object_at(line, "payload"))
        if begun is not None:
            self.knows_turns = True
            return begun >= self.started // 1000 * 1000  # some have seconds only
        at = integer_at(of_draft, "timestamp")
        return not self.knows_turns and at is not None and at > self.started + _COPYING_MS


def _turn_began(payload: Item) -> int | None:
    """Return when the turn of a line began, in ms since the epoch, where it says so."""
    seconds = integer_at(payload, "started_at")
    if seconds is not None:
        return seconds * 1000
    try:
        turn = UUID(text_at(payload, "turn_id") or "")
    except ValueError:
        return None
    return turn.int >> 80 if turn.version == _VERSION else None
