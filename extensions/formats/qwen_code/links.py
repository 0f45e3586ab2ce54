"""How lines of Qwen Code's sessions follow each other, and what stands for what they compressed.

As `session-api-history.ts` builds a history: along `parentUuid` from the last line back, from the
last `chat_compression` on, which has the contents that were sent instead.
"""

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, array_of, object_at, text_at
from agentlog.domain.messages import SystemMessage
from agentlog.projections.context.links import WRITTEN, Change, Link, LinkReader, nothing
from agentlog.projections.readers.fields import Fields, id_of_uuid
from agentlog.projections.readers.messages.gemini import read_message
from agentlog.projections.readers.reading import Reading
from agentlog.projections.view import Item


def qwen_code_links() -> LinkReader:
    """Return what reads the links of a session."""
    is_tree, is_written = False, False

    def link(event: Event, fields: Item) -> Link | None:
        nonlocal is_tree, is_written
        message = event.message
        is_first = "parentUuid" in fields
        is_written = type(message) is SystemMessage and (is_first or is_written)
        sent: list[Item] | None = None
        if type(message) is SystemMessage and is_written:
            sent = [{"type": "input", "text": message.text, "metadata": {WRITTEN: True}}]
        if not is_first:
            return Link(sent=sent)
        key = _key(fields.get("uuid")) or event.message_id
        parent = _key(fields.get("parentUuid"))
        is_root, is_tree = parent is None and is_tree, is_tree or parent is not None
        history = object_at(fields, "systemPayload").get("compressedHistory")
        if isinstance(history, list):
            change = Change("compaction", nothing)
            return Link(key, parent, is_root, sent=_drafts(history), change=change)
        return Link(key, parent, is_root, sent=sent)

    return link


def _drafts(contents: JsonValue) -> list[Item]:
    reading = Reading("qwen-code")
    for n, content in enumerate(array_of(contents)):
        if isinstance(content, dict):
            read_message(reading, Fields(content, f"[{n}]"), response_id=None)
    return reading.drafts


def _key(uuid: JsonValue) -> str | None:
    return id_of_uuid(uuid) or text_at({"uuid": uuid}, "uuid")
