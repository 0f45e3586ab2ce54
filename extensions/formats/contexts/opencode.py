"""What compactions and reverts of opencode leave of a context.

As `filterCompacted` of `message-v2.ts` has it: once the summary of a compaction is finished, its
message, the summary, and then what stands from `tail_start_id` on, go before all that follows.
`toModelMessages` sends what the program wrote as the user's, and no result of a call that was
cleared: when, its source tells by the time alone.
"""

from collections.abc import Sequence
from dataclasses import replace

from agentlog.domain.events import Event
from agentlog.domain.json.values import integer_at, object_at, object_of, text_at
from agentlog.domain.messages import (
    LlmResponseMessage,
    SystemMessage,
    ToolCallsMessage,
)
from agentlog.extensions.formats.keeping import before, cleared, segment
from agentlog.projections.context.links import WRITTEN, Change, Keeps, Link, LinkReader, Standing
from agentlog.projections.view import Item

QUESTION = "What did we do so far?"
"""What opencode sends in the place of a compaction's message."""


def opencode_links() -> LinkReader:
    """Return what reads the links of a session."""
    return _Session().link


class _Session:
    """What was read so far: tails of compactions, times of results that are cleared later."""

    def __init__(self) -> None:
        self._tails = dict[str, str | None]()
        self._summary, self._place = "", 0
        self._cleared = dict[str, int]()

    def link(self, event: Event, fields: Item) -> Link | None:
        """Return the link of a message."""
        link = self._link(event, fields)
        if isinstance(event.message, ToolCallsMessage):
            at = integer_at(object_at(fields, "state", "time"), "compacted")
            self._cleared |= {call.id: at for call in event.message.calls if at is not None}
        now = integer_at(object_of(event.raw), "timestamp") or 0
        is_over = event.type == "opencode.session"
        calls = {call for call, at in self._cleared.items() if is_over or at <= now}
        if calls and link.change is None:
            for call in calls:
                del self._cleared[call]
            return replace(link, change=Change("truncation", cleared(calls)))
        return link

    def _link(self, event: Event, fields: Item) -> Link:
        key = text_at(fields, "messageID") or event.response_id
        if event.type == "opencode.session":
            revert = text_at(object_at(fields, "info", "revert"), "messageID")
            change = None if revert is None else Change("rewind", before(revert))
            return Link(sent=(), change=change)
        if event.type == "opencode.compaction" and key is not None:
            self._tails[key] = text_at(fields, "tail_start_id")
            return Link(key, sent=[{"type": "input", "text": QUESTION}])
        info = object_at(fields, "info")
        marker = text_at(info, "parentID")
        if _is_finished(event, info) and key is not None and marker in self._tails:
            self._summary, self._place = key, 1
            change = Change("compaction", _moved(marker, self._tails[marker]))
            return Link(key, sent=(), change=change, is_summary=True)
        if key == self._summary and key is not None:
            self._place += 1
            return Link(key, at=self._place - 1)
        if isinstance(event.message, SystemMessage) and fields.get("synthetic") is True:
            text = event.message.text
            return Link(key, sent=[{"type": "input", "text": text, "metadata": {WRITTEN: True}}])
        return Link(key)


def _is_finished(event: Event, info: Item) -> bool:
    response = event.message
    is_summary = info.get("summary") is True and not info.get("error")
    return is_summary and type(response) is LlmResponseMessage and bool(response.finish_reason)


def _moved(marker: str, tail: str | None) -> Keeps:
    """Return what puts the message of a compaction before what it keeps."""
    kept = segment(tail)

    def keeps(standing: Sequence[Standing]) -> Sequence[Standing]:
        own = [one for one in standing if marker in one.keys]
        rest = [] if tail is None else [one for one in kept(standing) if marker not in one.keys]
        return [*own, *rest]

    return keeps
