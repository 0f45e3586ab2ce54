"""Reader of OpenTelemetry's GenAI messages: a role, and parts with a type."""

from collections.abc import Iterator

from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, file_of, text_of_id
from agentlog.projections.readers.history import Format, History, made_of
from agentlog.projections.readers.messages.calls import add_call, add_result, answer_unnamed
from agentlog.projections.readers.messages.content import ROLES, Kinds, read_content, says_of
from agentlog.projections.readers.reading import Entry, Reading, messages_of
from agentlog.projections.view import Item

KNOWN = frozenset({"name", "role", "modality", "transcript", "type", "mime_type"})
"""Fields of messages and parts that are kept beside as a matter of course."""

_KEPT = frozenset(
    {
        "blob",
        "compaction",
        "file",
        "reasoning",
        "server_tool_call",
        "server_tool_call_response",
        "uri",
    }
)


def read_message(reading: Reading, message: Fields, *, response_id: str | None) -> None:
    """Add the messages of one with `parts`; `response_id` is that of a model's answer."""
    role, parts = message.item.get("role"), message.item.get("parts")
    if not isinstance(role, str) or not isinstance(parts, list) or not parts:
        reading.keep(message, "message")
        return
    says = says_of(role) or ""
    message.drop("parts")
    message.take_equal({"role": ROLES.get(says)})
    of_answer = says == "reply" and response_id is not None
    of_draft: Draft = {"metadata": {"responseId": response_id}} if of_answer else {}
    entry = Entry(reading, message, **of_draft)
    if of_answer and (reason := message.text("finish_reason")) is not None:
        entry.add({"type": "llm_response", "finishReason": reason})
    read_content(entry, parts, f"{message.place}.parts", says, _KINDS)


def _draft_of(part: Fields, says: str) -> Draft | None:
    match part.item:
        case {"type": "text", "content": str(text)} if says:
            part.drop("type", "content")
            return {"text": text}
        case {"type": "blob", "content": data} if says == "input":
            file = file_of(data, part.item.get("mime_type"))
            if file is None:
                return None
            part.drop("type", "content", "mime_type")
            return {"files": [file]}
        case _:
            return None


def _read_part(entry: Entry, part: Fields) -> None:
    match part.item:
        case {"type": "reasoning" | "thinking", "content": str(text)} if text:
            part.drop("type", "content")
            entry.add({"type": "reasoning", "title": "", "summary": text}, part)
        case {"type": "tool_call", "name": str(name)}:
            part.drop("type", "name")
            add_call(entry, part, name, part.take("arguments"))
        case {"type": "tool_call_response", **rest} if "response" in rest or "result" in rest:
            key = "response" if "response" in rest else "result"  # Pydantic AI: `result`
            part.take("type")
            result: Item = {"callId": text_of_id(part.take("id")), "output": part.take(key)}
            if isinstance(part.item.get("name"), str):
                result["name"] = part.take("name")
            add_result(entry, part, result)
        case {"type": str(kind)}:
            entry.keep(part, kind, is_known=kind in _KEPT)
        case _:
            entry.keep(part, "part")


_KINDS = Kinds(_draft_of, _read_part)


def is_message(value: JsonValue) -> bool:
    """Return whether a value is a message with parts of these conventions."""
    match value:
        case {"role": str(), "parts": [_, *_] as parts}:
            return all(map(_is_part, parts))
        case _:
            return False


def _is_part(value: JsonValue) -> bool:
    match value:
        case {"type": "text" | "reasoning", **rest}:
            return "content" in rest
        case {"type": str(kind)}:
            return not kind.startswith("tool-")  # of other messages with parts
        case _:
            return False


def _read(document: JsonValue) -> Iterator[History]:
    reading = Reading("genai", known=KNOWN)
    for n, message in enumerate(messages_of(reading, document)):
        read_message(reading, message, response_id=f"import-{n}")
    answer_unnamed(reading.drafts)
    yield reading.history()


FORMAT = Format("genai", "OpenTelemetry GenAI messages", _read, made_of(is_message), is_message)
