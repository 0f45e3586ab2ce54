"""Reader of Pydantic AI's messages: requests and responses with parts, as it prints them.

What a message is made of moves fast (30 kinds of parts): those unknown here are kept whole.
"""

from collections.abc import Iterator, Sequence

from agentlog.domain.json.values import JsonValue, array_of
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import (
    Fields,
    file_of,
    number,
    text_of_id,
)
from agentlog.projections.readers.history import Format, History, made_of
from agentlog.projections.readers.messages.calls import add_call, add_result
from agentlog.projections.readers.reading import Entry, Reading, messages_of
from agentlog.projections.token_words import PYDANTIC_AI
from agentlog.projections.view import Item

_KNOWN = frozenset(
    (
        "canonical_system conversation_id failed_attempts history_digest kind metadata model_id "
        "provider_details provider_name provider_url run_id finish_reason instructions model_name "
        "provider_response_id timestamp state tool_call_id usage vendor_details vendor_id "
        "workspace_ref citations content_file_digests context_id dynamic_ref id part_kind "
        "provider_name retry scope signature outcome tool_kind tool_name force_download identifier "
        "media_type tag value vendor_metadata"
    ).split()
)
_KEPT = frozenset(
    (
        "audio-url binary document-url image-url uploaded-file video-url builtin-tool-call "
        "compaction file instruction-baseline speech thinking cache-point structured-content"
    ).split()
)
_FAILED = frozenset({"failed", "denied", "interrupted", "retried"})


def _read(document: JsonValue) -> Iterator[History]:
    conversation = _Conversation()
    for message in messages_of(conversation.reading, document):
        conversation.add(message)
    yield conversation.facts()


class _Conversation:
    """What was read so far."""

    def __init__(self) -> None:
        self.reading = Reading("pydantic-ai", known=_KNOWN)
        self._instructions: JsonValue = None
        self._ids: list[JsonValue] = []
        self._count = 0

    def read(self, item: Item, place: str) -> Sequence[Draft]:
        """Return the messages of the next request or response."""
        self.add(Fields(item, place))
        return self.reading.taken()

    def add(self, message: Fields) -> None:
        """Add the messages of a request or response."""
        self._count += 1
        if not _is_message(message.item):
            self.reading.keep(message, "message")
            return
        if (conversation_id := message.item.get("conversation_id")) not in self._ids:
            self._ids.append(conversation_id)
        if message.item["kind"] == "response":
            _read_response(self.reading, message, self._count - 1)
            return
        text = message.item.get("instructions")
        if isinstance(text, str) and text == self._instructions:
            message.take("instructions")  # they stand in every request
        self._instructions = text
        _read_request(self.reading, message)

    def facts(self) -> History:
        """Return what was read so far."""
        match self._ids:
            case [str(conversation_id)] if conversation_id:
                return self.reading.history(id=conversation_id)
            case _:  # of older versions, or of several conversations
                return self.reading.history()


def _read_request(reading: Reading, message: Fields) -> None:
    parts = list(message.items("parts"))
    entry = Entry(reading, message, **message.time("timestamp"))
    if (text := message.text("instructions")) is not None:
        entry.add({"type": "system", "text": text})
    for part in parts:
        match part.item:
            case {"part_kind": "system-prompt", "content": str(text)}:
                part.drop("part_kind", "content")
                entry.add({"type": "system", **part.time("timestamp"), "text": text}, part)
            case {"part_kind": "user-prompt", "content": str() | [_, *_]}:
                part.drop("part_kind")
                _read_prompt(entry, part)
            case {"part_kind": "tool-return" | "retry-prompt", "tool_name": str(), "content": _}:
                _read_result(entry, part)
            case {"part_kind": "retry-prompt" | "retry-feedback", "content": content}:
                part.take("content")
                entry.add(
                    {"type": "system", **part.time("timestamp"), "text": value_text(content)}, part
                )
            case _:
                _keep(entry, part)
    if not entry.count:
        reading.keep(message, "request", is_known=True)


def _read_prompt(entry: Entry, part: Fields) -> None:
    """Add the texts and files of a prompt; references to files are kept."""
    time, content, held = part.time("timestamp"), part.take("content"), Item()
    beside = [part]
    for n, value in enumerate(content if isinstance(content, list) else [content]):
        is_object = isinstance(value, dict)
        block = Fields(value if is_object else {"content": value}, f"{part.place}.content[{n}]")
        draft = _draft_of(block)
        if held and (draft is None or ("text" in held and "text" in draft)):
            entry.add(held, *beside)
            held, beside = {}, []
        if draft is None:
            _keep(entry, block, "kind")
            continue
        files = [*array_of(held.get("files")), *array_of(draft.get("files"))]
        held = {"type": "input", **time, **held, **draft}
        if files:
            held["files"] = files
        beside.append(block)
    if held:
        entry.add(held, *beside)


def _draft_of(block: Fields) -> Draft | None:
    """Take the text or file of a prompt's content; None where it has neither."""
    match block.item:
        case {"kind": "text-content", "content": str(text)}:
            block.drop("kind", "content")
            return {"text": text}
        case {"content": str(text), **rest} if not rest:
            block.drop("content")
            return {"text": text}
        case {"kind": "binary", "data": str(data)}:
            standard = data.replace("-", "+").replace("_", "/")  # it is in the alphabet of URLs
            file = file_of(standard, block.item.get("media_type"))
            if file is None:
                return None
            block.drop("kind", "data", "media_type")
            return {"files": [file]}
        case _:
            return None


def _read_result(entry: Entry, part: Fields) -> None:
    time, kind = part.time("timestamp"), part.take("part_kind")
    call_id, output = text_of_id(part.take("tool_call_id")), part.take("content")
    name, outcome = part.text("tool_name"), part.item.get("outcome")
    result: Item = {"callId": call_id, "name": name, "output": output}
    if outcome == "success":
        result["error"] = None
    elif kind == "retry-prompt" or (isinstance(outcome, str) and outcome in _FAILED):
        result["error"] = value_text(output)
    if kind == "retry-prompt":
        part.put("part_kind", kind)
    if outcome == "denied" and call_id:
        asked = {"type": "approval_request", **time, "callId": call_id, "tool": name}
        entry.add(asked)
        answer: Item = {"approved": False, "reason": value_text(output)}
        entry.add({"type": "approval_response", **time, "callId": call_id, **answer})
    add_result(entry, part, result, **time)


def _read_response(reading: Reading, message: Fields, index: int) -> None:
    parts = list(message.items("parts"))
    given = message.text("provider_response_id")
    metadata: Item = {"responseId": given or f"import-{index}"}
    entry = Entry(reading, message, **message.time("timestamp"), metadata=metadata)
    entry.add(_response(message))
    for part in parts:
        match part.item:
            case {"part_kind": "text", "content": str(text)}:
                part.drop("part_kind", "content")
                entry.add({"type": "reply", "text": text}, part)
            case {"part_kind": "thinking", "content": str(text)} if text:
                part.drop("part_kind", "content")
                entry.add({"type": "reasoning", "title": "", "summary": text}, part)
            case {"part_kind": "tool-call" | "builtin-tool-call" as kind, "tool_name": str(name)}:
                part.drop("tool_name", *(["part_kind"] if kind == "tool-call" else []))
                add_call(entry, part, name, part.take("args"), key="tool_call_id")
            case {"part_kind": "builtin-tool-return", "tool_name": str(), "content": _}:
                _read_result(entry, part)
            case _:
                _keep(entry, part)


def _response(message: Fields) -> Draft:
    """Return the `llm_response` of a response; its figures are 0 where they are not known."""
    names = {
        "model_name": "model",
        "provider_name": "provider",
        "finish_reason": "finishReason",
    }
    draft: Draft = {"type": "llm_response", **message.texts(names)}
    counts = message.item.get("usage")
    figures: Item = {key: n for key, n in PYDANTIC_AI.figures(counts).items() if n}
    if figures:
        draft["usage"] = figures
    if isinstance(counts, dict) and (cost := number(counts.get("cost"))) is not None:
        draft["costUsd"] = cost
    return draft


def _keep(entry: Entry, part: Fields, key: str = "part_kind") -> None:
    kind = part.item.get(key)
    if isinstance(kind, str):
        entry.keep(part, kind, is_known=kind in _KEPT)
    else:
        entry.keep(part, "part")


def _is_message(value: JsonValue) -> bool:
    match value:
        case {"kind": "request" | "response", "parts": list(parts)}:
            return all(isinstance(part, dict) and "part_kind" in part for part in parts)
        case _:
            return False


FORMAT = Format(
    "pydantic-ai",
    "Pydantic AI messages",
    _read,
    made_of(_is_message),
    _is_message,
    begin=_Conversation,
)
