"""Reader of Claude.ai's export, `conversations.json`: a conversation a record.

Shapes as in github.com/Sinity/polylogue `docs/providers/claude-ai.md` and
github.com/withLinda/claude-conversation-exporter: `chat_messages` with Anthropic's blocks, of which
calls and results may lack their ids.
"""

from collections.abc import Iterator, Mapping

from agentlog.domain.json.values import JsonValue, object_of, text_at
from agentlog.extensions.formats.exports.branches import branches
from agentlog.projections.readers.fields import Fields, id_of_uuid
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.anthropic import KNOWN, read_blocks, text_of
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

_KNOWN = (
    *KNOWN,
    *(
        "uuid sender text updated_at created_at summary account project parent_message_uuid index "
        "truncated files attachments file_name id file_size file_type start_timestamp "
        "stop_timestamp message display_content integration_name integration_icon_url name "
        "approval_options approval_key summaries flags input_mode stop_reason compaction_summary "
        "image_count file_count current_leaf_message_uuid settings is_starred is_temporary "
        "project_uuid platform citations cut_off file_uuid file_kind signature"
    ).split(),
)
_ROOT = "00000000-0000-4000-8000-000000000000"
"""What the first message has in the place of the one before it."""
_SAYS = {"human": "input", "assistant": "reply"}


def _read(document: JsonValue) -> Iterator[History]:
    whole = Fields(document, "")
    messages = whole.objects("chat_messages")
    facts = whole.texts({"name": "title", "model": "model", "created_at": "createdAt"})
    facts = {key: text for key, text in facts.items() if text}
    own_id = whole.text("uuid")
    by_key = {text_at(message.item, "uuid") or message.place: message for message in messages}
    if len(by_key) < len(messages):
        by_key = {message.place: message for message in messages}
    parents = _parents(by_key)
    current = whole.item.get("current_leaf_message_uuid") or next(reversed(parents), None)
    for number, branch in enumerate(list(branches(parents, current)) or [[]]):
        reading, opened = Reading("claude-ai", known=_KNOWN), list[str]()
        for key in branch:
            by_key[key].take_equal({"parent_message_uuid": parents[key] or _ROOT})
            _read_message(reading, by_key[key], opened)
        if number == 0:
            with reading.by_content():
                reading.keep_left(whole, "conversation")
            yield reading.history(id=own_id, metadata=facts)
        else:
            left: Item = {**facts, "branchOf": parents[branch[0]]}
            named = None if own_id is None else f"{own_id}:{branch[0]}"
            yield reading.history(id=named, parent=own_id, metadata=left)


def _parents(messages: Mapping[str, Fields]) -> dict[str, str | None]:
    """Return for each message the one before it: that which it names, else that of the order."""
    parents: dict[str, str | None] = {}
    before: str | None = None
    for key, message in messages.items():
        named = text_at(message.item, "parent_message_uuid")
        parents[key] = None if named == _ROOT else named if named in messages else before
        before = key
    return parents


def _read_message(reading: Reading, message: Fields, opened: list[str]) -> None:
    sender = message.item.get("sender")
    says = _SAYS.get(sender) if isinstance(sender, str) else None
    of_draft: Item = {}
    if (own_id := id_of_uuid(message.item.get("uuid"))) is not None:
        message.take("uuid")
        of_draft["id"] = own_id
    of_draft |= message.time("created_at")
    if says is None:
        reading.keep(message, "message", of_draft=of_draft)
        return
    if says == "reply" and own_id is not None:
        of_draft["metadata"] = {"responseId": own_id}
    message.take("sender")
    content, text = message.take("content"), message.item.get("text")
    if not content and isinstance(text, str) and text:
        content = text
    if text in (content, text_of(content)):
        message.take("text")
    entry = Entry(reading, message, **of_draft)
    attachments = list(message.items("attachments"))
    place = message.within("content")
    read_blocks(entry, _named(content, place, opened), place, says)
    for attachment in attachments:
        if (extracted := attachment.text("extracted_content")) is not None:
            entry.add({"type": "input", "text": extracted}, attachment)
        else:
            entry.keep(attachment, "attachment", is_known=True)
    if not entry.count:
        entry.keep(message, "message", is_known=True)


def _named(content: JsonValue, place: str, opened: list[str]) -> JsonValue:
    """Return blocks with ids: a call without one has that of its place, a result the open call's.

    `opened` are the calls without an id and without a result.
    """
    if not isinstance(content, list):
        return content
    paired: list[JsonValue] = []
    for n, block in enumerate(content):
        fields = object_of(block)
        kind = fields.get("type")
        if kind == "tool_use" and fields.get("id") is None:
            opened.append(f"at:{place}[{n}]")
            paired.append({**fields, "id": opened[-1]})
        elif kind == "tool_result" and fields.get("tool_use_id") is None and opened:
            paired.append({**fields, "tool_use_id": opened.pop(0)})
        else:
            paired.append(block)
    return paired


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"chat_messages": list(messages), "uuid": str()}:
            return all(isinstance(message, dict) and "sender" in message for message in messages)
        case _:
            return False


FORMAT = Format("claude-ai", "Claude.ai export", _read, _is_document, unit="conversation")
