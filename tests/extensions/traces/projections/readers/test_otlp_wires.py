"""The same story through every wire's habits: the `openai` view is what the model was sent.

Wires differ in what they put together, leave out and tell twice. O5, O6 and O7 of the second trial
were three such habits; the property draws them together.
"""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import print_text
from agentlog.extensions.traces.projections.readers.placement import placed
from agentlog.extensions.traces.projections.readers.recorder import recorded
from agentlog.extensions.traces.projections.readers.thread import SpanThread
from agentlog.projections.readers.draft import sample_event
from agentlog.projections.registry import choose_view
from agentlog.projections.view import render
from tests.extensions.traces.spans import Item, span

OPENAI = choose_view("openai", {})
TEXTS = st.sampled_from(["Hello", "Where is 4711?", '{"x": 1}', "wait"])


def view_of(batches: list[list[Item]]) -> list[Item]:
    """Return the `openai` view of a thread that spans came to in batches; arguments as values."""
    thread = SpanThread()
    drafts = [
        draft
        for batch in batches
        for draft in recorded(thread, [row.span for row in placed(batch, lambda _: True)])
    ]
    events = [sample_event(draft, n) for n, draft in enumerate(drafts, 1)]
    return [place.item for place in render(OPENAI, events).items]


def call(number: int) -> Item:
    function = {"name": "track", "arguments": f'{{"parcel": {number % 2}}}'}
    return {"id": f"call_{number}", "type": "function", "function": function}


@st.composite
def stories(draw: st.DrawFn) -> list[Item]:
    """Draw a prompt, and questions with answers; an answer with calls gets results and another."""
    story: list[Item] = []
    if draw(st.booleans()):
        story.append({"role": "system", "content": "be brief"})
    number = 0
    for _ in range(draw(st.integers(1, 2))):
        story.append({"role": "user", "content": draw(TEXTS)})
        for _ in range(draw(st.integers(0, 2))):
            calls = [call(number + n) for n in range(draw(st.integers(1, 3)))]
            number += len(calls)
            text = draw(st.none() | TEXTS)
            story.append({"role": "assistant", "content": text, "tool_calls": calls})
            for asked in calls:
                result = {"role": "tool", "content": draw(TEXTS), "tool_call_id": asked["id"]}
                story.append(result)
        story.append({"role": "assistant", "content": draw(TEXTS)})
    return story


def grouped(message: Item, how: str) -> list[Item]:
    """Return an answer as the messages that a wire has for it."""
    calls = message.get("tool_calls", [])
    if message["role"] != "assistant" or how == "together" or not calls:
        return [message]
    text = [{"role": "assistant", "content": message["content"]}] if message["content"] else []
    listed = [calls] if how == "calls apart" else [[asked] for asked in calls]
    return [*text, *({"role": "assistant", "tool_calls": some} for some in listed)]


def indexed(messages: list[Item], place: str, habits: Mapping[str, Any]) -> Item:
    """Return attributes of OpenInference."""
    item: Item = {}
    for n, message in enumerate(messages):
        name = f"llm.{place}.{n}.message"
        if habits["has role"] or place == "input_messages":
            item[f"{name}.role"] = message["role"]
        if message.get("content") is not None:
            if habits["spelled"] != "contents":
                item[f"{name}.content"] = message["content"]
            if habits["spelled"] != "content" and message["role"] != "tool":
                inner = f"{name}.contents.0.message_content"
                item |= {f"{inner}.type": "text", f"{inner}.text": message["content"]}
            elif message["role"] == "tool":
                item[f"{name}.content"] = message["content"]
        if message["role"] == "tool":
            item[f"{name}.tool_call_id"] = message["tool_call_id"]
        for m, asked in enumerate(message.get("tool_calls", ())):
            inner = f"{name}.tool_calls.{m}.tool_call"
            item |= {f"{inner}.id": asked["id"]}
            item |= {f"{inner}.function.{k}": v for k, v in asked["function"].items()}
    return item


def with_parts(messages: list[Item], habits: Mapping[str, Any]) -> str:
    """Return messages of the GenAI conventions."""
    items: list[Item] = []
    for message in messages:
        parts: list[Item] = []
        if message["role"] == "tool":
            key = "response" if habits["has role"] else "result"
            part = {"type": "tool_call_response", "id": message["tool_call_id"]}
            parts.append({**part, key: message["content"]})
        elif message.get("content") is not None:
            parts.append({"type": "text", "content": message["content"]})
        calls = message.get("tool_calls", ())
        asked = [
            {"type": "tool_call", "id": asked_for["id"], **asked_for["function"]}
            for asked_for in calls
        ]
        parts = [*asked, *parts] if habits["calls first"] else [*parts, *asked]
        role = "user" if message["role"] == "tool" and not habits["has role"] else message["role"]
        items.append({"role": role, "parts": parts})
    return print_text(items)


def model_span(number: int, sent: list[Item], answer: Item, habits: Mapping[str, Any]) -> Item:
    inputs = [said for item in sent for said in grouped(item, habits["told as"])]
    outputs = grouped(answer, habits["answered as"])
    if habits["wire"] == "openinference":
        given = indexed(inputs, "input_messages", habits)
        gave = indexed(outputs, "output_messages", habits)
        return span(number, "llm", **{"openinference.span.kind": "LLM", **given, **gave})
    return span(
        number,
        "chat",
        gen_ai__operation__name="chat",
        gen_ai__input__messages=with_parts(inputs, habits),
        gen_ai__output__messages=with_parts(outputs, {**habits, "has role": True}),
    )


def tool_span(number: int, result: Item, habits: Mapping[str, Any]) -> Item:
    """Return the span of a tool's run; LangChain's have its message, as one of three dumps."""
    message = {"content": result["content"], "type": "tool", "tool_call_id": result["tool_call_id"]}
    path = ["langchain", "schema", "messages", "ToolMessage"]
    dumps: dict[str, Item] = {
        "dict": {"type": "tool", "data": message},
        "dumpd": {"output": {"lc": 1, "type": "constructor", "id": path, "kwargs": message}},
        "fields": {**message, "additional_kwargs": {}, "status": "success"},
    }
    as_dump = dumps.get(habits["tool's output"])
    output = result["content"] if as_dump is None else print_text(as_dump)
    named = {"tool_call.id": result["tool_call_id"]} if habits["tools have ids"] else {}
    if habits["wire"] == "openinference":
        kind = {"openinference.span.kind": "TOOL", "tool.name": "track"}
        return span(number, "track", **{**kind, **named, "output.value": output})
    return span(
        number,
        "track",
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="track",
        gen_ai__tool__call__result=output,
        **({"gen_ai.tool.call.id": result["tool_call_id"]} if named else {}),
    )


HABITS = st.fixed_dictionaries(
    {
        "wire": st.sampled_from(["openinference", "semconv"]),
        "told as": st.sampled_from(["together", "calls apart", "an item each"]),
        "answered as": st.sampled_from(["together", "calls apart", "an item each"]),
        "spelled": st.sampled_from(["content", "contents", "both"]),
        "calls first": st.booleans(),
        "has role": st.booleans(),
        "tool's output": st.sampled_from(["bare", "dict", "dumpd", "fields"]),
        "tools have ids": st.booleans(),
        "tools have spans": st.booleans(),
        "one batch": st.booleans(),
    }
)


@given(stories(), HABITS)
def test_the_view_is_what_the_model_was_sent(story: list[Item], habits: Mapping[str, Any]) -> None:
    spans: list[Item] = []
    for n, message in enumerate(story):
        if message["role"] == "assistant":
            spans.append(model_span(n + 1, story[:n], message, habits))
        elif message["role"] == "tool" and habits["tools have spans"]:
            spans.append(tool_span(n + 1, message, habits))
    batches = [spans] if habits["one batch"] else [[one] for one in spans]
    assert view_of(batches) == story


RESULT = {"role": "tool", "content": '{"lost": 4711}', "tool_call_id": "call_1"}
TOLD = [{"role": "user", "content": "Where?"}]
HABIT: Item = {
    "wire": "openinference",
    "told as": "together",
    "answered as": "together",
    "spelled": "content",
    "calls first": False,
    "has role": True,
    "tool's output": "bare",
    "tools have ids": True,
}


def test_a_reply_that_a_span_has_twice_is_told_once() -> None:  # O5
    answer = {"role": "assistant", "content": "In Hamburg."}
    asked = model_span(1, TOLD, answer, {**HABIT, "spelled": "both"})
    assert view_of([[asked]]) == [*TOLD, answer]


@pytest.mark.parametrize("dump", ["dict", "dumpd", "fields"])
def test_a_result_is_what_the_model_is_sent_and_no_envelope(dump: str) -> None:  # O6
    called = {"role": "assistant", "content": None, "tool_calls": [call(1)]}
    habits = {**HABIT, "tool's output": dump}
    run = [model_span(1, TOLD, called, habits), tool_span(2, RESULT, habits)]
    assert view_of([run]) == [*TOLD, called, RESULT]


def test_an_answer_without_a_role_is_the_assistants() -> None:  # O7
    answer = {"role": "assistant", "content": "In Hamburg."}
    asked = model_span(1, TOLD, answer, {**HABIT, "has role": False})
    assert view_of([[asked]]) == [*TOLD, answer]


def test_a_result_in_the_same_batch_is_taken_from_the_next_request() -> None:
    called = {"role": "assistant", "content": None, "tool_calls": [call(1)]}
    failed = tool_span(2, {**RESULT, "content": "Traceback"}, HABIT)
    failed["status"] = {"code": 2, "message": "boom"}
    answer = {"role": "assistant", "content": "Lost."}
    run = [
        model_span(1, TOLD, called, HABIT),
        failed,
        model_span(3, [*TOLD, called, RESULT], answer, HABIT),
    ]
    assert view_of([run]) == [*TOLD, called, RESULT, answer]


def test_calls_with_two_ids_have_one_result() -> None:
    """OpenLLMetry names calls of the Responses API by their item, and results by their call."""
    asked = {**call(1), "id": "fc_1"}
    called = {"role": "assistant", "content": None, "tool_calls": [asked]}
    answer = {"role": "assistant", "content": "Lost."}
    run = [
        model_span(1, TOLD, called, HABIT),
        model_span(2, [*TOLD, called, RESULT], answer, HABIT),
        model_span(3, [*TOLD, called, RESULT, answer, *TOLD], answer, HABIT),
    ]
    result = {**RESULT, "tool_call_id": "fc_1"}
    expected = [*TOLD, called, result, answer, *TOLD, answer]
    assert view_of([[one] for one in run]) == expected


@pytest.mark.parametrize("answers", [True, False], ids=["answers known", "answers lacking"])
def test_the_same_call_under_another_id_is_another_call(answers: bool) -> None:  # noqa: FBT001 - a parameter
    answer = {"role": "assistant", "content": "Lost."}
    spans: list[Item] = []
    for n in (1, 3):
        asked = {"role": "assistant", "content": None, "tool_calls": [call(n)]}
        result = {**RESULT, "tool_call_id": f"call_{n}"}
        first = model_span(n, TOLD, asked, HABIT)
        spans += [first] if answers else []
        spans.append(model_span(n + 1, [*TOLD, asked, result], answer, HABIT))
    view = view_of([[one] for one in spans])
    assert [message["tool_call_id"] for message in view if message["role"] == "tool"] == [
        "call_1",
        "call_3",
    ]
    calls = [asked["id"] for message in view for asked in message.get("tool_calls", ())]
    assert calls == ["call_1", "call_3"]
