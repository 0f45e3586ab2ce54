"""A model call and a tool's run as each tracer writes them, for tests.

Messages are those of OpenAI's chat: texts, calls with `id`, `name` and `args`, results.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.extensions.traces.spans import span

Item = dict[str, Any]
Attributes = dict[str, Any]
Events = list[Item]
J = json.dumps


def chat_form(message: Item) -> Item:
    """Return a message as OpenAI's chat has it."""
    if "calls" in message:
        calls = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": call["name"], "arguments": J(call["args"])},
            }
            for call in message["calls"]
        ]
        return {"role": "assistant", "content": message.get("text"), "tool_calls": calls}
    if message["role"] == "tool":
        return {"role": "tool", "tool_call_id": message["id"], "content": message["text"]}
    return {"role": message["role"], "content": message["text"]}


def _parts(message: Item) -> Item:
    texts = [{"type": "text", "content": message["text"]}] if message.get("text") else []
    if message["role"] == "tool":
        part = {"type": "tool_call_response", "id": message["id"], "response": message["text"]}
        return {"role": "tool", "parts": [part]}
    calls = [
        {"type": "tool_call", "id": call["id"], "name": call["name"], "arguments": call["args"]}
        for call in message.get("calls", ())
    ]
    return {"role": message["role"], "parts": [*texts, *calls]}


def _ai_sdk(message: Item, *, is_new: bool) -> Item:
    arguments, output = ("input", "output") if is_new else ("args", "result")
    if message["role"] == "tool":
        value: Any = message["text"]
        value = {"type": "text", "value": value} if is_new else value
        part = {"type": "tool-result", "toolCallId": message["id"], "toolName": "look"}
        return {"role": "tool", "content": [{**part, output: value}]}
    if message["role"] == "system":
        return {"role": "system", "content": message["text"]}
    texts = [{"type": "text", "text": message["text"]}] if message.get("text") else []
    calls = [
        {"type": "tool-call", "toolCallId": call["id"], "toolName": "look", arguments: call["args"]}
        for call in message.get("calls", ())
    ]
    return {"role": message["role"], "content": [*texts, *calls]}


def _blocks(message: Item) -> Item:
    """Return a message as Anthropic's API has it."""
    if message["role"] == "tool":
        result = {"type": "tool_result", "tool_use_id": message["id"], "content": message["text"]}
        return {"role": "user", "content": [result]}
    texts = [{"type": "text", "text": message["text"]}] if message.get("text") else []
    calls = [
        {"type": "tool_use", "id": call["id"], "name": "look", "input": call["args"]}
        for call in message.get("calls", ())
    ]
    return {"role": message["role"], "content": [*texts, *calls]}


def _converse(message: Item) -> list[Item]:
    """Return the blocks of a message as Bedrock has them."""
    if message["role"] == "tool":
        return [
            {"toolResult": {"toolUseId": message["id"], "content": [{"text": message["text"]}]}}
        ]
    texts = [{"text": message["text"]}] if message.get("text") else []
    calls = [
        {"toolUse": {"toolUseId": call["id"], "name": "look", "input": call["args"]}}
        for call in message.get("calls", ())
    ]
    return [*texts, *calls]


def _indexed(prefix: str, messages: list[Item], *, is_openinference: bool) -> Attributes:
    attributes: Attributes = {}
    for n, message in enumerate(messages):
        place = f"{prefix}.{n}.message" if is_openinference else f"{prefix}.{n}"
        attributes[f"{place}.role"] = message["role"]
        if message.get("text"):
            attributes[f"{place}.content"] = message["text"]
        if message["role"] == "tool":
            attributes[f"{place}.tool_call_id"] = message["id"]
        for m, call in enumerate(message.get("calls", ())):
            at = f"{place}.tool_calls.{m}"
            inner = f"{at}.tool_call.function" if is_openinference else at
            attributes[f"{at}.tool_call.id" if is_openinference else f"{at}.id"] = call["id"]
            attributes[f"{inner}.name"] = call["name"]
            attributes[f"{inner}.arguments"] = J(call["args"])
    return attributes


def _event(message: Item) -> Item:
    body = {key: value for key, value in chat_form(message).items() if value is not None}
    if "tool_call_id" in body:
        body["id"] = body.pop("tool_call_id")
    return {"name": f"gen_ai.{message['role']}.message", "attributes": _printed(body)}


def _printed(body: Item) -> Item:
    return {key: J(value) if isinstance(value, list) else value for key, value in body.items()}


_CONVENTIONS = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m-1",
    "gen_ai.usage.input_tokens": 9,
    "gen_ai.usage.output_tokens": 4,
}
_MODEL = {key: value for key, value in _CONVENTIONS.items() if "operation" not in key}


def _by_conventions(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    inputs = {"gen_ai.input.messages": J([_parts(message) for message in given])}
    return {**_CONVENTIONS, **inputs, "gen_ai.output.messages": J([_parts(gave)])}, []


def _by_gemini_cli(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    attributes, _ = _by_conventions(given, gave)
    del attributes["gen_ai.operation.name"]
    return {**attributes, "operation.name": "llm_call", "gen_ai.agent.name": "gemini-cli"}, []


def _by_ai_sdk(*, is_new: bool) -> "Writer":
    def write(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
        key = "input" if is_new else "args"
        calls = [
            {"toolCallId": call["id"], "toolName": "look", key: J(call["args"])}
            for call in gave.get("calls", ())
        ]
        tokens = ("inputTokens", "outputTokens") if is_new else ("promptTokens", "completionTokens")
        attributes: Attributes = {
            "operation.name": "ai.streamText.doStream chat",
            "ai.operationId": "ai.streamText.doStream",
            "ai.model.id": "m-1",
            "ai.prompt.messages": J([_ai_sdk(message, is_new=is_new) for message in given]),
            "ai.prompt.toolChoice": '{"type":"auto"}',
            f"ai.usage.{tokens[0]}": 9,
            f"ai.usage.{tokens[1]}": 4,
        }
        attributes |= {"ai.response.text": gave["text"]} if gave.get("text") else {}
        attributes |= {"ai.response.toolCalls": J(calls)} if calls else {}
        return attributes, []

    return write


def _by_openinference(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    return {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m-1",
        "llm.token_count.prompt": 9,
        "llm.token_count.completion": 4,
        **_indexed("llm.input_messages", given, is_openinference=True),
        **_indexed("llm.output_messages", [gave], is_openinference=True),
    }, []


def _by_openllmetry(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    return {
        "llm.request.type": "chat",
        **_MODEL,
        **_indexed("gen_ai.prompt", given, is_openinference=False),
        **_indexed("gen_ai.completion", [gave], is_openinference=False),
    }, []


def _by_events(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    choice = {"index": 0, "finish_reason": "stop", "message": J(chat_form(gave))}
    return dict(_CONVENTIONS), [
        *map(_event, given),
        {"name": "gen_ai.choice", "attributes": choice},
    ]


def _by_event_contents(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    """Return them as Azure's and Semantic Kernel's events have them: JSON in one attribute."""
    events = [
        {
            "name": f"gen_ai.{message['role']}.message",
            "attributes": {"gen_ai.event.content": J(chat_form(message))},
        }
        for message in given
    ]
    choice = {"index": 0, "message": chat_form(gave)}
    last = {"name": "gen_ai.choice", "attributes": {"gen_ai.event.content": J(choice)}}
    return dict(_CONVENTIONS), [*events, last]


def _by_content_events(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    return dict(_CONVENTIONS), [
        {
            "name": "gen_ai.content.prompt",
            "attributes": {"gen_ai.prompt": J([chat_form(message) for message in given])},
        },
        {
            "name": "gen_ai.content.completion",
            "attributes": {"gen_ai.completion": J([chat_form(gave)])},
        },
    ]


def _by_details(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    attributes, _ = _by_conventions(given, gave)
    messages = {key: attributes.pop(key) for key in [*attributes] if key.endswith(".messages")}
    name = "gen_ai.client.inference.operation.details"
    return attributes, [{"name": name, "attributes": messages}]


def _by_langsmith(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    choices = [{"index": 0, "message": chat_form(gave)}]
    return {
        "langsmith.span.kind": "llm",
        **_MODEL,
        "gen_ai.prompt": J({"messages": [chat_form(message) for message in given], "model": "m-1"}),
        "gen_ai.completion": J({"choices": choices, "model": "m-1"}),
    }, []


def _by_mlflow(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    inputs = {"messages": [chat_form(message) for message in given], "model": "m-1"}
    outputs = {"choices": [{"index": 0, "message": chat_form(gave)}]}
    chat = [chat_form(message) for message in [*given, gave]]
    return {
        "mlflow.spanType": J("CHAT_MODEL"),
        "mlflow.spanInputs": J(inputs),
        "mlflow.spanOutputs": J(outputs),
        "mlflow.chat.messages": J(chat),
        "gen_ai.request.model": "m-1",
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 4,
    }, []


def _by_values(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    """Return them as those who use OpenInference's kind without its messages have them."""
    return {
        "openinference.span.kind": "LLM",
        "llm.invocation_parameters": J({"model": "m-1", "temperature": 0.5}),
        "llm.model_name": "m-1",
        "llm.token_count.prompt": 9,
        "llm.token_count.completion": 4,
        "input.value": J({"messages": [chat_form(message) for message in given]}),
        "output.value": J(chat_form(gave)),
    }, []


def _by_adk(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    tool = {"function_declarations": [{"name": "look", "description": "look at a thing"}]}
    request = {
        "model": "m-1",
        "config": {"system_instruction": given[0]["text"], "tools": [tool]},
        "contents": [_content(message) for message in given[1:]],
    }
    return {
        **_CONVENTIONS,
        "gen_ai.operation.name": "generate_content",
        "gcp.vertex.agent.llm_request": J(request),
        "gcp.vertex.agent.llm_response": J({"content": _content(gave), "finish_reason": "STOP"}),
    }, []


def _content(message: Item) -> Item:
    """Return a message as Gemini's Python SDK has it."""
    if message["role"] == "tool":
        response = {"id": message["id"], "name": "look", "response": {"output": message["text"]}}
        return {"role": "user", "parts": [{"function_response": response}]}
    texts = [{"text": message["text"]}] if message.get("text") else []
    calls = [
        {"function_call": {"id": call["id"], "name": "look", "args": call["args"]}}
        for call in message.get("calls", ())
    ]
    return {"role": {"assistant": "model"}.get(message["role"], "user"), "parts": [*texts, *calls]}


def _by_mastra(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    calls = [part for part in _ai_sdk(gave, is_new=True)["content"] if "toolCallId" in part]
    return {
        "mastra.span.type": "llm_generation",
        **_MODEL,
        "gen_ai.prompt": J({"messages": [_ai_sdk(message, is_new=True) for message in given]}),
        "gen_ai.completion": J({"text": gave.get("text", ""), "files": [], "toolCalls": calls}),
    }, []


def _by_braintrust(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    return {
        "braintrust.span_attributes": J({"type": "llm", "name": "call"}),
        "braintrust.input_json": J([chat_form(message) for message in given]),
        "braintrust.output_json": J([{"index": 0, "message": chat_form(gave)}]),
        "braintrust.metadata": J({"model": "m-1", "provider": "openai"}),
        "braintrust.metrics": J({"prompt_tokens": 9, "completion_tokens": 4, "start": 1.5}),
    }, []


def _by_livekit(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    items: list[Item] = []
    for message in given:
        if message["role"] == "tool":
            result = {"call_id": message["id"], "name": "look", "output": message["text"]}
            items.append({"type": "function_call_output", **result})
        elif message.get("text"):
            content = [message["text"]]
            items.append({"type": "message", "role": message["role"], "content": content})
        items += [
            {"type": "function_call", "call_id": call["id"], "name": "look", "arguments": J(args)}
            for call in message.get("calls", ())
            for args in [call["args"]]
        ]
    calls = [
        chat["function"] | {"id": chat["id"]} for chat in chat_form(gave).get("tool_calls", ())
    ]
    return {
        **_CONVENTIONS,
        "lk.chat_ctx": J({"items": items}),
        "lk.response.text": gave.get("text", ""),
        "lk.response.function_calls": J(calls),
    }, []


def _by_answers(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    """Return them with the figures in the answer of the API alone."""
    answer = {
        "model": "m-1",
        "choices": [{"index": 0, "message": chat_form(gave)}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4},
    }
    request = {"model": "m-1", "messages": [chat_form(message) for message in given]}
    return {"acme.model": "m-1", "acme.request": J(request), "acme.response": J(answer)}, []


def _by_langfuse(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    return {
        "langfuse.observation.type": "generation",
        "langfuse.observation.model.name": "m-1",
        "langfuse.observation.usage_details": J({"input": 9, "output": 4}),
        "langfuse.observation.input": J([chat_form(message) for message in given]),
        "langfuse.observation.output": J(chat_form(gave)),
    }, []


def _by_logfire(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    return {
        "logfire.msg_template": "Message with {request_data[model]!r}",
        "logfire.span_type": "span",
        **_MODEL,
        "request_data": J(
            {
                "system": given[0]["text"],
                "messages": [_blocks(message) for message in given[1:]],
                "model": "m-1",
            }
        ),
        "response_data": J({"message": _blocks(gave), "usage": {}}),
    }, []


def _by_logfire_events(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    events = [
        {"event.name": f"gen_ai.{message['role']}.message", **chat_form(message)}
        for message in [*given, gave]
    ]
    return {**_CONVENTIONS, "events": J(events)}, []


def _by_strands(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    events = [
        {
            "name": f"gen_ai.{message['role']}.message",
            "attributes": {"content": J(_converse(message)), "role": message["role"]},
        }
        for message in given
    ]
    choice = {"finish_reason": "end_turn", "message": J(_converse(gave))}
    return dict(_CONVENTIONS), [*events, {"name": "gen_ai.choice", "attributes": choice}]


def _by_other_names(given: list[Item], gave: Item) -> tuple[Attributes, Events]:
    """Return them under names of no convention: only the shape of the values says what they are."""
    return {
        "acme.model": "m-1",
        "acme.usage.input_tokens": 9,
        "acme.usage.output_tokens": 4,
        "acme.llm.request_body": J({"messages": [chat_form(message) for message in given]}),
        "acme.llm.response_body": J({"choices": [{"message": chat_form(gave)}]}),
    }, []


SETTINGS = frozenset(
    """
    ai.prompt.toolChoice braintrust.metadata braintrust.metrics braintrust.span_attributes
    langfuse.observation.usage_details llm.invocation_parameters
    """.split()
)
"""Attributes with objects of settings and figures, which say nothing of a conversation."""
Writer = Callable[[list[Item], Item], tuple[Attributes, Events]]
WRITERS: dict[str, Writer] = {
    "conventions": _by_conventions,
    "gemini cli": _by_gemini_cli,
    "ai sdk 4": _by_ai_sdk(is_new=False),
    "ai sdk 6": _by_ai_sdk(is_new=True),
    "openinference": _by_openinference,
    "openllmetry": _by_openllmetry,
    "events": _by_events,
    "events with contents": _by_event_contents,
    "content events": _by_content_events,
    "details": _by_details,
    "langsmith": _by_langsmith,
    "mlflow": _by_mlflow,
    "logfire": _by_logfire,
    "logfire events": _by_logfire_events,
    "strands": _by_strands,
    "other names": _by_other_names,
    "values": _by_values,
    "adk": _by_adk,
    "mastra": _by_mastra,
    "braintrust": _by_braintrust,
    "livekit": _by_livekit,
    "answers": _by_answers,
    "langfuse": _by_langfuse,
}


def model_call(
    number: int, writer: str, given: list[Item], gave: Item, *, trace: str, **more: Any
) -> Item:
    """Return the span of a model call."""
    attributes, events = WRITERS[writer](given, gave)
    item = span(number, "call", trace=trace, **attributes, **more)
    return {**item, "events": events}


def tool_run(number: int, call: Item, output: str, *, trace: str, **more: Any) -> Item:
    """Return the span of a tool's run, by the conventions."""
    given = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call["name"],
        "gen_ai.tool.call.id": call["id"],
        "gen_ai.tool.call.arguments": J(call["args"]),
        "gen_ai.tool.call.result": output,
    }
    return span(number, "execute_tool", trace=trace, **given, **more)


def leaves(messages: list[Item]) -> Iterator[tuple[Any, ...]]:
    """Yield what messages say, once each: texts by role, calls, results."""
    for message in messages:
        if message["role"] == "tool":
            yield "result", message["id"], message["text"]
        elif message.get("text"):
            yield message["role"], message["text"]
        for call in message.get("calls", ()):
            yield "call", call["id"], call["name"], J(call["args"])
