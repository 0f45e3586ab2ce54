"""A conversation gives the same messages in each dialect, in whatever order its spans come."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.extensions.traces.projections.readers.placement import placed
from agentlog.extensions.traces.projections.readers.recorder import recorded
from agentlog.extensions.traces.projections.readers.thread import SpanThread, folded
from agentlog.extensions.traces.projections.readers.unread import unread_in
from agentlog.projections.readers.draft import sample_event
from tests.extensions.traces.projections.readers.dialects import (
    SETTINGS,
    WRITERS,
    Item,
    leaves,
    model_call,
    tool_run,
)

SYSTEM = {"role": "system", "text": "be brief"}
NAMED = {"gen_ai.conversation.id": "desk"}
_WORDS = st.sampled_from(["where is it", "yes please", "and then what", "no thanks"])


@st.composite
def conversations(draw: st.DrawFn) -> tuple[str, list[Item], list[Item]]:
    """Draw a tracer, the messages of a conversation, and the spans that tell them."""
    writer = draw(st.sampled_from(sorted(WRITERS)))
    one_trace = draw(st.booleans())
    messages: list[Item] = [SYSTEM]
    spans: list[Item] = []
    for turn in range(draw(st.integers(1, 3))):
        trace = f"{1 if one_trace else turn + 1:032x}"
        messages.append({"role": "user", "text": draw(_WORDS)})
        for step in range(draw(st.integers(0, 2))):
            names = [f"c{turn}{step}{n}" for n in range(draw(st.integers(1, 2)))]
            calls = [{"id": name, "name": "look", "args": {"at": name}} for name in names]
            gave = {"role": "assistant", "text": draw(st.sampled_from(["", "I look"]))}
            answer = {**gave, "calls": calls}
            spans.append(_call(len(spans), writer, messages, answer, trace))
            messages.append(answer)
            for call in calls:
                output = f"a wall at {call['id']}"
                if draw(st.booleans()):
                    spans.append(tool_run(len(spans) + 1, call, output, trace=trace, **NAMED))
                messages.append({"role": "tool", "id": call["id"], "text": output})
        answer = {"role": "assistant", "text": f"answer {turn} of {draw(_WORDS)}"}
        spans.append(_call(len(spans), writer, messages, answer, trace))
        messages.append(answer)
    return writer, messages, spans


def _call(number: int, writer: str, messages: list[Item], gave: Item, trace: str) -> Item:
    return model_call(number + 1, writer, list(messages), gave, trace=trace, **NAMED)


def arrived(batches: list[list[Item]], *, restarts: bool = False) -> list[Item]:
    """Return the drafts of the one thread that batches become."""
    thread, drafts = SpanThread(), list[Item]()
    for batch in batches:
        rows = list(placed(batch, lambda _: False))
        assert {row.name for row in rows} <= {"desk"}
        drafts += recorded(thread, [row.span for row in rows])
        if restarts:
            events = (sample_event(draft, version) for version, draft in enumerate(drafts, 1))
            thread = folded(events)
    return drafts


def said(drafts: list[Item]) -> Iterator[tuple[Any, ...]]:
    roles = {"system": "system", "input": "user", "reply": "assistant"}
    for draft in drafts:
        match draft:
            case {"type": "system" | "input" | "reply" as kind, "text": text}:
                yield roles[kind], text
            case {"calls": calls}:
                for call in calls:
                    yield "call", call["id"], call["name"], json.dumps(call["args"])
            case {"results": [result]}:
                yield "result", result["callId"], result["output"]
            case _:
                pass


def tokens(drafts: list[Item]) -> Counter[tuple[Any, ...]]:
    usages = [draft.get("usage", {}) for draft in drafts if draft["type"] == "llm_response"]
    return Counter((usage.get("inputTokens"), usage.get("outputTokens")) for usage in usages)


@given(conversations(), st.data())
def test_the_content_is_the_same_in_any_order_split_and_twice(
    conversation: tuple[str, list[Item], list[Item]], data: st.DataObject
) -> None:
    _, messages, spans = conversation
    order = data.draw(st.permutations([*spans, *data.draw(st.lists(st.sampled_from(spans)))]))
    batches: list[list[Item]] = [[]]
    for item in order:
        if data.draw(st.booleans()):
            batches.append([])
        batches[-1].append(item)
    drafts = arrived(batches, restarts=data.draw(st.booleans()))
    assert Counter(said(drafts)) == Counter(leaves(messages))
    assert [name for draft in drafts for name in unread_in(draft)] == []


@pytest.mark.parametrize("writer", WRITERS)
def test_every_tracer_tells_tokens_and_model_of_each_call(writer: str) -> None:
    user, answer = {"role": "user", "text": "hello you"}, {"role": "assistant", "text": "hi you"}
    call = model_call(1, writer, [SYSTEM, user], answer, trace=f"{1:032x}", **NAMED)
    drafts = arrived([[call]])
    assert list(said(drafts)) == list(leaves([SYSTEM, user, answer]))
    (response,) = [draft for draft in drafts if draft["type"] == "llm_response"]
    assert response["model"] == "m-1"
    assert tokens(drafts) == {(9, 4): 1}


def _told(drafts: list[Item]) -> list[str]:
    return [text for kind, *texts in said(drafts) for text in texts[-1:] if kind != "call"]


def _turn(number: int, *texts: str, **more: Any) -> Item:
    """Return a model call in a trace of its own; the last text is the answer."""
    messages = [
        {"role": ("user", "assistant")[n % 2], "text": text} for n, text in enumerate(texts)
    ]
    trace = f"{number:032x}"
    return model_call(
        number, "conventions", messages[:-1], messages[-1], trace=trace, **NAMED, **more
    )


@pytest.mark.parametrize("restarts", [False, True])
def test_a_turn_that_comes_late_is_told_once_and_one_asked_again_twice(*, restarts: bool) -> None:
    first, second = _turn(1, "q1", "a1"), _turn(2, "q1", "a1", "q2", "a2")
    late = arrived([[second], [first]], restarts=restarts)
    assert _told(late) == ["q1", "a1", "q2", "a2"]
    assert [draft["type"] for draft in late].count("llm_response") == 2
    assert "otel.context_rewritten" not in [draft["type"] for draft in late]
    again = arrived([[second], [first], [_turn(3, "q1", "a1")]], restarts=restarts)
    assert _told(again) == ["q1", "a1", "q2", "a2", "q1", "a1"]


def test_thoughts_of_an_answer_that_a_later_request_told_without_them_are_kept() -> None:
    second = _turn(2, "q1", "a1", "q2", "a2")
    first = _turn(1, "q1", "a1")
    parts = [{"type": "reasoning", "content": "a wall?"}, {"type": "text", "content": "a1"}]
    answer = json.dumps([{"role": "assistant", "parts": parts}])
    first["attributes"]["gen_ai.output.messages"] = answer
    drafts = arrived([[second], [first]])
    assert _told(drafts) == ["q1", "a1", "q2", "a2"]
    assert [draft["summary"] for draft in drafts if draft["type"] == "reasoning"] == ["a wall?"]


@given(st.sampled_from(sorted(WRITERS)), st.data())
def test_words_beside_messages_are_named_wherever_they_stand(
    writer: str, data: st.DataObject
) -> None:
    user, answer = {"role": "user", "text": "hello you"}, {"role": "assistant", "text": "hi you"}
    call = model_call(1, writer, [SYSTEM, user], answer, trace=f"{1:032x}", **NAMED)
    objects = [
        (attributes, name)
        for attributes in (call["attributes"], *(event["attributes"] for event in call["events"]))
        for name, value in attributes.items()
        if name not in SETTINGS and str(value)[:1] == "{" and "role" not in json.loads(value)
    ]
    attributes, name = data.draw(st.sampled_from([(call["attributes"], ""), *objects]))
    if name:
        attributes[name] = json.dumps({**json.loads(attributes[name]), "note": "he was cross"})
    else:
        attributes["acme.note"] = "he was cross"
    drafts = arrived([[call]])
    (record,) = [draft for draft in drafts if draft["type"] == "otel.span"]
    is_told = any("he was cross" in str(draft) for draft in drafts if draft is not record)
    assert is_told or [
        place for place in unread_in(record) if place.endswith((name or "acme.note", ".note"))
    ]


def test_words_that_no_message_has_are_named_in_the_record_of_their_span() -> None:
    call = _turn(1, "q1", "a1", **{"acme.note": "the user was cross", "acme.mood": "cross"})
    call["events"] = [{"name": "acme.said", "attributes": {"note": "and left at once"}}]
    around = {**call, "spanId": "9" * 16, "attributes": {"gen_ai.operation.name": "plan"} | NAMED}
    around["attributes"]["acme.state"] = json.dumps(
        {"messages": [{"role": "user", "content": "q1"}, {"role": "user", "content": "not told"}]}
    )
    around["events"] = []
    drafts = arrived([[call, around]])
    assert [unread_in(draft) for draft in drafts if draft["type"] == "otel.span"] == [
        ["acme.note", "acme.said.note"],
        ["acme.state"],
    ]
