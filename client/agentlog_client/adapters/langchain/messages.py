"""LangChain's messages as kernel messages, and what kernel messages say of them.

A message becomes one kernel message or several: an answer its figures, its reasoning, its text and
its calls. The last is the main one. Messages of other classes than these four stay as they are.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from agentlog_client.adapters.langchain.plain import readable, unicode
from agentlog_client.operation import Json

Draft = dict[str, Json]
"""A kernel message without an id."""

KINDS = HumanMessage, AIMessage, SystemMessage, ToolMessage
"""The classes of messages that have kernel messages."""
_CLASSES: dict[str, type[BaseMessage]] = {
    "input": HumanMessage,
    "system": SystemMessage,
    "reply": AIMessage,
    "tool_calls": AIMessage,
    "tool_results": ToolMessage,
}
_FILES = frozenset({"image", "audio", "video", "file"})
_FIGURES = (
    ("inputTokens", ("input_tokens",)),
    ("outputTokens", ("output_tokens",)),
    ("totalTokens", ("total_tokens",)),
    ("cachedInputTokens", ("input_token_details", "cache_read")),
    ("cacheWriteTokens", ("input_token_details", "cache_creation")),
    ("cacheWrite5mTokens", ("input_token_details", "ephemeral_5m_input_tokens")),
    ("cacheWrite1hTokens", ("input_token_details", "ephemeral_1h_input_tokens")),
    ("inputAudioTokens", ("input_token_details", "audio")),
    ("reasoningTokens", ("output_token_details", "reasoning")),
    ("outputAudioTokens", ("output_token_details", "audio")),
)


def class_of(draft: Draft) -> type[BaseMessage] | None:
    """Return the class of messages whose main kernel message is of this type."""
    return _CLASSES.get(draft["type"])


def drafts_of(message: BaseMessage) -> list[Draft]:
    """Return the kernel messages that a message becomes; empty if its class is another."""
    match message:
        case HumanMessage():
            files = list(_files(message))
            text = _text(message)
            return [
                {"type": "input"}
                | ({"text": text} if text or not files else {})
                | ({"files": files} if files else {})
            ]
        case SystemMessage():
            return [{"type": "system", "text": _text(message)}]
        case AIMessage():
            return list(_answer(message))
        case ToolMessage():
            return [{"type": "tool_results", "results": [_result(message)]}]
        case _:
            return []


def fields_of(drafts: Sequence[Draft]) -> dict[str, Any]:
    """Return the fields of a message that its kernel messages say, the inverse of `drafts_of`."""
    fields: dict[str, Any] = {}
    for draft in drafts:
        match draft:
            case {"type": "input" | "system" | "reply", "text": str(text)}:
                fields["content"] = text
            case {"type": "tool_calls", "calls": calls}:
                fields["tool_calls"] = [
                    {"name": call["name"], "args": call.get("args", {}), "id": call["id"]}
                    for call in calls
                    if "argumentsText" not in call  # of an invalid one; erased ones have neither
                ]
            case {"type": "tool_results", "results": [{"output": output, **result}]}:
                fields["content"] = output
                fields["tool_call_id"] = result.get("callId", "")
                fields["status"] = "error" if result.get("error") is not None else "success"
                fields["name"] = result.get("name")
            case _:
                pass
    return {"content": "", **fields}


def _answer(message: AIMessage) -> Iterator[Draft]:
    if response := response_of(message):
        yield {"type": "llm_response", **response}
    for block in _blocks(message):
        if block.get("type") == "reasoning" and (thought := block.get("reasoning")):
            yield {"type": "reasoning", "title": "", "summary": unicode(str(thought))}
    calls = [*map(_call, message.tool_calls), *map(_invalid_call, message.invalid_tool_calls)]
    if (text := _text(message)) or not calls:
        yield {"type": "reply", "text": text}
    if calls:
        yield {"type": "tool_calls", "calls": calls}


def response_of(message: AIMessage) -> dict[str, Json]:
    """Return what a message says of the model's answer: fields of an `llm_response`."""
    metadata = message.response_metadata
    fields: dict[str, Json] = {}
    for ours, keys in (
        ("model", ("model_name", "model")),
        ("provider", ("model_provider",)),
        ("finishReason", ("finish_reason", "stop_reason")),
    ):
        texts = [metadata[key] for key in keys if isinstance(metadata.get(key), str)]
        if texts:
            fields[ours] = unicode(texts[0])
    usage: dict[str, int] = {}
    for ours, path in _FIGURES:
        value: Any = message.usage_metadata
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if type(value) is int and value >= 0:
            usage[ours] = value
    five, hour = usage.pop("cacheWrite5mTokens", 0), usage.get("cacheWrite1hTokens", 0)
    if five or hour:  # langchain-anthropic has 0 for both together then
        usage["cacheWriteTokens"] = max(usage.get("cacheWriteTokens", 0), five + hour)
    return fields | ({"usage": {**usage}} if usage else {})


def _call(call: Any) -> Draft:  # noqa: ANN401 - a dictionary of LangChain's
    return {
        "id": unicode(call["id"] or "unnamed"),
        "name": unicode(call["name"]),
        "args": readable(call["args"]),
    }


def _invalid_call(call: Any) -> Draft:  # noqa: ANN401 - as above
    name, arguments = call.get("name") or "", call.get("args") or ""
    return {
        "id": unicode(call.get("id") or "unnamed"),
        "name": unicode(name),
        "argumentsText": unicode(arguments),
    }


def _result(message: ToolMessage) -> Draft:
    result: Draft = {"output": readable(message.content)}
    if message.tool_call_id:
        result["callId"] = unicode(message.tool_call_id)
    if message.name is not None:
        result["name"] = unicode(message.name)
    if message.status == "error":
        result["error"] = _text(message)
    return result


def _files(message: HumanMessage) -> Iterator[dict[str, Json]]:
    for block in _blocks(message):
        if block.get("type") in _FILES and (data := block.get("base64")):
            named = {"filename": block.get("filename"), "mimeType": block.get("mime_type")}
            yield {"data": data} | {key: value for key, value in named.items() if value}


def _blocks(message: BaseMessage) -> Sequence[Any]:
    """Return a message's blocks as LangChain has them for all providers."""
    if isinstance(message.content, str) and not message.additional_kwargs:
        return ()
    return message.content_blocks


def _text(message: BaseMessage) -> str:
    return unicode(str(message.text))
