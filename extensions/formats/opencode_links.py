"""What compactions and reverts of opencode leave of a context.

As `filterCompacted` of `message-v2.ts` has it: once the summary of a compaction is finished, its
message, the summary, and then what stands from `tail_start_id` on, go before all that follows.
"""

from collections.abc import Sequence

from agentlog.domain.events import Event
from agentlog.domain.json.values import object_at, text_at
from agentlog.domain.messages import LlmResponseMessage
from agentlog.projections.context.links import (
    Change,
    Keeps,
    Link,
    LinkReader,
    Standing,
    before,
    segment,
)
from agentlog.projections.view import Item

QUESTION = "What did we do so far?"
"""What opencode sends in the place of a compaction's message."""


def opencode_links() -> LinkReader:
    """Return what reads the links of a session."""
    tails = dict[str, str | None]()
    summary, place = "", 0

    def link(event: Event, fields: Item) -> Link | None:
        nonlocal summary, place
        key = text_at(fields, "messageID") or event.response_id
        if event.type == "opencode.session":
            revert = text_at(object_at(fields, "info", "revert"), "messageID")
            change = None if revert is None else Change("rewind", before(revert))
            return Link(sent=(), change=change)
        if event.type == "opencode.compaction" and key is not None:
            tails[key] = text_at(fields, "tail_start_id")
            return Link(key, sent=[{"type": "input", "text": QUESTION}])
        info = object_at(fields, "info")
        marker = text_at(info, "parentID")
        if _is_finished(event, info) and key is not None and marker in tails:
            summary, place = key, 1
            change = Change("compaction", _moved(marker, tails[marker]))
            return Link(key, sent=(), change=change, is_summary=True)
        if key == summary and key is not None:
            place += 1
            return Link(key, at=place - 1)
        return Link(key)

    return link


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
