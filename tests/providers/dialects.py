"""An answer in the words of an API, whole and as the events of a stream."""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from tests.providers.script import Answer, Item, Turn

_CREATED = 1767600000
STREAMED = ":streamGenerateContent"
"""Gemini's path for streams; what its requests hold does not say how they are answered."""


class Dialect(NamedTuple):
    """An API: its whole answer, and that answer as events of a stream (a text is sent as it is)."""

    whole: Callable[[Turn, Answer], Item]
    events: Callable[[Turn, Item], Iterator[Item | str]]


def dialect_of(path: str) -> Dialect:
    """Return the API at a path."""
    return next(dialect for end, dialect in DIALECTS.items() if path.endswith(end))


def sse(event: Item | str) -> bytes:
    """Return an event as server-sent."""
    name = f"event: {event['type']}\n" if isinstance(event, dict) and "type" in event else ""
    return f"{name}data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()


def array_of(events: Sequence[Item | str]) -> list[bytes]:
    """Return events as the pieces of a JSON array, which Gemini sends unless asked for events."""
    pieces = [json.dumps(event).encode() for event in events]
    return [b"[" + pieces[0], *(b"\n,\r\n" + piece for piece in pieces[1:]), b"]\n"]


def _chat(turn: Turn, answer: Answer) -> Item:
    message: Item = {"role": "assistant", "content": answer.text}
    if answer.calls:
        message["tool_calls"] = [
            {
                "id": _id("call", turn, n),
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for n, call in enumerate(answer.calls)
        ]
    reason = "tool_calls" if answer.calls else "stop"
    return {
        "id": _id("chatcmpl", turn),
        "object": "chat.completion",
        "created": _CREATED,
        "model": turn.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": {
            "prompt_tokens": answer.input_tokens,
            "completion_tokens": answer.output_tokens,
            "total_tokens": answer.input_tokens + answer.output_tokens,
        },
    }


def _chat_events(turn: Turn, whole: Item) -> Iterator[Item | str]:
    (choice,) = whole["choices"]
    message = choice["message"]
    deltas: list[Item] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": word} for word in _words(message["content"])]
    for n, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        deltas.append(
            {"tool_calls": [{**call, "index": n, "function": {**function, "arguments": ""}}]}
        )
        deltas += [
            {"tool_calls": [{"index": n, "function": {"arguments": piece}}]}
            for piece in _pieces(function["arguments"])
        ]
    chunk = {key: value for key, value in whole.items() if key != "usage"}
    chunk["object"] = "chat.completion.chunk"
    for delta in deltas:
        yield {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    ended = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield {**chunk, "choices": [ended]}
    if (turn.body.get("stream_options") or {}).get("include_usage"):
        yield {**chunk, "choices": [], "usage": whole["usage"]}
    yield "[DONE]"


def _response(turn: Turn, answer: Answer) -> Item:
    output: list[Item] = []
    if answer.text is not None:
        part = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
        message = {"type": "message", "id": _id("msg", turn), "role": "assistant"}
        output.append({**message, "status": "completed", "content": [part]})
    for n, call in enumerate(answer.calls):
        ids = {"id": _id("fc", turn, n), "call_id": _id("call", turn, n)}
        arguments = json.dumps(call.arguments)
        fields = {"name": call.name, "arguments": arguments, "status": "completed"}
        output.append({"type": "function_call", **ids, **fields})
    return {
        "id": _id("resp", turn),
        "object": "response",
        "created_at": _CREATED,
        "status": "completed",
        "model": turn.model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": answer.input_tokens,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": answer.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": answer.input_tokens + answer.output_tokens,
        },
    }


def _response_events(_: Turn, whole: Item) -> Iterator[Item | str]:
    numbers = count()
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    for event in (
        {"type": "response.created", "response": begun},
        *(event for n, item in enumerate(whole["output"]) for event in _item_events(n, item)),
        {"type": "response.completed", "response": whole},
    ):
        yield {**event, "sequence_number": next(numbers)}


def _item_events(n: int, item: Item) -> Iterator[Item]:
    place = {"output_index": n, "item_id": item["id"]}
    is_call = item["type"] == "function_call"
    begun: Item = {"arguments": ""} if is_call else {"content": []}
    begun = {**item, "status": "in_progress", **begun}
    yield {"type": "response.output_item.added", "output_index": n, "item": begun}
    if is_call:
        arguments, kind = item["arguments"], "response.function_call_arguments"
        for piece in _pieces(arguments):
            yield {"type": f"{kind}.delta", **place, "delta": piece}
        yield {"type": f"{kind}.done", **place, "name": item["name"], "arguments": arguments}
    else:
        (part,) = item["content"]
        place["content_index"] = 0
        yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
        text = {**place, "logprobs": []}
        for word in _words(part["text"]):
            yield {"type": "response.output_text.delta", **text, "delta": word}
        yield {"type": "response.output_text.done", **text, "text": part["text"]}
        yield {"type": "response.content_part.done", **place, "part": part}
    yield {"type": "response.output_item.done", "output_index": n, "item": item}


def _message(turn: Turn, answer: Answer) -> Item:
    blocks: list[Item] = []
    if (turn.body.get("thinking") or {}).get("type") in {"enabled", "adaptive"}:
        signature = f"{_id('sig', turn)}=="
        blocks.append({"type": "thinking", "thinking": "I think.", "signature": signature})
    if answer.text is not None:
        blocks.append({"type": "text", "text": answer.text})
    blocks += [
        {
            "type": "tool_use",
            "id": _id("toolu", turn, n),
            "name": call.name,
            "input": call.arguments,
        }
        for n, call in enumerate(answer.calls)
    ]
    return {
        "id": _id("msg", turn),
        "type": "message",
        "role": "assistant",
        "model": turn.model,
        "content": blocks,
        "stop_reason": "tool_use" if answer.calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.input_tokens,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": answer.output_tokens,
        },
    }


def _message_events(_: Turn, whole: Item) -> Iterator[Item | str]:
    begun = {**whole, "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": begun}
    yield {"type": "ping"}
    for n, block in enumerate(whole["content"]):
        start, deltas = _block_deltas(block)
        yield {"type": "content_block_start", "index": n, "content_block": start}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": n, "delta": delta}
        yield {"type": "content_block_stop", "index": n}
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    tokens = {"output_tokens": whole["usage"]["output_tokens"]}
    yield {"type": "message_delta", "delta": ended, "usage": tokens}
    yield {"type": "message_stop"}


def _block_deltas(block: Item) -> tuple[Item, list[Item]]:
    match block["type"]:
        case "thinking":
            return {"type": "thinking", "thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": block["thinking"]},
                {"type": "signature_delta", "signature": block["signature"]},
            ]
        case "tool_use":
            pieces = ["", *_pieces(json.dumps(block["input"]))]
            return {**block, "input": {}}, [
                {"type": "input_json_delta", "partial_json": piece} for piece in pieces
            ]
        case _:
            return {**block, "text": ""}, [
                {"type": "text_delta", "text": word} for word in _words(block["text"])
            ]


def _content(turn: Turn, answer: Answer) -> Item:
    parts: list[Item] = []
    config = turn.body.get("generationConfig") or {}
    signature: Item = {}
    if (config.get("thinkingConfig") or {}).get("includeThoughts"):
        parts.append({"text": "I think.", "thought": True})
        signature = {"thoughtSignature": b64encode(_id("sig", turn).encode()).decode()}
    if answer.text is not None:
        parts.append({"text": answer.text})
    parts += [
        {"functionCall": {"name": call.name, "args": call.arguments}, **({} if n else signature)}
        for n, call in enumerate(answer.calls)
    ]
    content = {"role": "model", "parts": parts}
    return {
        "responseId": _id("resp", turn),
        "modelVersion": "scripted",
        "candidates": [{"index": 0, "content": content, "finishReason": "STOP"}],
        "usageMetadata": {
            "promptTokenCount": answer.input_tokens,
            "candidatesTokenCount": answer.output_tokens,
            "totalTokenCount": answer.input_tokens + answer.output_tokens,
        },
    }


def _content_events(_: Turn, whole: Item) -> Iterator[Item | str]:
    (candidate,) = whole["candidates"]
    chunk = {key: value for key, value in whole.items() if key != "candidates"}
    for part in candidate["content"]["parts"]:
        pieces = [{**part, "text": word} for word in _words(part["text"])] if "text" in part else []
        for piece in pieces or [part]:
            content = {"role": "model", "parts": [piece]}
            yield {**chunk, "candidates": [{"index": 0, "content": content}]}
    ended = {"index": 0, "content": {"role": "model", "parts": [{"text": ""}]}}
    yield {**chunk, "candidates": [{**ended, "finishReason": candidate["finishReason"]}]}


def _id(kind: str, turn: Turn, n: int = 0) -> str:
    """Return an id that is the same in every run, and another at each turn."""
    return f"{kind}_{turn.items}" if n == 0 else f"{kind}_{turn.items}_{n}"


def _words(text: str | None) -> list[str]:
    return re.findall(r"[^ ]* |[^ ]+", text or "")


def _pieces(text: str) -> list[str]:
    return [text[at : at + 7] for at in range(0, len(text), 7)]


DIALECTS: Mapping[str, Dialect] = {
    "/chat/completions": Dialect(_chat, _chat_events),
    "/responses": Dialect(_response, _response_events),
    "/messages": Dialect(_message, _message_events),
    ":generateContent": Dialect(_content, _content_events),
    STREAMED: Dialect(_content, _content_events),
}
"""By the end of the path."""
