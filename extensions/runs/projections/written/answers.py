"""Answers written in the words of an API, as its server would have sent them.

What is not known is left out, or null: figures of usage above all. Ids are made from the request,
so the same request gets the same ones.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, object_at, objects_of, text_at
from agentlog.domain.messages import TokenUsage, ToolCall
from agentlog.extensions.runs.projections.written.streams import written_stream
from agentlog.projections.call_texts import arguments_text, arguments_value
from agentlog.projections.exchanges.answers import Answer
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.requests import SHAPES, Api
from agentlog.projections.token_words import ANTHROPIC, CHAT, GEMINI, RESPONSES, TokenWords

_LIMITED = frozenset({"length", "max_tokens", "max_output_tokens", "incomplete", "MAX_TOKENS"})
"""Reasons why an answer ended early, in the words of any API."""


class OtherApi(InvalidInput):
    """An answer is in the words of another API than the request."""

    def __init__(self, given: Api | None, asked: Api | None) -> None:
        super().__init__(
            f"the answer is one of {_title(given)}, the request asks {_title(asked)}: "
            'write {"text": …, "calls": […]}, which every API is given'
        )
        self.given, self.asked = given, asked


def _title(api: Api | None) -> str:
    return "no model" if api is None else SHAPES[api].title


def api_of_answer(document: JsonObject) -> Api | None:
    """Return the API of a whole answer; None for any other document."""
    match document:
        case {"choices": [{"message": dict()}, *_]}:
            return "chat"
        case {"object": "response", "output": list()}:
            return "responses"
        case {"type": "message", "content": list()}:
            return "messages"
        case {"candidates": [{"content": dict()}, *_]}:
            return "gemini"
        case _:
            return None


def written_exchange(
    asked: Exchange, answer: Answer | JsonObject, *, answer_id: str | None = None
) -> Exchange:
    """Return a request with its answer, as a stream if it asks for one.

    A whole answer of the request's API is passed on as it is. `answer_id` replaces the one made.

    Raises:
        OtherApi: the document is in the words of another API.
    """
    api = asked.api
    given = api if isinstance(answer, Answer) else api_of_answer(answer)
    if api is None or given != api:
        raise OtherApi(given, api)
    if isinstance(answer, Answer):
        document = _WRITTEN[api](asked, answer)
        key = "responseId" if "responseId" in document else "id"
        document[key] = answer_id or document[key]
    else:
        document = answer
    body, kind = asked.body, "application/json"
    match body.get("stream"):
        case True:
            options = object_at(body, "stream_options")
            with_usage = options.get("include_usage") is True
            kind = "text/event-stream; charset=utf-8"
            response = written_stream(document, api, with_usage=with_usage)
        case "array":  # Gemini's stream in one piece
            response = print_bytes([document])
        case _:
            response = print_bytes(document)
    return replace(
        asked,
        end="complete",
        status=200,
        headers={"content-type": kind},
        response=response,
        chunks=[(0, 0.0)],
        duration_ms=0.0,
    )


def _chat(asked: Exchange, answer: Answer) -> JsonObject:
    message: JsonObject = {"role": "assistant", "content": answer.text}
    calls: list[JsonValue] = []
    custom = _custom_tools(asked.body)
    for call in answer.calls:
        kind = "function"
        written: JsonObject = {"name": call.name, "arguments": arguments_text(call)}
        if call.name in custom:
            kind, written = "custom", {"name": call.name, "input": _input_text(call)}
        calls.append({"id": call.id, "type": kind, kind: written})
    if calls:
        message["tool_calls"] = calls
    reason = "length" if _is_limited(answer) else "tool_calls" if calls else "stop"
    document: JsonObject = {
        "id": _id(asked, "chatcmpl"),
        "object": "chat.completion",
        "created": asked.started_at // 1000,
        "model": text_at(asked.body, "model"),
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    return document | _usage("usage", answer, CHAT)


def _response(asked: Exchange, answer: Answer) -> JsonObject:
    status = "incomplete" if _is_limited(answer) else "completed"
    output: list[JsonValue] = []
    if answer.text is not None:
        part: JsonObject = {"type": "output_text", "text": answer.text, "annotations": []}
        message: JsonObject = {"type": "message", "id": _id(asked, "msg"), "role": "assistant"}
        output.append({**message, "status": status, "content": [part]})
    custom = _custom_tools(asked.body)
    for number, call in enumerate(answer.calls):
        fields: JsonObject = {"call_id": call.id, "name": call.name, "status": "completed"}
        if call.name in custom:
            made = {"type": "custom_tool_call", "id": _id(asked, "ctc", number)}
            output.append({**made, **fields, "input": _input_text(call)})
        else:
            made = {"type": "function_call", "id": _id(asked, "fc", number)}
            output.append({**made, **fields, "arguments": arguments_text(call)})
    usage: JsonValue = None
    if (counts := _counts(answer.usage)) is not None:
        details = {"cached_input_tokens": 0, "reasoning_tokens": 0}  # clients require both
        usage = RESPONSES.counts(_told(answer.usage, **details, total_tokens=sum(counts)))
    limit: JsonValue = {"reason": "max_output_tokens"} if _is_limited(answer) else None
    return {
        "id": _id(asked, "resp"),
        "object": "response",
        "created_at": asked.started_at // 1000,
        "status": status,
        "error": None,
        "incomplete_details": limit,
        "model": text_at(asked.body, "model"),
        "output": output,
        "parallel_tool_calls": asked.body.get("parallel_tool_calls", True),
        "tool_choice": asked.body.get("tool_choice", "auto"),
        "tools": asked.body.get("tools", []),
        "usage": usage,
    }


def _message(asked: Exchange, answer: Answer) -> JsonObject:
    content: list[JsonValue] = [{"type": "text", "text": answer.text}] if answer.text else []
    for call in answer.calls:
        written: JsonObject = {"id": call.id, "name": call.name, "input": _arguments(call)}
        content.append({"type": "tool_use", **written})
    reason = "max_tokens" if _is_limited(answer) else "tool_use" if answer.calls else "end_turn"
    clear = _counts(answer.usage) is None  # clients require both
    usage = ANTHROPIC.counts(TokenUsage(input_tokens=0, output_tokens=0) if clear else answer.usage)
    return {
        "id": _id(asked, "msg"),
        "type": "message",
        "role": "assistant",
        "model": text_at(asked.body, "model"),
        "content": content,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": usage,
    }


def _contents(asked: Exchange, answer: Answer) -> JsonObject:
    parts: list[JsonValue] = [] if answer.text is None else [{"text": answer.text}]
    for call in answer.calls:
        written: JsonObject = {"id": call.id, "name": call.name, "args": _arguments(call)}
        parts.append({"functionCall": written})
    content: JsonObject = {"role": "model", "parts": parts}
    reason = "MAX_TOKENS" if _is_limited(answer) else "STOP"
    document: JsonObject = {
        "candidates": [{"index": 0, "content": content, "finishReason": reason}],
        "modelVersion": text_at(asked.body, "model"),
        "responseId": _id(asked, "resp"),
    }
    return document | _usage("usageMetadata", answer, GEMINI)


_WRITTEN: Mapping[Api, Callable[[Exchange, Answer], JsonObject]] = {
    "chat": _chat,
    "responses": _response,
    "messages": _message,
    "gemini": _contents,
}


def _id(asked: Exchange, kind: str, number: int = 0) -> str:
    """Return an id that is the same for the same attempt of the same request."""
    digest = sha256(f"{asked.attempt} {number} ".encode() + asked.request).hexdigest()
    return f"{kind}_{digest[:24]}"


def _counts(usage: TokenUsage) -> tuple[int, int] | None:
    """Return the tokens in and out; None where not both are known."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return usage.input_tokens, usage.output_tokens


def _usage(field: str, answer: Answer, words: TokenWords) -> JsonObject:
    """Return the field of tokens in a wire's words, where those in and out are known."""
    counts = _counts(answer.usage)
    if counts is None:
        return {}
    return {field: words.counts(_told(answer.usage, total_tokens=sum(counts)))}


def _told(usage: TokenUsage, **figures: int) -> TokenUsage:
    """Return a usage with these figures where it has none."""
    known = usage.model_dump(by_alias=False, exclude_none=True)
    return TokenUsage(**(figures | known))


def _is_limited(answer: Answer) -> bool:
    return answer.finish_reason in _LIMITED


def _custom_tools(body: JsonObject) -> set[str]:
    """Return the names of a request's tools that take a text and not JSON."""
    tools = (tool for tool in objects_of(body.get("tools")) if tool.get("type") == "custom")
    names = (text_at({**tool, **object_at(tool, "custom")}, "name") for tool in tools)
    return {name for name in names if name is not None}


def _arguments(call: ToolCall) -> JsonObject:
    given = arguments_value(call)
    return given if isinstance(given, dict) else {"arguments": given}


def _input_text(call: ToolCall) -> str:
    given = arguments_value(call)
    return given if isinstance(given, str) else arguments_text(call)
