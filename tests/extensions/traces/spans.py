"""Spans and log records of agents, as OpenTelemetry's conventions have them, for tests."""

from typing import Any

from agentlog.domain.json.text import print_text

Item = dict[str, Any]

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
SYSTEM = {"role": "system", "parts": [{"type": "text", "content": "be brief"}]}
USER = {"role": "user", "parts": [{"type": "text", "content": "Where is 4711?"}]}
CALL = {
    "role": "assistant",
    "parts": [
        {"type": "tool_call", "id": "call_1", "name": "track", "arguments": {"parcel": 4711}}
    ],
}
RESULT = {
    "role": "tool",
    "parts": [{"type": "tool_call_response", "id": "call_1", "response": "Hamburg"}],
}
ANSWER = {"role": "assistant", "parts": [{"type": "text", "content": "It is in Hamburg."}]}


def said(role: str, text: str) -> Item:
    """Return a message of one text."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def span(
    number: int, name: str, *, parent: int = 0, trace: str = TRACE, **attributes: object
) -> Item:
    """Return a span; `__` in the name of an attribute is a dot."""
    item: Item = {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "name": name,
        "kind": 3,
        "startTimeUnixNano": (1_767_600_000_000 + number * 1000) * 1_000_000,
        "endTimeUnixNano": (1_767_600_000_500 + number * 1000) * 1_000_000,
        "attributes": {key.replace("__", "."): value for key, value in attributes.items()},
    }
    if parent:
        item["parentSpanId"] = f"{parent:016x}"
    return item


def chat(
    number: int,
    inputs: list[Item],
    *outputs: Item,
    parent: int = 0,
    trace: str = TRACE,
    **more: Any,
) -> Item:
    """Return the span of a model call."""
    given: Item = {
        "gen_ai__operation__name": "chat",
        "gen_ai__provider__name": "openai",
        "gen_ai__request__model": "gpt-x",
        "gen_ai__input__messages": print_text(inputs),
        "gen_ai__output__messages": print_text(list(outputs)),
        "gen_ai__usage__input_tokens": 11,
        "gen_ai__usage__output_tokens": 7,
        **more,
    }
    return span(number, "chat gpt-x", parent=parent, trace=trace, **given)


def tool(number: int, *, parent: int = 0, trace: str = TRACE, **more: Any) -> Item:
    """Return the span of a tool's run."""
    given: Item = {
        "gen_ai__operation__name": "execute_tool",
        "gen_ai__tool__name": "track",
        "gen_ai__tool__call__id": "call_1",
        "gen_ai__tool__call__arguments": '{"parcel":4711}',
        "gen_ai__tool__call__result": "Hamburg",
        **more,
    }
    return span(number, "execute_tool track", parent=parent, trace=trace, **given)


def agent(number: int, *, trace: str = TRACE, **more: Any) -> Item:
    """Return the span of an agent's run."""
    given = {"gen_ai__operation__name": "invoke_agent", "gen_ai__agent__name": "desk", **more}
    return span(number, "invoke_agent desk", trace=trace, **given)


def story(*, trace: str = TRACE, **more: Any) -> list[Item]:
    """Return an agent's run in the order of its ends: a call of a tool, then the answer."""
    return [
        chat(2, [SYSTEM, USER], CALL, parent=1, trace=trace),
        tool(3, parent=1, trace=trace),
        chat(4, [SYSTEM, USER, CALL, RESULT], ANSWER, parent=1, trace=trace),
        agent(1, trace=trace, **more),
    ]
