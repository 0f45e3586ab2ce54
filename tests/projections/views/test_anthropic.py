"""The view `anthropic`: Anthropic's API takes what it shows at any moment; what came in is kept."""

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.messages.anthropic import FORMAT
from agentlog.projections.view import Item, render
from agentlog.projections.views.anthropic.view import AnthropicOptions, AnthropicView
from agentlog.projections.views.repair.anthropic import BEGINNING, FILLER
from tests.histories import examples, histories, history, json_values, texts
from tests.projections.anthropic_api import check_types, why_refused
from tests.test_golden import GOLDEN, THREADS

USER = {"role": "user", "content": "Where is it?"}
THOUGHT = {"type": "thinking", "thinking": "I look.", "signature": "c2ln"}
USE = {"type": "tool_use", "id": "a", "name": "track", "input": {"parcel": 7}}
OTHER_USE = {**USE, "id": "b"}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "en route"}
OTHER_RESULT = {**RESULT, "tool_use_id": "b", "is_error": True}
ASKED = {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "One moment."}, USE]}
ANSWERED = {"role": "user", "content": [RESULT]}
ANSWER: Any = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "text", "text": "On its way.", "citations": None}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 3},
}
CALLS = {
    "type": "tool_calls",
    "calls": [{"id": "a", "name": "track", "args": {"parcel": 7}}, {"id": "b", "name": "track"}],
}


def drafts(items: Iterable[JsonValue]) -> list[dict[str, Any]]:
    return [dict(draft) for draft in next(FORMAT.read(list(items))).drafts]


def shown(events: Sequence[Event], **options: bool) -> list[Any]:
    view = AnthropicView(AnthropicOptions(**options))
    return [placed.item for placed in render(view, events).items]


def results(*outputs: tuple[str, str]) -> dict[str, Any]:
    given = [{"callId": call_id, "output": output} for call_id, output in outputs]
    return {"type": "tool_results", "results": given}


@given(histories())
@examples(100)
def test_the_api_takes_what_is_shown_at_any_moment(events: list[Event]) -> None:
    for end in range(len(events) + 1):
        items = shown(events[:end])
        assert why_refused(items) is None, items


@pytest.mark.parametrize("name", THREADS)
def test_the_api_takes_each_example_at_any_moment(name: str) -> None:
    for end in range(len(THREADS[name]) + 1):
        items = shown(THREADS[name][:end])
        assert why_refused(items) is None
        for item in items:
            if item["role"] != "system":
                check_types(item)


CONVERSATION = [USER, ASKED, ANSWERED, ANSWER, {"role": "user", "content": [RESULT, {"type": "x"}]}]


def test_messages_come_back_as_they_were() -> None:
    assert shown(history(*drafts(CONVERSATION)), repair=False) == CONVERSATION


blocks = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": texts}, optional={"x": json_values}),
    st.fixed_dictionaries(
        {"type": st.just("tool_use"), "id": texts, "name": texts, "input": json_values}
    ),
    st.fixed_dictionaries(
        {"type": st.just("tool_result"), "tool_use_id": st.sampled_from(["a", "b"])},
        optional={"content": json_values, "is_error": st.booleans()},
    ),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": texts, "signature": texts}),
    st.fixed_dictionaries({"type": texts}, optional={"x": json_values}),
)
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant"]),
        "content": texts | st.lists(blocks, max_size=4),
    },
    optional={"id": texts, "x": json_values, "usage": json_values, "model": texts},
)


def is_spoken(item: Any) -> bool:
    """Return whether calls and thoughts are the assistant's: who speaks is never changed."""
    content = item["content"] if isinstance(item["content"], list) else []
    return item["role"] == "assistant" or not any(
        block["type"] in ("tool_use", "thinking") for block in content
    )


@given(st.lists(messages.filter(is_spoken), max_size=4))
@examples(100)
def test_messages_of_any_shape_come_back_as_they_were(items: list[Item]) -> None:
    events = history(*drafts(items))
    assert print_bytes(shown(events, repair=False), sort_keys=True) == print_bytes(
        items, sort_keys=True
    )
    assert why_refused(shown(events)) is None


@pytest.mark.parametrize("name", ["request.json", "answers.jsonl"])
def test_what_was_imported_comes_back_as_it_was(name: str) -> None:
    text = (GOLDEN / "readers" / "anthropic" / name).read_bytes()
    document: Any = (
        parse(text) if name.endswith(".json") else [parse(line) for line in text.splitlines()]
    )
    (read,) = FORMAT.read(document)
    items = document["messages"] if isinstance(document, dict) else document
    everything = shown(history(*read.drafts), repair=False)
    prompts = everything[: len(everything) - len(items)]
    assert everything[len(prompts) :] == items
    assert all(item["role"] == "system" for item in prompts)


def test_messages_of_one_response_are_one_message() -> None:
    of_response = {"metadata": {"responseId": "r"}}
    events = history(
        {"type": "input", "text": "Where?"},
        {"type": "reply", "text": "I look.", **of_response},
        {**CALLS, **of_response},
        results(("a", "here"), ("b", "there")),
        {"type": "reply", "text": "Here and there."},
    )
    user, asked, answered, last = shown(events)
    assert [block["type"] for block in asked["content"]] == ["text", "tool_use", "tool_use"]
    assert [block["tool_use_id"] for block in answered["content"]] == ["a", "b"]
    assert (user["role"], answered["role"], last["role"]) == ("user", "user", "assistant")


def test_all_results_stand_together_before_any_text() -> None:
    events = history(
        {"type": "input", "text": "Where?"},
        CALLS,
        results(("b", "there")),
        {"type": "system", "text": "Be quick."},
        results(("a", "here")),
        {"type": "input", "text": "Well?"},
    )
    roles = [item["role"] for item in shown(events)]
    assert roles == ["user", "assistant", "user", "system", "user"]
    assert [block["tool_use_id"] for block in shown(events)[2]["content"]] == ["b", "a"]
    unanswered = shown([*events[:3], *events[5:]])
    assert [block["content"] for block in unanswered[2]["content"]] == ["there", FILLER]
    assert shown(events[:3])[2] == unanswered[2], "at a moment between the results too"


def test_a_result_without_call_gets_one_and_a_beginning_is_the_users() -> None:
    beginning, asked, answered = shown(history(results(("z", "here"))))
    assert beginning == {"role": "user", "content": BEGINNING}
    assert asked["content"][0] == {"type": "tool_use", "id": "z", "name": "unknown", "input": {}}
    assert answered["content"] == [{**RESULT, "tool_use_id": "z", "content": "here"}]
    assert [item["role"] for item in shown(history(results(("z", "here"))), repair=False)] == [
        "user"
    ]


def test_thoughts_are_shown_where_their_signature_is_kept() -> None:
    events = history(*drafts([USER, ASKED]), {"type": "reasoning", "title": "", "summary": "So."})
    assert shown(events)[1]["content"][0] == THOUGHT
    assert len(shown(events)) == 2
    assert len(shown(events, repair=False)) == 3


def test_system_prompts_stand_apart() -> None:
    events = history({"type": "system", "text": "Be kind."}, {"type": "input", "text": "Hello."})
    assert [item["role"] for item in shown(events)] == ["system", "user"]
    assert [item["role"] for item in shown(events, system=False)] == ["user"]
