"""What events of Copilot CLI do to the context: compactions, rewinds, and what was cleared.

A rewind takes back the event that it names and all after it; after a compaction the summary stands
for all before it. Which messages a compaction or truncation leaves is not in the events.
"""

from agentlog.domain.events import Event
from agentlog.domain.json.values import integer_at, object_at, text_at
from agentlog.domain.messages import InputMessage, SystemMessage
from agentlog.extensions.formats.keeping import before
from agentlog.projections.context.links import WRITTEN, Change, Link, LinkReader, nothing
from agentlog.projections.readers.fields import id_of_uuid
from agentlog.projections.view import Item


def copilot_cli_links() -> LinkReader:
    """Return what reads the links of a session."""

    def link(event: Event, fields: Item) -> Link | None:
        if "parentId" not in fields:
            return None
        data, message = object_at(fields, "data"), event.message
        key = text_at(fields, "id") or event.message_id
        match event.type:
            case "copilot-cli.session-snapshot_rewind":
                target = text_at(data, "upToEventId") or ""
                change = Change("rewind", before(id_of_uuid(target) or target))
                return Link(key, sent=(), change=change)
            case "copilot-cli.session-context_cleared":
                return Link(key, sent=(), change=Change("deletion", nothing))
            case "copilot-cli.session-truncation":
                removed = integer_at(data, "messagesRemovedDuringTruncation")
                missing = f"which {removed} messages a truncation left out" if removed else None
                return Link(key, sent=(), missing=missing)
            case _:
                pass
        if type(message) is SystemMessage and "preCompactionTokens" in data:
            kept = (integer_at(data, "preCompactionMessagesLength") or 0) - (
                integer_at(data, "messagesRemoved") or 0
            )
            return Link(
                key,
                sent=[_written(message.text)],
                change=Change("compaction", nothing),
                is_summary=True,
                missing=f"{kept} messages that a compaction kept" if kept > 0 else None,
            )
        sent = text_at(data, "transformedContent")
        if type(message) is SystemMessage and "source" in data:
            return Link(key, sent=[_written(sent or message.text)])
        if type(message) is InputMessage and sent is not None and not message.files:
            return Link(key, sent=[{"type": "input", "text": sent}])
        return Link(key, is_prompt=type(message) is SystemMessage)

    return link


def _written(text: str) -> Item:
    return {"type": "input", "text": text, "metadata": {WRITTEN: True}}
