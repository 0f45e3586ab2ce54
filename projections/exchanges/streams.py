"""The answer that a stream of events comes to, as the API would have sent it whole.

Shapes of events: OpenAI's chat completion chunks and Responses events, Anthropic's Messages events,
Gemini's answers in pieces, which come as the elements of a JSON array too.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from json import JSONDecoder

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import (
    JsonObject,
    JsonValue,
    array_of,
    object_at,
    object_of,
    objects_of,
)
from agentlog.projections.exchanges.requests import Api
from agentlog.projections.item_content import arguments_of


def events_in(stream: bytes) -> Iterator[JsonObject]:
    """Yield the data of each whole event that is a JSON object; the standard is HTML's, 9.2.6."""
    text = stream.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    *blocks, _unfinished = text.split("\n\n")
    for block in blocks:
        lines = (line for line in block.split("\n") if line.startswith("data:"))
        try:
            yield object_of(parse("\n".join(line[5:].removeprefix(" ") for line in lines)))
        except InvalidJson:  # `[DONE]`, or a comment alone
            continue


def elements_in(array: bytes) -> Iterator[JsonObject]:
    """Yield the objects of a JSON array, as far as it came."""
    text, place = array.decode("utf-8", "replace"), 0
    while (start := text.find("{", place)) >= 0:
        try:
            _, place = _DECODER.raw_decode(text, start)
            yield object_of(parse(text[start:place]))
        except (ValueError, RecursionError):
            return


_DECODER = JSONDecoder()


def answer_of(events: Iterable[JsonObject], api: Api) -> JsonObject | None:
    """Return the answer as far as it came; None if no event began one."""
    return _ANSWERS[api](events)


def is_finished(answer: JsonObject, api: Api) -> bool:
    """Return whether the model had said all of an answer: it says why it stopped."""
    match api:
        case "chat":
            ends = [choice.get("finish_reason") for choice in objects_of(answer.get("choices"))]
        case "responses":
            ends = [answer.get("status") in {"completed", "incomplete", "failed"} or None]
        case "messages":
            ends = [answer.get("stop_reason")]
        case "gemini":
            ends = [part.get("finishReason") for part in objects_of(answer.get("candidates"))]
    return bool(ends) and None not in ends


def _chat(chunks: Iterable[JsonObject]) -> JsonObject | None:
    answer: JsonObject | None = None
    choices: dict[int, JsonObject] = {}
    for chunk in chunks:
        if "choices" not in chunk:
            continue
        first = {key: value for key, value in chunk.items() if key not in {"choices", "usage"}}
        answer = {**first, "object": "chat.completion"} if answer is None else answer
        if chunk.get("usage") is not None:
            answer["usage"] = chunk["usage"]
        for part in objects_of(chunk["choices"]):
            index = part.get("index")
            choice = choices.setdefault(index if isinstance(index, int) else 0, {"message": {}})
            message = object_of(choice["message"])
            for key, value in object_of(part.get("delta")).items():
                _extend(message, key, value)
            choice |= {key: value for key, value in part.items() if key != "delta"}
    if answer is None:
        return None
    answer["choices"] = [choices[index] for index in sorted(choices)]
    return answer


def _extend(fields: JsonObject, key: str, value: JsonValue) -> None:
    """Add what a delta has: texts are joined, elements with an `index` are extended in place."""
    before = fields.get(key)
    match before, value:
        case str(), str() if key not in _GIVEN_ONCE:
            fields[key] = before + value
        case dict(), dict():
            for inner, part in value.items():
                _extend(before, inner, part)
        case _, [{"index": int()}, *_]:
            elements = before if isinstance(before, list) else []
            fields[key] = elements
            for part in objects_of(value):
                _extend_element(elements, part)
        case list(), list():
            before.extend(value)
        case _:
            if value is not None or before is None:
                fields[key] = value


def _extend_element(elements: list[JsonValue], part: JsonObject) -> None:
    """Extend the element at the part's `index`; they begin in their order."""
    index = part["index"]
    if not isinstance(index, int) or index >= len(elements):
        elements.append({})
        index = -1
    element = object_of(elements[index])
    for key, value in part.items():
        if key != "index":
            _extend(element, key, value)


_GIVEN_ONCE = frozenset({"id", "type", "role", "name"})


def _responses(events: Iterable[JsonObject]) -> JsonObject | None:
    answer: JsonObject | None = None
    items: dict[int, JsonValue] = {}
    for event in events:
        given = event.get("response")
        if isinstance(given, dict):
            answer = dict(given)
        place = event.get("output_index")
        if event.get("type") == "response.output_item.done" and isinstance(place, int):
            items[place] = event.get("item")
    if answer is not None and not array_of(answer.get("output")):
        answer["output"] = [items[place] for place in sorted(items)]
    return answer


def _messages(events: Iterable[JsonObject]) -> JsonObject | None:
    answer: JsonObject | None = None
    blocks: dict[int, JsonObject] = {}
    for event in events:
        index, delta = event.get("index"), object_of(event.get("delta"))
        kind = event.get("type")
        if kind == "message_start":
            answer = dict(object_of(event.get("message")))
        elif kind == "message_delta" and answer is not None:
            usage = {**object_of(answer.get("usage")), **object_of(event.get("usage"))}
            answer |= {**delta, "usage": usage}
        elif kind == "content_block_start" and isinstance(index, int):
            blocks[index] = dict(object_of(event.get("content_block")))
        elif isinstance(index, int) and index in blocks:
            _extend_block(blocks[index], delta)
    if answer is None:
        return None
    answer["content"] = [_finished(blocks[index]) for index in sorted(blocks)]
    return answer


def _extend_block(block: JsonObject, delta: JsonObject) -> None:
    for key, value in delta.items():
        if key != "type":
            _extend(block, key, value)


def _finished(block: JsonObject) -> JsonObject:
    """Return a block with its call's arguments; as text, where they broke off."""
    written = block.pop("partial_json", "")
    return (
        {**block, "input": arguments_of(written)} if isinstance(written, str) and written else block
    )


def _gemini(chunks: Iterable[JsonObject]) -> JsonObject | None:
    answer: JsonObject | None = None
    candidates: dict[int, JsonObject] = {}
    for chunk in chunks:
        if not _OF_ANSWERS & chunk.keys():
            continue
        answer = {**(answer or {}), **chunk}
        for piece in objects_of(chunk.get("candidates")):
            index = piece.get("index")
            candidate = candidates.setdefault(index if isinstance(index, int) else 0, {})
            content, added = object_at(candidate, "content"), object_at(piece, "content")
            parts = _joined(array_of(content.get("parts")), array_of(added.get("parts")))
            candidate |= piece
            if parts:
                candidate["content"] = {**content, **added, "parts": parts}
    if answer is None:
        return None
    answer["candidates"] = [candidates[index] for index in sorted(candidates)]
    return answer


_OF_ANSWERS = frozenset({"candidates", "promptFeedback", "usageMetadata"})


def _joined(parts: list[JsonValue], added: list[JsonValue]) -> list[JsonValue]:
    """Return parts and those of the next chunk, whose first text goes on with the last one.

    A signature ends a text.
    """
    if not parts or not added:
        return [*parts, *added]
    last, first = object_of(parts[-1]), object_of(added[0])
    match last, first:
        case {"text": str(text)}, {"text": str(more)} if (
            "thoughtSignature" not in last and last.get("thought") == first.get("thought")
        ):
            return [*parts[:-1], {**last, **first, "text": text + more}, *added[1:]]
        case _:
            return [*parts, *(added[1:] if first == {"text": ""} else added)]


_ANSWERS: Mapping[Api, Callable[[Iterable[JsonObject]], JsonObject | None]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
    "gemini": _gemini,
}
