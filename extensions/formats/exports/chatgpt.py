"""Reader of ChatGPT's export, `conversations.json`: a conversation a record, its messages a tree.

Shapes as in github.com/mitkury/chatgpt-export-parser `docs/chatgpt-data-export-format.md` and
github.com/TomzxCode/llm-conversations-viewer `docs/formats.md`. The branch that ends at
`current_node` is the thread; each other branch is a thread of its own, from where it leaves.
"""

from collections.abc import Iterator, Mapping
from typing import TypeGuard

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, object_of, text_at
from agentlog.extensions.formats.exports.branches import branches
from agentlog.projections.call_texts import call_fields
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, id_of_uuid, milliseconds_of_seconds
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.view import Item

_SAYS = {"user": "input", "assistant": "reply", "system": "system"}
_KNOWN = (
    "id author status end_turn weight metadata recipient channel create_time update_time content "
    "content_type language response_format_name parent children name thoughts "
    "source_analysis_msg_id finished_text chunks is_archived safe_urls moderation_results "
    "current_node gizmo_id is_starred blocked_urls conversation_origin voice plugin_ids "
    "async_status conversation_template_id is_do_not_remember memory_scope disabled_tool_ids "
    "direction decoding_id finished gizmo_type is_read_only context_scopes sugar_item_id "
    "sugar_item_visible pinned_time is_study_mode owner"
).split()
_KEPT = frozenset(
    (
        "user_editable_context model_editable_context reasoning_recap text image_asset_pointer "
        "audio_transcription system_error multimodal_text audio_asset_pointer "
        "real_time_user_audio_video_asset_pointer"
    ).split()
)


def _read(document: JsonValue) -> Iterator[History]:
    whole = Fields(document, "")
    mapping = whole.take("mapping")
    nodes = {key: node for key, node in object_of(mapping).items() if isinstance(node, dict)}
    if mapping != nodes:
        raise InvalidMessage.at("mapping", "not an object of nodes")
    parents = {key: text_at(node, "parent") for key, node in nodes.items()}
    listed = list(branches(parents, whole.item.get("current_node")))
    facts = whole.texts({"title": "title", "default_model_slug": "model"})
    facts = {key: text for key, text in facts.items() if text}
    own_id = whole.text("conversation_id")
    own_id = whole.text("id") if own_id is None else own_id
    for number, branch in enumerate(listed or [[]]):
        reading = _Branch()
        for key in branch:
            node = Fields(nodes[key], f"mapping.{key}")
            if _are_keys(node.item.get("children"), nodes):
                node.take("children")
            reading.add_node(node, key)
        if number == 0:
            with reading.by_content():
                reading.keep_left(whole, "conversation")
            yield reading.history(id=own_id, metadata=facts)
        else:
            left: Item = {"branchOf": nodes[branch[0]].get("parent")}
            named = None if own_id is None else f"{own_id}:{branch[0]}"
            yield reading.history(id=named, parent=own_id, metadata={**facts, **left})


def _are_keys(children: JsonValue, nodes: Mapping[str, Item]) -> bool:
    """Return whether children are nodes, which say of themselves whose children they are."""
    return isinstance(children, list) and all(
        isinstance(key, str) and key in nodes for key in children
    )


class _Branch(Reading):
    """The messages of one branch; a tool's message answers the call before it."""

    def __init__(self) -> None:
        super().__init__("chatgpt", known=_KNOWN)
        self._open: list[tuple[str, str]] = []
        self._previous: str | None = None

    def add_node(self, node: Fields, key: str) -> None:
        """Add the messages of a node; nothing of one without a message, as the root."""
        node.take_equal({"id": key, "parent": self._previous})
        value = node.take("message")
        if not isinstance(value, dict):
            if value is not None or node.left():
                self.keep(Fields(node.item, node.place), "node")
            return
        self._previous = key
        message = Fields(value, node.within("message"))
        of_draft: Item = {}
        if (own_id := id_of_uuid(value.get("id"))) is not None:
            message.take("id")
            of_draft["id"] = own_id
        if (at := milliseconds_of_seconds(value.get("create_time"))) is not None:
            message.take("create_time")
            of_draft["timestamp"] = at
        author = message.inner("author") or Fields({}, message.place)
        role = author.item.get("role")
        if role == "assistant":
            response_id = own_id or key
            of_draft["metadata"] = {"responseId": response_id}
        entry = Entry(self, message, node, **of_draft)
        if isinstance(role, str) and role in _SAYS:
            author.take("role")
            self._add_said(entry, message, _SAYS[role], key)
        elif role == "tool":
            author.take("role")
            self._add_result(entry, message, author)
        else:
            entry.keep(message, "message")

    def _add_said(self, entry: Entry, message: Fields, says: str, key: str) -> None:
        content = message.inner("content") or Fields({}, message.place)
        recipient = message.item.get("recipient")
        match content.item:
            case {"content_type": "thoughts", "thoughts": list(thoughts)} if thoughts and all(
                map(_is_thought, thoughts)
            ):
                content.take("thoughts")
                for n, value in enumerate(thoughts):
                    thought = Fields(value, f"{content.place}.thoughts[{n}]")
                    title, summary = thought.text("summary"), thought.take("content")
                    draft = {"type": "reasoning", "title": title or "", "summary": summary}
                    entry.add(draft, thought)
                return
            case _:
                texts = _texts(content)
        text = "".join(texts)
        spoken = [Fields(part, content.place) for part in _parts(content) if _is_spoken(part)]
        for words in spoken:
            words.take("text")
        is_recap = content.item.get("content_type") == "reasoning_recap"  # the service's own words
        if says == "reply" and not is_recap and (texts or isinstance(recipient, str)):
            entry.add(_response(message))
        if says == "reply" and isinstance(recipient, str) and recipient not in ("", "all"):
            message.take("recipient")
            call_id = f"call:{key}"
            self._open.append((call_id, recipient))
            call = {"id": call_id, **call_fields(recipient, text)}
            entry.add({"type": "tool_calls", "calls": [call]})
        elif text:
            message.take_equal({"recipient": "all"})
            entry.add({"type": says, "text": text}, *spoken)
        for n, part in enumerate(_others(content)):
            is_object = isinstance(part, dict)
            block = Fields(part if is_object else {"value": part}, f"{content.place}.parts[{n}]")
            kind = block.item.get("content_type")
            name = kind if isinstance(kind, str) else "part"
            entry.keep(block, name, is_known=name in _KEPT)
        if not entry.count:
            kind = content.item.get("content_type")
            name = kind if isinstance(kind, str) else "message"
            entry.keep(message, name, is_known=name in _KEPT)

    def _add_result(self, entry: Entry, message: Fields, author: Fields) -> None:
        name = author.text("name")
        result: Item = {} if name is None else {"name": name}
        fitting = [call for call in self._open if call[1] == name]
        if fitting or self._open:
            call = (fitting or self._open)[-1]
            self._open.remove(call)
            result["callId"] = call[0]
        content = message.inner("content") or Fields({}, message.place)
        texts = _texts(content)
        others = _others(content)
        if texts and not others:
            result["output"] = "".join(texts)
        else:
            result["output"] = {**content.item}
            content.drop(*content.item)
        if content.item.get("content_type") == "system_error":
            result["error"] = text_at(content.item, "name") or "system_error"
        entry.add({"type": "tool_results", "results": [result]})


def _texts(content: Fields) -> list[str]:
    """Take the texts of a content: its `text`, or those among its parts, which leaves others."""
    if (text := content.text("text")) is not None:
        return [text]
    parts = content.item.get("parts")
    if not isinstance(parts, list):
        return []
    content.take("parts")
    texts = (text_at(part, "text") if _is_spoken(part) else part for part in parts)
    return [text for text in texts if isinstance(text, str)]


def _is_spoken(part: JsonValue) -> TypeGuard[Item]:
    """Return whether a part has the words of a sound, and no more."""
    match part:
        case {"content_type": "audio_transcription", "text": str(), **others}:
            return not others.keys() - {"direction", "decoding_id"}
        case _:
            return False


def _parts(content: Fields) -> list[JsonValue]:
    return [] if "text" in content.item else array_of(content.item.get("parts"))


def _others(content: Fields) -> list[JsonValue]:
    """Return the parts that are no texts."""
    return [part for part in _parts(content) if not (isinstance(part, str) or _is_spoken(part))]


def _is_thought(value: JsonValue) -> bool:
    return isinstance(value, dict) and isinstance(value.get("content"), str)


def _response(message: Fields) -> Draft:
    draft: Draft = {"type": "llm_response", "provider": "openai"}
    match message.item.get("metadata"):
        case {"model_slug": str(model)}:
            draft["model"] = model
        case _:
            pass
    match message.item.get("metadata"):
        case {"finish_details": {"type": str(reason)}}:
            draft["finishReason"] = reason
        case _:
            pass
    return draft


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"mapping": dict(nodes)} if nodes:
            return all(isinstance(node, dict) and "message" in node for node in nodes.values())
        case _:
            return False


FORMAT = Format("chatgpt", "ChatGPT export", _read, _is_document, unit="conversation")
