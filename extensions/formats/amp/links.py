"""What Amp sends of a thread: the last summary and what follows, and the user's own commands.

As `@sourcegraph/amp` makes its requests: the summary is the model's, the commands are the user's.
"""

from agentlog.domain.events import Event
from agentlog.domain.json.values import objects_of, text_at
from agentlog.domain.messages import LogMessage, SystemMessage
from agentlog.projections.context.links import WRITTEN, Change, Link, LinkReader, nothing
from agentlog.projections.view import Item


def amp_links() -> LinkReader:
    """Return what reads the links of a thread."""
    return _link


def _link(event: Event, fields: Item) -> Link | None:
    message = event.message
    parts = objects_of(fields.get("parts"))
    if type(message) is SystemMessage:
        if any(text_at(part, "type") == "summary" for part in parts):
            summary: Item = {"type": "reply", "text": message.text}
            change = Change("compaction", nothing)
            return Link(sent=[summary], change=change, is_summary=True)
        return Link(sent=[_as_user(message.text)])
    if type(message) is LogMessage:
        is_sent = all(part.get("hidden") is not True for part in parts)
        return Link(sent=[_as_user(message.text)] if is_sent else ())
    return None


def _as_user(text: str) -> Item:
    return {"type": "input", "text": text, "metadata": {WRITTEN: True}}
