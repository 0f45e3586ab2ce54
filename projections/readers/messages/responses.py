"""Reader of OpenAI's Responses: items, answers, and conversations of both.

An answer (`object: "response"`) is one model response: its messages share its id.
"""

from collections.abc import Iterator

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, array_of, object_at
from agentlog.projections.readers.draft import Draft, with_templates
from agentlog.projections.readers.fields import Fields, milliseconds_of_seconds
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.messages.responses_items import (
    KNOWN,
    is_foreign,
    is_item,
    read_item,
)
from agentlog.projections.readers.reading import Entry, Reading
from agentlog.projections.token_words import RESPONSES
from agentlog.projections.view import Item
from agentlog.projections.views.responses.view import ResponsesOptions, ResponsesView

_OF_ANSWERS = frozenset(
    """
    background completed_at conversation created_at first_id has_more incomplete_details
    instructions last_id max_output_tokens max_tool_calls metadata model object
    parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_retention
    reasoning safety_identifier service_tier store stream temperature text tool_choice tool_usage
    tools top_logprobs top_p truncation usage user
    """.split()
)
_LISTS = ("input", "data", "items")
_VIEW = ResponsesView(ResponsesOptions(repair=False))


def _read(document: JsonValue) -> Iterator[History]:
    reading, prompts = Reading("responses", known=KNOWN | _OF_ANSWERS), set[str]()
    if isinstance(document, list):
        _read_items(reading, prompts, document, "")
    elif isinstance(document, dict) and (_is_answer(document) or _list_in(document)):
        whole = Fields(document, "")
        key = _list_in(document)
        items = [] if key is None else whole.take(key)
        if not _is_answer(document):
            _read_request(reading, prompts, whole)
        _read_items(
            reading, prompts, items if isinstance(items, list) else [_draft_of(items)], key or ""
        )
        if _is_answer(document):
            _read_answer(reading, prompts, whole)
    else:
        raise InvalidMessage.at("", "no items")
    yield reading.history()


def _read_request(reading: Reading, prompts: set[str], whole: Fields) -> None:
    _read_prompt(reading, prompts, whole)
    if left := whole.left():
        reading.keep(Fields(left, ""), "request", is_known=True)
        reading.note(whole, left)


def _draft_of(text: JsonValue) -> JsonValue:
    return {"role": "user", "content": text}


def _read_items(reading: Reading, prompts: set[str], items: list[JsonValue], place: str) -> None:
    for index, value in enumerate(items):
        item = Fields(value, f"{place}[{index}]")
        if is_foreign(value):
            reason = (
                f"no item of Responses, by its type {item.item['type']!r}: name the format of this "
                "file by --format, or the place of its messages by --messages"
            )
            raise InvalidMessage.at(item.place, reason)
        if _is_answer(value):
            _read_answer(reading, prompts, item)
        else:
            _read_item(reading, item)


def _read_item(reading: Reading, item: Fields, **of_draft: JsonValue) -> None:
    first = len(reading.drafts)
    read_item(Entry(reading, item, **of_draft), item)
    reading.drafts[first:] = with_templates(_VIEW, reading.drafts[first:], item.item)


def _read_prompt(reading: Reading, prompts: set[str], whole: Fields, **of_draft: JsonValue) -> None:
    """Add the instructions, unless they were given before."""
    text = whole.item.get("instructions")
    if isinstance(text, str) and text:
        whole.drop("instructions")
        if text not in prompts:
            prompts.add(text)
            reading.add({**of_draft, "type": "system", "text": text})


def _read_answer(reading: Reading, prompts: set[str], whole: Fields) -> None:
    of_draft: Item = {}
    if (at := milliseconds_of_seconds(whole.item.get("created_at"))) is not None:
        of_draft["timestamp"] = at
    _read_prompt(reading, prompts, whole, **of_draft)
    answer_id = whole.text("id")
    if answer_id is not None:
        of_draft["metadata"] = {"responseId": answer_id}
    output = whole.take("output")
    whole.drop("object")
    entry = Entry(reading, whole, **of_draft)
    entry.add(_response(whole))
    for index, value in enumerate(output if isinstance(output, list) else [output]):
        item = Fields(value, f"{whole.place}.output[{index}]")
        _read_item(reading, item, **of_draft)
    match whole.item.get("error"):
        case {"message": str(text)}:
            reading.add({**of_draft, "type": "runtime_error", "error": text})
        case _:
            pass


def _response(whole: Fields) -> Draft:
    """Return the `llm_response` of an answer; its model, its status and its times are taken."""
    draft: Draft = {"type": "llm_response"}
    if (model := whole.text("model")) is not None:
        draft["model"] = model
    match whole.item:
        case {"incomplete_details": {"reason": str(reason)}} | {"status": str(reason)}:
            draft["finishReason"] = reason
        case _:
            pass
    counts = object_at(whole.item, "usage")
    if figures := RESPONSES.figures({**counts, "service_tier": whole.item.get("service_tier")}):
        draft["usage"] = figures
    start, end = (
        milliseconds_of_seconds(whole.item.get(key)) for key in ("created_at", "completed_at")
    )
    if start is not None and end is not None and end >= start:
        draft["latencyMs"] = end - start
    return draft


def _is_answer(value: JsonValue) -> bool:
    match value:
        case {"object": "response", "output": list()}:
            return True
        case _:
            return False


def _list_in(document: Item) -> str | None:
    """Return the key of the items in a request, a page of items, or a session."""
    return next((key for key in _LISTS if isinstance(document.get(key), list | str)), None)


def _is_document(value: JsonValue) -> bool:
    if isinstance(value, list):
        return any(is_item(item) or _is_answer(item) for item in value)
    if not isinstance(value, dict) or "messages" in value:
        return False
    own = _OF_ANSWERS.intersection(value) - {"metadata", "model", "object", "usage", "user"}
    if own and isinstance(value.get("input"), str):  # requests of other APIs have a text there too
        return True
    return any(any(map(is_item, array_of(value.get(key)))) for key in _LISTS)


FORMAT = Format(
    "responses",
    "OpenAI Responses items",
    _read,
    is_document=_is_document,
    is_item=lambda value: is_item(value) or _is_answer(value),
    generality=1,
)
