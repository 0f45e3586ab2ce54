"""What compactions and rollbacks of Codex leave of a context.

As `codex-rs/core` builds a history from its rollout: `compacted` replaces it by its
`replacement_history`; without one (old versions) by the user's own words and the summary. A
`thread_rolled_back` drops the last turns; what the program writes in the user's name begins none.
"""

from collections.abc import Sequence

from agentlog.domain.events import Event
from agentlog.domain.json.values import integer_at, object_at, objects_of
from agentlog.domain.messages import SystemMessage
from agentlog.extensions.formats.codex.events import is_written
from agentlog.extensions.formats.keeping import before_turns
from agentlog.projections.context.links import WRITTEN, Change, Link, LinkReader, Standing, nothing
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields
from agentlog.projections.readers.messages.responses_items import read_item
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

_SUMMARIES = frozenset({"compaction", "compaction_summary", "context_compaction"})


def codex_links() -> LinkReader:
    """Return what reads the links of a rollout."""
    is_users = False

    def link(event: Event, fields: Item) -> Link | None:
        nonlocal is_users
        if type(event.message) is not SystemMessage:
            return _change(event, object_at(fields, "payload"))
        text = event.message.text
        if is_written({**fields, "role": "user", "content": [{"text": text}]}):
            is_users = fields.get("role") != "developer"
        elif fields:
            is_users = False  # else it is another part of the same item
        is_prompt = "payload" in fields or "instructions" in fields
        return Link(sent=[_written(text)] if is_users else None, is_prompt=is_prompt)

    return link


def _change(event: Event, payload: Item) -> Link | None:
    match event.type, payload:
        case "codex.compacted", {"replacement_history": list(items)}:
            hidden = [i for i in objects_of(items) if i.get("type") in _SUMMARIES]
            change = Change("compaction", nothing, is_summed_up=True)
            missing = f"the summary of the compaction at version {event.version}: it is encrypted"
            return Link(
                sent=_read(objects_of(items)), change=change, missing=missing if hidden else None
            )
        case "codex.compacted", {"message": str(text)}:
            sent = [_written(text or "(no summary available)")]
            return Link(sent=sent, change=Change("compaction", _of_users, is_summed_up=True))
        case "codex.compacted", _:
            return Link(sent=(), change=Change("compaction", nothing, is_summed_up=True))
        case "codex.thread_rolled_back", _:
            keeps = before_turns(integer_at(payload, "num_turns") or 0)
            return Link(sent=(), change=Change("rewind", keeps))
        case _:
            return None


def _of_users(standing: Sequence[Standing]) -> Sequence[Standing]:
    """Keep the prompt and what stands before the first turn, and of the turns the user's words."""
    first = next((n for n, s in enumerate(standing) if s.begins_turn), len(standing))
    return [s for n, s in enumerate(standing) if n < first or s.begins_turn]


def _read(items: Sequence[Item]) -> list[Draft]:
    reading = Reading("codex")
    for n, item in enumerate(items):
        begin = len(reading.drafts)
        fields = Fields(item, f"[{n}]")
        read_item(Entry(reading, fields), fields)
        if is_written(item):
            for draft in reading.drafts[begin:]:
                draft["metadata"] = {WRITTEN: True}
    return reading.drafts


def _written(text: str) -> Item:
    return {"type": "input", "text": text, "metadata": {WRITTEN: True}}
