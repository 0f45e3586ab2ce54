"""An agent on OpenAI's own client: a loop of calls."""

import json
from typing import Any

import logfire
from openai import OpenAI
from openinference.instrumentation.openai import OpenAIInstrumentor as OpenInference
from opentelemetry.instrumentation.genai.openai import OpenAIInstrumentor as GenAI
from opentelemetry.instrumentation.openai import OpenAIInstrumentor as OpenLLMetry

from tests.extensions.traces.traced.programs import story

TOOLS = {"track": story.track, "refund": story.refund}
PARAMETERS = {"type": "object", "properties": {"parcel": {"type": "integer"}}}
FUNCTIONS = [{"name": name, "parameters": PARAMETERS} for name in TOOLS]


def run_tool(name: str, arguments: str) -> str:
    """Return what a tool says, also where it fails."""
    try:
        return TOOLS[name](**json.loads(arguments))
    except ValueError as error:
        return f"failed: {error}"


def complete(client: OpenAI, messages: list[Any]) -> bool:
    """Add an answer of chat completions and results of its calls; return whether it has any."""
    tools = [{"type": "function", "function": function} for function in FUNCTIONS]
    asked: Any = {"model": story.MODEL, "messages": messages, "tools": tools}
    if story.IS_STREAMED:
        asked |= {"stream": True, "stream_options": {"include_usage": True}}
        message = assembled(client.chat.completions.create(**asked))
    else:
        answer = client.chat.completions.create(**asked)
        message = answer.choices[0].message.model_dump(exclude_none=True)
    messages.append(message)
    for call in message.get("tool_calls", ()):
        output = run_tool(**call["function"])
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})
    return "tool_calls" in message


def assembled(stream: Any) -> dict[str, Any]:
    """Return the message of a stream."""
    text, calls = "", dict[int, Any]()
    for delta in [choice.delta for chunk in stream for choice in chunk.choices]:
        text += delta.content or ""
        for part in delta.tool_calls or ():
            function = {"name": part.function.name, "arguments": ""}
            call = calls.setdefault(
                part.index, {"id": part.id, "type": "function", "function": function}
            )
            call["function"]["arguments"] += part.function.arguments
    message: dict[str, Any] = {"role": "assistant", "content": text or None}
    return {**message, "tool_calls": list(calls.values())} if calls else message


def respond(client: OpenAI, items: list[Any]) -> bool:
    """Add an answer of the Responses API and results of its calls; return whether it has any."""
    tools = [{"type": "function", "strict": False, **function} for function in FUNCTIONS]
    asked: Any = {"model": story.MODEL, "input": items, "tools": tools}
    asked["instructions"] = story.SYSTEM
    if story.IS_STREAMED:
        stream: Any = client.responses.create(**asked, stream=True)
        (response,) = [event.response for event in stream if event.type == "response.completed"]
    else:
        response = client.responses.create(**asked)
    items += [item.model_dump(exclude_none=True) for item in response.output]
    calls = [item for item in response.output if item.type == "function_call"]
    for call in calls:
        output = run_tool(call.name, call.arguments)
        items.append({"type": "function_call_output", "call_id": call.call_id, "output": output})
    return bool(calls)


def main() -> None:
    """Ask the questions."""
    if story.INSTRUMENTATION == "logfire":
        logfire.configure(send_to_logfire=False, console=False)
        logfire.instrument_openai()
        tracer: Any = logfire.DEFAULT_LOGFIRE_INSTANCE.config.get_tracer_provider()
    else:
        tracer = story.provider()
        instrumentor = {"genai": GenAI, "openinference": OpenInference, "openllmetry": OpenLLMetry}
        instrumentor[story.INSTRUMENTATION]().instrument(tracer_provider=tracer)
    is_chat = story.API == "chat"
    history: list[Any] = [{"role": "system", "content": story.SYSTEM}] if is_chat else []
    ask = complete if is_chat else respond
    with tracer.get_tracer("desk").start_as_current_span("desk"), OpenAI(max_retries=0) as client:
        for question in story.QUESTIONS:
            history.append({"role": "user", "content": question})
            while ask(client, history):
                pass
    tracer.force_flush()


if __name__ == "__main__":
    main()
