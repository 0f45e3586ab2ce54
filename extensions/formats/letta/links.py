"""Which messages an agent of Letta has in its context: its file says it of the end."""

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, array_of, objects_of, text_at, texts_of
from agentlog.extensions.formats.keeping import only
from agentlog.projections.context.links import WRITTEN, Change, Link, LinkReader
from agentlog.projections.view import Item


def letta_links() -> LinkReader:
    """Return what reads the links of an agent file.

    `in_context_message_ids` (`letta/schemas/agent_file.py`), or `in_context_message_indices` of the
    first version, whose messages have no ids. A summary is sent as the user's.
    """
    count = 0

    def link(event: Event, fields: Item) -> Link | None:
        nonlocal count
        if event.type == "letta-agent.agent":
            named = {*texts_of(fields.get("in_context_message_ids"))}
            places = array_of(fields.get("in_context_message_indices"))
            keys = named or {f"#{n}" for n in places}
            return Link(sent=(), change=Change("compaction", only(keys)) if keys else None)
        key = text_at(fields, "id")
        if key is None and "created_at" in fields:
            key, count = f"#{count}", count + 1
        if event.type == "letta-agent.summary":
            text = _text(fields.get("content"))
            return Link(key, sent=[{"type": "input", "text": text, "metadata": {WRITTEN: True}}])
        return Link(key)

    return link


def _text(content: JsonValue) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(text for part in objects_of(content) if (text := text_at(part, "text")))
