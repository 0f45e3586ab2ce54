"""Reader of answers of OpenAI's chat API, alone or with their requests; any model may give them.

A record is a thread: an answer (`choices`), one with the `messages` of its request, or an object
with both under `request` and `response`. Each choice is read; all share the answer's id.
"""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, object_at
from agentlog.projections.readers.draft import Draft, Unmapped
from agentlog.projections.readers.fields import Fields, milliseconds_of_seconds
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages import chat
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import CHAT
from agentlog.projections.view import Item

_KNOWN = (
    "object created system_fingerprint service_tier usage choices index logprobs id "
    "prompt_filter_results content_filter_results x_groq provider model temperature top_p stream "
    "stream_options max_tokens tools seed max_completion_tokens tool_choice response_format n stop "
    "user store parallel_tool_calls metadata reasoning_effort frequency_penalty stop_reason "
    "finish_reason presence_penalty message native_finish_reason request response error"
).split()
_THOUGHTS = ("reasoning_content", "reasoning")


def _read(document: JsonValue) -> Iterator[History]:
    reading = Reading("chat-completions", known=_KNOWN)
    whole = Fields(document, "")
    answer, request = whole, whole
    if not _is_answer(document):
        answer = whole.inner("response") or whole
        request = whole.inner("request") or whole
    if not _is_answer(answer.item):
        raise InvalidMessage.at("", "no answer of the chat API")
    facts: Item = {}
    if isinstance(request.item.get("tools"), list):
        facts["tools"] = request.take("tools")
    messages = request.item.get("messages")
    if isinstance(messages, list):
        request.take("messages")
        _add(reading, messages, request.within("messages"))
    choices = answer.inners("choices")
    response, of_draft = _response(answer, choices)
    own = Entry(reading, whole, **of_draft)
    answers: list[tuple[Fields, JsonValue]] = [
        (choice, choice.take("message")) for choice in choices
    ]
    own.add(response)
    for choice, message in answers:
        _read_message(reading, Fields(message, choice.within("message")), of_draft)
    yield reading.history(metadata=facts)


def _add(
    reading: Reading, messages: list[JsonValue], place: str, of_draft: Draft | None = None
) -> None:
    """Add chat messages, as `openai` reads them."""
    unmapped: list[Unmapped] = []
    try:
        drafts = list(chat.READER.read(messages, unmapped))
    except InvalidMessage as error:
        raise error.within(place) from error
    for draft in drafts:
        metadata = {**object_at(draft, "metadata"), **object_at(of_draft or {}, "metadata")}
        beside: Item = {"metadata": metadata} if metadata else {}
        reading.drafts.append({**(of_draft or {}), **draft, **beside})
    reading.unmapped += [Unmapped(f"{place}{part.place}", part.what) for part in unmapped]


def _read_message(reading: Reading, message: Fields, of_draft: Draft) -> None:
    """Add the message of a choice, its thoughts before it."""
    for key in _THOUGHTS:
        if (thought := message.item.get(key)) and isinstance(thought, str):
            message.take(key)
            reading.add({**of_draft, "type": "reasoning", "title": "", "summary": thought})
            break
    _add(reading, [message.left()], message.place, of_draft)


def _response(answer: Fields, choices: list[Fields]) -> tuple[Draft, Draft]:
    """Return the figures of an answer, and what all its messages share."""
    of_draft: Draft = {"metadata": {"responseId": answer.text("id") or "import-answer"}}
    if (at := milliseconds_of_seconds(answer.item.get("created"))) is not None:
        of_draft["timestamp"] = at
    draft: Draft = {"type": "llm_response"}
    if (model := answer.text("model")) is not None:
        draft["model"] = model
    if choices and (reason := choices[0].text("finish_reason")) is not None:
        draft["finishReason"] = reason
    counts = object_at(answer.item, "usage")
    if figures := CHAT.figures({**counts, "service_tier": answer.item.get("service_tier")}):
        draft["usage"] = figures
    if cost := Fields(counts, "").amount("cost"):
        draft["costUsd"] = cost
    return draft, of_draft


def _is_answer(value: JsonValue) -> bool:
    match value:
        case {"choices": [{"message": {"role": str()}}, *_]}:
            return True
        case _:
            return False


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"response": dict(response)}:
            return _is_answer(response)
        case _:
            return _is_answer(value)


FORMAT = Format("chat-completions", "OpenAI chat completions", _read, _is_document)
