"""Reader of Gemini's contents: histories, requests (`contents`), and answers (`candidates`).

Shapes: ai.google.dev/api/caching#Content and /api/generate-content, as the SDKs print them too, in
snake case (google-genai) or camel case. A call and its response may have no id.
"""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, file_of, text_of_id
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.calls import add_call, add_result, answer_unnamed
from agentlog.projections.readers.messages.content import Kinds, add_prompt, read_content
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import GEMINI
from agentlog.projections.view import Item

_SAYS = {"user": "input", "model": "reply", "function": "input", "system": "system"}
"""Types of messages with text, by role; `function` is Gemini's for responses of functions."""
KNOWN = (
    "thoughtSignature thought_signature thought usageMetadata usage_metadata generationConfig "
    "generation_config tools model index responseId response_id safetyRatings safety_ratings "
    "createTime avg_logprobs functionResponse citationMetadata groundingMetadata"
).split()
_PARTS = {
    "inline_data": "inlineData",
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "file_data": "fileData",
    "executable_code": "executableCode",
    "code_execution_result": "codeExecutionResult",
}
_KINDS_OF_PARTS = frozenset({"text", *_PARTS, *_PARTS.values()})
_OF_OTHERS = {"type", "kind", "part_kind"}
"""What parts of other formats have, to say their kind."""
_KEPT = frozenset({"fileData", "executableCode", "codeExecutionResult", "inlineData"})
_PROMPTS = ("systemInstruction", "system_instruction")


def _read(document: JsonValue) -> Iterator[History]:
    reading = Reading("gemini", known=KNOWN)
    match document:
        case list(contents):
            _read_contents(reading, contents, "")
        case {"contents": list(contents)}:
            whole = Fields(document, "")
            whole.take("contents")
            _read_prompt(reading, whole)
            reading.keep_left(whole, "request")
            _read_contents(reading, contents, "contents")
        case {"candidates": list()}:
            _read_answer(reading, Fields(document, ""), "import-0")
        case _:
            raise InvalidMessage.at("", "no contents of Gemini")
    answer_unnamed(reading.drafts)
    yield reading.history()


def _read_prompt(reading: Reading, whole: Fields) -> None:
    key = next((key for key in _PROMPTS if key in whole.item), _PROMPTS[0])
    match whole.item.get(key):
        case {"parts": parts, **rest}:
            is_all = rest.keys() <= {"role"}  # which says nothing there
            add_prompt(reading, whole, key, parts, is_all=is_all)
        case str(text):
            add_prompt(reading, whole, key, [{"text": text}])
        case _:
            pass


def _read_contents(reading: Reading, contents: list[JsonValue], place: str) -> None:
    for n, value in enumerate(contents):
        content = Fields(value, f"{place}[{n}]")
        if _is_answer(value):
            _read_answer(reading, content, f"import-{n}")
        else:
            read_message(reading, content, response_id=f"import-{n}")


def _read_answer(reading: Reading, whole: Fields, response_id: str) -> None:
    """Add the figures of an answer, and the messages of each candidate."""
    draft: Draft = {"type": "llm_response", "provider": "gcp.gemini"}
    for key in ("modelVersion", "model_version"):
        if (model := whole.text(key)) is not None:
            draft["model"] = model
    figures: Item = {}
    for key in ("usageMetadata", "usage_metadata"):
        figures |= GEMINI.figures(whole.item.get(key))
    if figures:
        draft["usage"] = figures
    candidates = whole.inners("candidates")
    match candidates:
        case [first, *_] if (
            reason := first.text("finishReason") or first.text("finish_reason")
        ) is not None:
            draft["finishReason"] = reason
        case _:
            pass
    contents = [candidate.inner("content") for candidate in candidates]
    drafts = Reading(reading.wire, known=KNOWN)
    for content in contents:
        if content is not None and content.item.get("parts"):
            message = Fields(content.item, content.place)
            content.drop(*content.item)
            read_message(drafts, message, response_id=response_id)
    reading.add({**draft, "metadata": {"responseId": response_id}}, whole)
    reading.drafts += drafts.drafts
    reading.unmapped += drafts.unmapped


def read_message(
    reading: Reading, message: Fields, *, response_id: str | None, **of_draft: JsonValue
) -> None:
    """Add the messages of a content; the model's share `response_id`."""
    role, parts = message.item.get("role", "user"), message.item.get("parts")
    says = _SAYS.get(role) if isinstance(role, str) else None
    if says is None or not isinstance(parts, list) or not parts:
        reading.keep(message, "content", of_draft=of_draft)
        return
    message.drop("parts", *(["role"] if role != "function" else []))
    if says == "reply" and response_id is not None:
        of_draft = {**of_draft, "metadata": {"responseId": response_id}}
    entry = Entry(reading, message, **of_draft)
    read_parts(entry, parts, f"{message.place}.parts", says)


def read_parts(entry: Entry, parts: JsonValue, place: str, says: str) -> None:
    """Add messages for the parts of a content; `says` is the type of those with text."""
    read_content(entry, parts, place, says, Kinds(_draft_of, _read_part))


def _draft_of(part: Fields, says: str) -> Draft | None:
    match part.item:
        case {"thought": True}:
            return None
        case {"text": str(text)}:
            part.take("text")
            return {"text": text}
        case {"inlineData": {"data": data, **rest}} | {"inline_data": {"data": data, **rest}} if (
            says == "input" and rest.keys() <= {"mimeType", "mime_type"}
        ):
            mime = rest.get("mimeType", rest.get("mime_type"))
            file = file_of(data, mime if isinstance(mime, str) else None)
            if file is None or len(rest) > 1:
                return None
            part.take("inlineData" if "inlineData" in part.item else "inline_data")
            return {"files": [file]}
        case _:
            return None


def _read_part(entry: Entry, part: Fields) -> None:
    match part.item:
        case {"thought": True, "text": str(text)} if text:
            part.drop("thought", "text")
            entry.add({"type": "reasoning", "title": "", "summary": text}, part)
        case {"functionCall": {"name": str(name)}} | {"function_call": {"name": str(name)}}:
            call = _opened(part, "functionCall", "function_call")
            call.take("name")
            add_call(entry, call, name, call.take("args"), part)
        case {"functionResponse": {"name": str(name), "response": output}} | {
            "function_response": {"name": str(name), "response": output}
        }:
            answer = _opened(part, "functionResponse", "function_response")
            answer.drop("name", "response")
            result: Item = {"callId": text_of_id(answer.take("id")), "name": name}
            result["output"] = output
            match output:
                case {"error": error, **rest} if error and not rest:
                    result["error"] = value_text(error)
                case _:
                    pass
            left = {**part.left(), **({"functionResponse": answer.left()} if answer.left() else {})}
            add_result(entry, Fields(left, part.place), result)
        case item:
            kind = next((key for key in item if key in _KINDS_OF_PARTS), "part")
            kind = _PARTS.get(kind, kind)
            entry.keep(part, kind, is_known=kind in _KEPT)


def _opened(part: Fields, *keys: str) -> Fields:
    """Take the object under the first of the keys that is there."""
    key = next(key for key in keys if isinstance(part.item.get(key), dict))
    return Fields(part.take(key), part.within(key))


def is_content(value: JsonValue) -> bool:
    """Return whether a value is a content of Gemini: its parts have no type."""
    match value:
        case {"parts": [_, *_] as parts, **rest} if isinstance(rest.get("role", "user"), str):
            plain = [
                part for part in parts if isinstance(part, dict) and not _OF_OTHERS & part.keys()
            ]
            return len(plain) == len(parts) and any(map(_KINDS_OF_PARTS.intersection, plain))
        case _:
            return False


def _is_answer(value: JsonValue) -> bool:
    match value:
        case {"candidates": [{"content": content}, *_]}:
            return is_content(content)
        case _:
            return False


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"contents": [_, *_] as contents}:
            return all(map(is_content, contents))
        case _:
            return _is_answer(value)


FORMAT = Format(
    "gemini",
    "Gemini contents",
    _read,
    _is_document,
    lambda value: is_content(value) or _is_answer(value),
    unit="conversation",
)
