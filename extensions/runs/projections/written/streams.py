"""A whole answer as the server-sent events that it would have come as: the reverse of `streams`.

Each text and each call's arguments come in one piece.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import count

from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonObject, JsonValue, object_at, object_of, objects_of
from agentlog.projections.exchanges.requests import Api


def written_stream(answer: JsonObject, api: Api, *, with_usage: bool) -> bytes:
    """Return the stream of an answer; chat's tells its usage only `with_usage`."""
    if api == "chat" and not with_usage:
        answer = {key: value for key, value in answer.items() if key != "usage"}
    return b"".join(map(_sse, _EVENTS[api](answer)))


def _sse(event: JsonObject | str) -> bytes:
    if isinstance(event, str):
        return f"data: {event}\n\n".encode()
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {print_text(event)}\n\n".encode()


def _chat(answer: JsonObject) -> Iterator[JsonObject | str]:
    chunk = {key: value for key, value in answer.items() if key not in {"choices", "usage"}}
    chunk["object"] = "chat.completion.chunk"
    for place, choice in enumerate(objects_of(answer["choices"])):
        index = choice.get("index", place)
        for delta in _deltas(object_at(choice, "message")):
            piece: JsonObject = {"index": index, "delta": delta, "finish_reason": None}
            yield {**chunk, "choices": [piece]}
        ended = {key: value for key, value in choice.items() if key != "message"}
        yield {
            **chunk,
            "choices": [{"finish_reason": "stop", **ended, "index": index, "delta": {}}],
        }
    if answer.get("usage") is not None:
        yield {**chunk, "choices": [], "usage": answer["usage"]}
    yield "[DONE]"


def _deltas(message: JsonObject) -> Iterator[JsonObject]:
    yield {key: value for key, value in message.items() if key != "tool_calls"}
    calls = objects_of(message.get("tool_calls"))
    if calls:
        yield {"tool_calls": [{"index": index, **call} for index, call in enumerate(calls)]}


def _responses(answer: JsonObject) -> Iterator[JsonObject | str]:
    status = answer.get("status")
    ended = status if status in {"failed", "incomplete"} else "completed"
    numbers = count()
    begun: JsonObject = {**answer, "status": "in_progress", "output": [], "usage": None}
    events: list[JsonObject] = [{"type": "response.created", "response": begun}]
    for place, item in enumerate(objects_of(answer["output"])):
        events += _item_events(place, item)
    events.append({"type": f"response.{ended}", "response": answer})
    for event in events:
        yield {**event, "sequence_number": next(numbers)}


def _item_events(place: int, item: JsonObject) -> Iterator[JsonObject]:
    at: JsonObject = {"output_index": place}
    of_item: JsonObject = {**at, "item_id": item.get("id")}
    field = _TEXTS_OF_CALLS.get(str(item.get("type")), "")
    begun: JsonObject = item
    if item.get("type") == "message":
        begun = {**item, "status": "in_progress", "content": []}
    elif field:
        begun = {**item, "status": "in_progress", field: ""}
    yield {"type": "response.output_item.added", **at, "item": begun}
    if field:
        name = f"response.{item['type']}_{field}"
        yield {"type": f"{name}.delta", **of_item, "delta": item.get(field)}
        yield {"type": f"{name}.done", **of_item, "name": item.get("name"), field: item.get(field)}
    elif item.get("type") == "message":
        for number, part in enumerate(objects_of(item.get("content"))):
            yield from _part_events({**of_item, "content_index": number}, part)
    yield {"type": "response.output_item.done", **at, "item": item}


_TEXTS_OF_CALLS: Mapping[str, str] = {"function_call": "arguments", "custom_tool_call": "input"}


def _part_events(at: JsonObject, part: JsonObject) -> Iterator[JsonObject]:
    is_refusal = part.get("type") == "refusal"
    field, name = ("refusal", "refusal") if is_refusal else ("text", "output_text")
    of_text: JsonObject = {} if is_refusal else {"logprobs": []}
    yield {"type": "response.content_part.added", **at, "part": {**part, field: ""}}
    yield {"type": f"response.{name}.delta", **at, **of_text, "delta": part.get(field)}
    yield {"type": f"response.{name}.done", **at, **of_text, field: part.get(field)}
    yield {"type": "response.content_part.done", **at, "part": part}


def _messages(answer: JsonObject) -> Iterator[JsonObject | str]:
    usage: JsonValue = answer.get("usage") or {"input_tokens": 0, "output_tokens": 0}
    begun: JsonObject = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield {"type": "message_start", "message": {**answer, **begun}}
    for index, block in enumerate(objects_of(answer["content"])):
        start, deltas = _block_deltas(block)
        yield {"type": "content_block_start", "index": index, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended: JsonObject = {
        "stop_reason": answer.get("stop_reason"),
        "stop_sequence": answer.get("stop_sequence"),
    }
    yield {"type": "message_delta", "delta": ended, "usage": usage}
    yield {"type": "message_stop"}


def _block_deltas(block: JsonObject) -> tuple[JsonObject, list[JsonObject]]:
    """Return a block as it begins, and what is added to it."""
    match block:
        case {"type": "text", "text": str(text)}:
            return {**block, "text": ""}, [{"type": "text_delta", "text": text}]
        case {"type": "thinking", "thinking": str(text)}:
            signature = block.get("signature", "")
            return {**block, "thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": text},
                {"type": "signature_delta", "signature": signature},
            ]
        case {"type": str(kind), "input": dict(arguments)} if kind.endswith("tool_use"):
            written = print_text(object_of(arguments))
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": written}]
        case _:
            return block, []


def _gemini(answer: JsonObject) -> Iterator[JsonObject | str]:
    yield answer


_EVENTS: Mapping[Api, Callable[[JsonObject], Iterator[JsonObject | str]]] = {
    "chat": _chat,
    "responses": _responses,
    "messages": _messages,
    "gemini": _gemini,
}
