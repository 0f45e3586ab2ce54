"""Reader of Goose's sessions: `~/.local/share/goose/sessions/*.jsonl`, and `goose session export`.

Shapes: `conversation/message.rs` and `session` in `crates/goose/src` of github.com/block/goose.
The first line is about the session; an export of JSON has its messages under `conversation`. Token
figures are known of the whole only. After a compaction messages stay, but not for the agent.
"""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, array_of, object_at, objects_of, text_at
from agentlog.projections.call_texts import value_text
from agentlog.projections.context.links import Link, LinkReader
from agentlog.projections.readers.draft import UNNAMED_RESPONSE, Draft
from agentlog.projections.readers.fields import Fields, file_of, milliseconds_of_seconds, text_of
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.calls import add_call
from agentlog.projections.readers.messages.content import Kinds, read_content
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

_NAME = "goose"
_SAYS = {"user": "input", "assistant": "reply"}
_FACTS = {
    "working_dir": "cwd",
    "description": "title",
    "name": "title",
    "provider_name": "provider",
}
_TOTALS = TokenWords(
    "accumulated_input_tokens", "accumulated_output_tokens", "accumulated_total_tokens"
)
_KNOWN = frozenset(
    """
    id role metadata annotations _meta signature thoughtSignature status created message_count
    total_tokens input_tokens output_tokens accumulated_total_tokens accumulated_input_tokens
    accumulated_output_tokens extension_data recipe user_recipe_values user_set_name created_at
    updated_at session_type schedule_id project_id provider_name model_config conversation type
    structuredContent toolMeta notificationType error
    """.split()
)
_OF_ANSWERS = frozenset({"model", "provider"})
_SPOKEN = frozenset("text thinking reasoning redactedThinking toolRequest".split())
_KINDS = frozenset(
    "redactedThinking toolConfirmationRequest actionRequired toolRequest image".split()
)


def _read(document: JsonValue) -> Iterator[History]:
    session = _Session()
    match document:
        case list(lines):
            for n, value in enumerate(lines):
                line = Fields(value, f"[{n}]")
                if "role" in line.item:
                    session.read(line, n)
                else:
                    session.take_facts(line)
                    session.reading.keep_left(line, "session")
        case {"conversation": list() | None as messages}:
            whole = Fields(document, "")
            whole.take("conversation")
            session.own_id = whole.text("id")
            session.take_facts(whole)
            for n, value in enumerate(messages or []):
                session.read(Fields(value, f"conversation[{n}]"), n)
            with session.reading.by_content():
                session.reading.keep_left(whole, "session")
        case _:
            raise InvalidMessage.at("", "no array of lines, and no conversation")
    yield session.reading.history(id=session.own_id, metadata=session.facts)


class _Session:
    """The messages of a session; `facts` are what its first line says."""

    def __init__(self) -> None:
        self.reading = Reading(_NAME, known=_KNOWN)
        self.own_id: str | None = None
        self.facts: Item = {"agent": _NAME}
        self._answered: str | None = None

    def take_facts(self, line: Fields) -> None:
        """Take the facts of the session, and its totals."""
        for theirs, ours in _FACTS.items():
            value = line.item.get(theirs)
            if isinstance(value, str) and value and self.facts.setdefault(ours, value) == value:
                line.take(theirs)
        if (model := text_at(object_at(line.item, "model_config"), "model_name")) is not None:
            self.facts["model"] = model
        self.facts |= _TOTALS.figures(line.item)

    def read(self, message: Fields, n: int) -> None:
        """Add the messages of a message."""
        role, content = message.item.get("role"), message.item.get("content")
        says = _SAYS.get(role) if isinstance(role, str) else None
        of_draft: Draft = {}
        if (at := milliseconds_of_seconds(message.item.get("created"))) is not None:
            message.take("created")
            of_draft["timestamp"] = at
        if says is None or not isinstance(content, list) or not content:
            self.reading.keep(message, "message", of_draft=of_draft)
            return
        # a message without metadata keeps its role, so that links see where it begins
        message.drop("content", *(["role"] if "metadata" in message.item else []))
        answer_id = text_at(message.item, "id") or f"{UNNAMED_RESPONSE}{n}"
        if says == "reply":
            of_draft["metadata"] = {"responseId": answer_id}
        entry = Entry(self.reading, message, **of_draft)
        is_answer = says == "reply" and _is_of_model(message.item, content)
        if is_answer and "model" in self.facts and answer_id != self._answered:
            self._answered = answer_id
            figures: Draft = {key: it for key, it in self.facts.items() if key in _OF_ANSWERS}
            entry.add({"type": "llm_response", **figures})
        read_content(entry, content, message.within("content"), says, _OF)


def _is_of_model(message: Item, content: list[JsonValue]) -> bool:
    """Return whether the model said a message of the assistant: Goose has notes for both."""
    is_seen = object_at(message, "metadata").get("userVisible") is not False
    return is_seen and any(text_at(part, "type") in _SPOKEN for part in objects_of(content))


def _draft_of(part: Fields, says: str) -> Draft | None:
    match part.item:
        case {"type": "text", "text": str(text)}:
            part.drop("type", "text")
            return {"text": text}
        case {"type": "image", "data": data, "mimeType": mime} if says == "input":
            if (file := file_of(data, mime)) is None:
                return None
            part.drop("type", "data", "mimeType")
            return {"files": [file]}
        case _:
            return None


def _read_part(entry: Entry, part: Fields) -> None:
    match part.item:
        case {"type": "thinking" as kind, "thinking": str(text)} | {
            "type": "reasoning" as kind,
            "text": str(text),
        } if text:
            part.drop("type", "thinking" if kind == "thinking" else "text")
            entry.add({"type": "reasoning", "title": "", "summary": text}, part)
        case {
            "type": "toolRequest" | "frontendToolRequest" as kind,
            "toolCall": {"value": {"name": str(name)}},
        }:
            call = part.inner("toolCall") or part
            value = call.inner("value") or call
            args = value.item.get("arguments")
            value.drop("name", "arguments")
            part.take_equal({"type": "toolRequest"})
            add_call(entry, part, name, args)
        case {"type": "toolResponse", "id": str(call_id), "toolResult": dict()} if call_id:
            part.drop("type", "id")
            result = part.inner("toolResult") or part
            answer: Item = {"callId": call_id, **_outcome(result)}
            entry.add({"type": "tool_results", "results": [answer]}, part)
        case {"type": str(), "msg": str(text)}:
            part.take("msg")
            entry.add({"type": "log", "text": text}, part)
        case {"type": str(kind)}:
            entry.keep(part, kind, is_known=kind in _KINDS)
        case _:
            entry.keep(part, "part")


def _outcome(result: Fields) -> Item:
    """Take what a tool gave back: parts of content, or an object that has them; or an error."""
    match result.item:
        case {"error": error, **rest} if "value" not in rest:
            result.take("error")
            return {"output": error, "error": value_text(error)}
        case {"value": {"content": list(parts), **rest}}:
            inner = result.inner("value") or result
            inner.take("content")
            failed = rest.get("isError") is True
            if isinstance(rest.get("isError"), bool):
                inner.take("isError")
        case _:
            value = result.take("value")
            parts, failed = array_of(value), False
            if not parts:
                return {"output": value, "error": None}
    is_text = all(map(_is_text, parts))
    output: JsonValue = text_of(parts) if parts and is_text else [*parts]
    return {"output": output, "error": value_text(output) if failed else None}


def _is_text(part: JsonValue) -> bool:
    match part:
        case {"type": "text", "text": str(), **rest}:
            return not rest
        case _:
            return False


_OF = Kinds(_draft_of, _read_part)


def _is_line(value: JsonValue) -> bool:
    match value:
        case {"role": "user" | "assistant", "created": int(), "content": list(), **rest}:
            return "model" not in rest
        case {"working_dir": str(), "message_count": int(), **rest}:
            return not {"conversation", "messages"} & rest.keys()
        case _:
            return False


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"working_dir": str(), "conversation": list() | None, "message_count": int()}:
            return True
        case _:
            return False


def goose_links() -> LinkReader:
    """Return what reads which messages the agent sees: `agentVisible`, for all of one message."""
    is_sent = True

    def link(_: Event, fields: Item) -> Link | None:
        nonlocal is_sent
        if "metadata" in fields or "role" in fields:
            is_sent = object_at(fields, "metadata").get("agentVisible") is not False
        return None if is_sent else Link(sent=())

    return link


FORMAT = Format(_NAME, "Goose sessions", _read, _is_document, _is_line, unit="session")
