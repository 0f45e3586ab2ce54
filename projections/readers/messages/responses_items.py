"""Items of OpenAI's Responses and Conversations, as in the API and in Codex's rollouts."""

from agentlog.domain.json.values import JsonValue, object_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, file_of_uri
from agentlog.projections.readers.messages.content import Kinds, read_content
from agentlog.projections.readers.messages.responses_calls import CALLS, HOSTED, OUTPUTS, read_call
from agentlog.projections.readers.reading import Entry
from agentlog.projections.view import Item

_SAYS = {"user": "input", "assistant": "reply", "system": "system", "developer": "system"}
_KEPT = frozenset(
    """
    additional_tools agent_message compaction compaction_trigger computer_screenshot
    configuration_update context_compaction ghost_snapshot image_generation_call input_audio
    input_file input_image item_reference mcp_list_tools reasoning
    """.split()
).union(HOSTED)
"""Kinds without a message: also reasoning whose text is hidden, and hosted calls without an id."""
_OWN = {"compaction": "encrypted_content", "program": "code", "reasoning": "encrypted_content"}
"""What items have whose kinds are words that other programs use for theirs."""
_TEXTS = frozenset({"input_text", "output_text", "text", "summary_text", "reasoning_text"})

KNOWN = frozenset(
    """
    acknowledged_safety_checks annotations approval_request_id arguments async caller container_id
    created_by detail encrypted_content environment error execution fingerprint id logprobs
    max_output_length name namespace pending_safety_checks phase prompt_cache_breakpoint role
    server_label status type
    """.split()
)
"""Fields of items and their parts that are kept beside as a matter of course."""
_OF_MODEL = frozenset(
    """
    compaction custom_tool_call function_call image_generation_call mcp_approval_request mcp_call
    mcp_list_tools reasoning
    """.split()
).union(CALLS, HOSTED)


def is_item(item: JsonValue) -> bool:
    """Return whether a value is an item that only these APIs have."""
    match value := object_of(item):
        case {"type": "function_call", "call_id": str(), "name": str(), "arguments": _}:
            return True
        case {"type": "custom_tool_call", "call_id": str(), "name": str(), "input": str()}:
            return True
        case {"type": "reasoning", "summary": list()}:
            return True
        case {"type": "mcp_approval_response", "approval_request_id": str(), "approve": _}:
            return True
        case {"type": "function_call_output" | "custom_tool_call_output", "output": _}:
            return "call_id" in value
        case {"role": str(), "content": list(parts), **rest}:
            return rest.get("type", "message") == "message" and any(map(_is_part, parts))
        case {"type": "compaction" | "program" | "reasoning" as kind, "id": str()}:  # others' too
            return _OWN[kind] in value
        case {"type": str(kind), "id": str()}:
            return kind in _OF_MODEL or kind in OUTPUTS
        case _:
            return False


def is_foreign(item: JsonValue) -> bool:
    """Return whether a value is surely none of these items: its `type` is a role or a frame."""
    match value := object_of(item):
        case {"type": "user" | "assistant" | "system" | "developer" | "tool" | "session"}:
            return True
        case {"type": "message", "message": dict()}:
            return "role" not in value
        case _:
            return False


def _is_part(part: JsonValue) -> bool:
    match part:
        case {"type": "input_text" | "output_text", "text": str()}:
            return True
        case {"type": "input_image" | "input_file"}:
            return True
        case _:
            return False


def is_of_model(item: Item) -> bool:
    """Return whether the model wrote an item."""
    kind = item.get("type", "message")
    if kind == "message":
        return item.get("role") == "assistant"
    return isinstance(kind, str) and kind in _OF_MODEL


def read_item(
    entry: Entry, item: Fields, *, says: str | None = None, error: Item | None = None
) -> None:
    """Add the messages of an item, which is among what the entry was made of.

    `says` is the type of messages with text where the role does not tell; `error` has the `error`
    of a result, known from elsewhere.
    """
    match item.item:
        case {"role": str(role), "content": content, **rest} if (
            role in _SAYS and rest.get("type", "message") == "message"
        ):
            item.drop("type", "content", *(["role"] if role != "developer" else []))
            place = f"{item.place}.content"
            if content not in ([], None):
                spoken = says or _SAYS[role]
                read_content(entry, content, place, spoken, Kinds(_draft_of, _keep))
        case {"type": "reasoning", "summary": summary, **rest}:
            _read_reasoning(entry, item, summary, rest.get("content"))
        case {"type": str(kind)}:
            read_call(entry, item, kind, error or {})
        case _:
            pass
    if not entry.count:
        item_type = item.item.get("type", "message")
        name = item_type if isinstance(item_type, str) else "item"
        entry.keep(item, name, is_known=name in _KEPT)


def _read_reasoning(entry: Entry, item: Fields, summary: JsonValue, content: JsonValue) -> None:
    """Add each text; an item whose reasoning is hidden has none."""
    texts = _texts(summary, f"{item.place}.summary")
    thought = _texts(content, f"{item.place}.content")
    if texts is None or thought is None or not texts + thought:
        return
    item.drop("type", "summary", "content")
    for part in texts + thought:
        text = part.take("text")
        if part.item.get("type") == "summary_text":
            part.take("type")
        entry.add({"type": "reasoning", "title": "", "summary": text}, part)


def _texts(parts: JsonValue, place: str) -> list[Fields] | None:
    """Return parts that have texts, all of them; None if some have none."""
    if parts is None:
        return []
    if not isinstance(parts, list):
        return None
    texts = [Fields(part, f"{place}[{n}]") for n, part in enumerate(parts) if _has_text(part)]
    return texts if len(texts) == len(parts) else None


def _has_text(part: JsonValue) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _keep(entry: Entry, part: Fields) -> None:
    kind = part.item.get("type")
    name = kind if isinstance(kind, str) else "part"
    entry.keep(part, name, is_known=name in _KEPT)


def _draft_of(part: Fields, says: str) -> Draft | None:
    """Return the text or file of a part, which is taken; None where it has neither."""
    match part.item:
        case {"type": str(kind), "text": str(text)} if kind in _TEXTS:
            part.drop("type", "text")
            if part.item.get("annotations") == []:
                part.take("annotations")
            return {"text": text}
        case {"type": "refusal", "refusal": str(text)}:
            part.take("refusal")
            return {"text": text}
        case {"type": "input_image", "image_url": str(uri)} | {
            "type": "input_file",
            "file_data": str(uri),
        } if says == "input" and (file := file_of_uri(uri, part.item.get("filename"))):
            part.drop(
                "type", "image_url", "file_data", *(["filename"] if "filename" in file else [])
            )
            return {"files": [file]}
        case _:
            return None
