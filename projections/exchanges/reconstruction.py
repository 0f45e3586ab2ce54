"""A model call of a history as a request that can be sent again.

A run that was recorded at the chat API has its requests. Others are built from the messages: the
view `openai` of the context that the answer was made of. What they had beside is sent as far as it
is on record.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agentlog.domain.errors import InvalidInput
from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, object_at, object_of, text_at
from agentlog.domain.messages import CustomMessage
from agentlog.projections.context.context import Context, Contexts
from agentlog.projections.exchanges import exchange
from agentlog.projections.exchanges.answers import RecordedAnswer, answers_of
from agentlog.projections.exchanges.requests import declared_tools, is_system
from agentlog.projections.view import Item, render
from agentlog.projections.views.openai import OpenAIView
from agentlog.projections.views.repair.chat import ChatWire
from agentlog.projections.views.repair.view import repaired
from agentlog.projections.views.request import RequestView

_NAMES: Mapping[str, str] = {
    **{
        name: name
        for name in (
            "temperature top_p max_tokens max_completion_tokens stop seed frequency_penalty "
            "presence_penalty reasoning_effort response_format tool_choice parallel_tool_calls "
            "verbosity"
        ).split()
    },
    "max_output_tokens": "max_completion_tokens",
    "stop_sequences": "stop",
    "topP": "top_p",
    "maxOutputTokens": "max_completion_tokens",
    "stopSequences": "stop",
    "frequencyPenalty": "frequency_penalty",
    "presencePenalty": "presence_penalty",
}
"""The chat API's names of parameters, by those on record; others are left out."""
_OF_TOOLS = ("tool_choice", "parallel_tool_calls")


class NothingToAsk(InvalidInput):
    """No message stands before the point that was named."""

    def __init__(self, thread_id: str, version: int) -> None:
        super().__init__(
            f"thread {thread_id!r} has no message for a model before version {version + 1}: "
            "name a later one"
        )


@dataclass(frozen=True, slots=True)
class FrozenCall:
    """A call of a model as a chat completions request, its `model` where that is known.

    `version` is that of the last event before it, `answer` what the model answered, None where the
    history has no answer yet. `source` says whether the request is as it was sent, or built from
    the messages; then `missing` names what is not on record.
    """

    request: Item
    source: Literal["recorded", "reconstructed"]
    missing: Sequence[str]
    version: int
    answer: RecordedAnswer | None


def frozen_call(events: Sequence[Event], version: int) -> FrozenCall:
    """Return the call whose answer stands at a version of a history, or comes next after it.

    Without a later answer it is the call that would come next, or the last one where the model has
    nothing to answer.

    Raises:
        NothingToAsk: no message stands before it.
    """
    answers = answers_of(events)
    there = (answer for answer in answers if answer.has(version))
    later = (answer for answer in answers if answer.first > version)
    answer = next(there, None) or next(later, None)
    contexts = Contexts()
    for event in events:
        contexts.add(event)
    if answer is None:
        context = contexts.after(version)
        messages = _messages(context)
        if messages and messages[-1]["role"] != "assistant":
            return _reconstructed(events, version, context, messages, None)
        answer = answers[-1] if answers else None
    before = version if answer is None else answer.first - 1
    if answer is None:
        context = contexts.after(before)
    else:
        context = contexts.of_answer([event.version for event in answer.events])
    messages = _messages(context)
    if not messages:
        raise NothingToAsk(events[0].thread_id if events else "", before)
    recorded = _recorded(events, before)
    if recorded is not None:
        return FrozenCall(recorded, "recorded", (), before, answer)
    return _reconstructed(events, before, context, messages, answer)


def exchange_at(events: Sequence[Event], version: int) -> exchange.Exchange | None:
    """Return the exchange with a model that stands last up to a version; None where none does."""
    event = next((event for event in reversed(events) if event.version <= version), None)
    match event and event.message:
        case CustomMessage(type=exchange.TYPE, payload=payload):
            sent = exchange.exchange_of(payload)
            return None if sent.api is None or "request" in sent.left_out else sent
        case _:
            return None


def _recorded(events: Sequence[Event], version: int) -> Item | None:
    """Return the chat request whose exchange stands at a version; None where none does."""
    sent = exchange_at(events, version)
    if sent is None or sent.api != "chat":
        return None
    return {
        key: value
        for key, value in sent.body.items()
        if value is not None and key not in _OF_STREAMS
    }


_OF_STREAMS = frozenset({"stream", "stream_options"})


def _messages(context: Context) -> list[Item]:
    items = (_sendable(placed.item) for placed in render(OpenAIView(), context.events).items)
    return repaired(ChatWire(), (item for item in items if item is not None))


_STALE = ("audio", "function_call")
"""Keys of an assistant's message that only the provider knew that made it, or that are obsolete."""
_SAYS = ("content", "tool_calls", "refusal")


def _sendable(item: Item) -> Item | None:
    """Return a message as any provider takes it; None where nothing is left."""
    if item["role"] != "assistant":
        return item
    message = {key: value for key, value in item.items() if key not in _STALE}
    return message if any(map(message.get, _SAYS)) else None


def _reconstructed(
    events: Sequence[Event],
    version: int,
    context: Context,
    messages: Sequence[Item],
    answer: RecordedAnswer | None,
) -> FrozenCall:
    view = RequestView()
    before = [event for event in events if event.version <= version]
    state = view.state(render(view, before).carry)
    request: Item = {"messages": [*messages]}
    tools = [tool for tool in map(_tool, declared_tools(state["tools"])) if tool is not None]
    parameters = _parameters(object_of(state["parameters"]), with_tools=bool(tools))
    if isinstance(state["model"], str):
        request["model"] = state["model"]
    if tools:
        request["tools"] = [*tools]
    missing = [
        name
        for name, is_there in {
            "the system prompt": any(map(is_system, messages)),
            "tool definitions": tools,
            "sampling parameters": parameters,
        }.items()
        if not is_there
    ]
    erased = sum(event.redacted is not None for event in before)
    if erased:
        missing.append(f"the contents of {erased} messages, which are erased")
    missing += context.missing
    return FrozenCall({**request, **parameters}, "reconstructed", missing, version, answer)


def _parameters(recorded: Item, *, with_tools: bool) -> Item:
    recorded = {**recorded, **object_at(recorded, "generationConfig")}  # Gemini's
    parameters = {_NAMES[name]: value for name, value in recorded.items() if name in _NAMES}
    if not isinstance(parameters.get("response_format", {}), dict):
        del parameters["response_format"]
    if not with_tools:  # the API refuses them alone
        for name in _OF_TOOLS:
            parameters.pop(name, None)
    return parameters


def _tool(recorded: JsonValue) -> Item | None:
    """Return a tool as the chat API defines it; None for one that runs at another provider."""
    match recorded:
        case {"type": "function", "function": {"name": str()}}:
            return object_of(recorded)
        case {"name": str(name), "input_schema": dict(schema)}:  # Anthropic's
            pass
        case {"name": str(name), "parameters": dict(schema)}:  # of Responses, and Gemini's
            pass
        case {"name": str(name), "parametersJsonSchema": dict(schema)}:
            pass
        case {"name": str(name), "description": str(), **others} if "type" not in others:
            schema = {"type": "object"}  # a function of Gemini without parameters
        case _:
            return None
    function: Item = {"name": name, "parameters": _json_schema(schema)}
    if description := text_at(object_of(recorded), "description"):
        function["description"] = description
    return {"type": "function", "function": function}


def _json_schema(schema: JsonValue) -> JsonValue:
    """Return a schema whose types are those of JSON Schema: Gemini's are in capitals."""
    match schema:
        case dict():
            return {
                key: inner.lower()
                if key == "type" and isinstance(inner, str)
                else _json_schema(inner)
                for key, inner in schema.items()
            }
        case list():
            return [_json_schema(inner) for inner in schema]
        case _:
            return schema
