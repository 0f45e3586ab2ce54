"""A stand-in for OpenAI's API: answers the same story whatever it is asked, and keeps what it got.

The story has an answer before any call, two calls at once beside a text, a call that fails, and a
last answer.
"""

import json
from collections.abc import Iterator
from itertools import count
from typing import Any

Item = dict[str, Any]

ANSWERS: list[Item] = [
    {"content": "Good day. Which parcel?"},
    {
        "content": "I look.",
        "calls": [("call_1", "track", '{"parcel": 4711}'), ("call_2", "track", '{"parcel": 4712}')],
    },
    {"content": None, "calls": [("call_3", "refund", '{"parcel": 4712}')]},
    {"content": "4711 is in Hamburg; 4712 is lost."},
]
WITHOUT_ROLES = "gpt-x-without-roles"
"""The model whose streams do not say that they are the assistant's."""


class Provider:
    """Answers requests in turn; `requests` are their bodies."""

    def __init__(self) -> None:
        self.requests: list[Item] = []

    def answer(self, path: str, request: Item) -> tuple[str, bytes]:
        """Return the content type and body that answer a request."""
        said = ANSWERS[len(self.requests)]
        self.requests.append(request)
        n = len(self.requests)
        if path.endswith("/responses"):
            response = _response(n, request, said)
            events: Iterator[Item | str] = _response_events(response)
        else:
            response = completion(n, request, said)
            events = _completion_chunks(response, has_roles=request["model"] != WITHOUT_ROLES)
        if not request.get("stream"):
            return "application/json", json.dumps(response).encode()
        return "text/event-stream", "".join(map(_event, events)).encode()


def _event(event: Item | str) -> str:
    if isinstance(event, str):
        return f"data: {event}\n\n"
    name = f"event: {event['type']}\n" if "type" in event else ""
    return f"{name}data: {json.dumps(event)}\n\n"


def completion(n: int, request: Item, said: Item) -> Item:
    """Return the chat completion of one of the `ANSWERS`."""
    message: Item = {"role": "assistant", "content": said["content"]}
    if "calls" in said:
        message["tool_calls"] = [
            {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
            for call_id, name, arguments in said["calls"]
        ]
    reason = "tool_calls" if "calls" in said else "stop"
    return {
        "id": f"chatcmpl-{n}",
        "object": "chat.completion",
        "created": 1767600000,
        "model": request["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def _completion_chunks(completion: Item, *, has_roles: bool) -> Iterator[Item | str]:
    (choice,) = completion["choices"]
    message = choice["message"]
    deltas: list[Item] = [{"role": "assistant", "content": ""}] if has_roles else []
    text = message["content"] or ""
    deltas += [{"content": piece} for piece in (text[:5], text[5:]) if piece]
    for m, call in enumerate(message.get("tool_calls", ())):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        first = {**call, "index": m, "function": {"name": name, "arguments": ""}}
        deltas += [
            {"tool_calls": [first]},
            *(
                {"tool_calls": [{"index": m, "function": {"arguments": piece}}]}
                for piece in (arguments[:4], arguments[4:])
            ),
        ]
    chunk = {**completion, "object": "chat.completion.chunk", "usage": None}
    for delta in deltas:
        yield {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    ended = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    yield {**chunk, "choices": [ended]}
    yield {**chunk, "choices": [], "usage": completion["usage"]}
    yield "[DONE]"


def _response(n: int, request: Item, said: Item) -> Item:
    output: list[Item] = []
    if "calls" in said:
        summary = [{"type": "summary_text", "text": f"step {n}"}]
        thought = {"type": "reasoning", "id": f"rs_{n}", "summary": summary}
        output.append({**thought, "encrypted_content": "gAAA"})
    if said["content"] is not None:
        part = {"type": "output_text", "text": said["content"], "annotations": [], "logprobs": []}
        message = {"type": "message", "id": f"msg_{n}", "role": "assistant"}
        output.append({**message, "status": "completed", "content": [part]})
    for call_id, name, arguments in said.get("calls", ()):
        call = {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id}
        output.append({**call, "name": name, "arguments": arguments, "status": "completed"})
    return {
        "id": f"resp_{n}",
        "object": "response",
        "created_at": 1767600000,
        "model": request["model"],
        "status": "completed",
        "instructions": request.get("instructions"),
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 11,
            "input_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 2},
            "total_tokens": 18,
        },
    }


def _response_events(response: Item) -> Iterator[Item]:
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    events: list[Item] = [{"type": "response.created", "response": begun}]
    for n, item in enumerate(response["output"]):
        place = {"output_index": n, "item_id": item["id"]}
        begun = {**item, **_BLANK[item["type"]]}
        events.append({"type": "response.output_item.added", **place, "item": begun})
        if item["type"] == "message":
            (part,) = item["content"]
            inner = {**place, "content_index": 0}
            text: Item = {**inner, "logprobs": []}
            events += [
                {"type": "response.content_part.added", **inner, "part": {**part, "text": ""}},
                *(
                    {"type": "response.output_text.delta", **text, "delta": piece}
                    for piece in (part["text"][:5], part["text"][5:])
                ),
                {"type": "response.output_text.done", **text, "text": part["text"]},
                {"type": "response.content_part.done", **inner, "part": part},
            ]
        elif item["type"] == "function_call":
            arguments = item["arguments"]
            events += [
                {"type": "response.function_call_arguments.delta", **place, "delta": arguments},
                {
                    "type": "response.function_call_arguments.done",
                    **place,
                    "name": item["name"],
                    "arguments": arguments,
                },
            ]
        events.append({"type": "response.output_item.done", **place, "item": item})
    events.append({"type": "response.completed", "response": response})
    numbers = count()
    for event in events:
        yield {**event, "sequence_number": next(numbers)}


_BLANK: dict[str, Item] = {
    "message": {"content": [], "status": "in_progress"},
    "reasoning": {"summary": []},
    "function_call": {"arguments": "", "status": "in_progress"},
}
