"""The view `atif`: a valid trajectory at any moment, which is read as the same conversation."""

from collections.abc import Sequence
from typing import Any

import jsonpatch
import pytest
from atif import Trajectory
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse, print_bytes
from agentlog.projections.readers.agents.atif import FORMAT
from agentlog.projections.view import render
from agentlog.projections.views.atif.view import AtifView
from agentlog.projections.views.openai import OpenAIView
from tests.histories import drafts, event, examples, histories, history
from tests.test_golden import THREADS

VIEW = AtifView()


def document(events: Sequence[Event]) -> dict[str, Any]:
    """Return the trajectory as a program reads it."""
    state = VIEW.state(render(VIEW, events).carry)
    read: Any = parse(print_bytes(state))
    return dict(read)


def chat(events: Sequence[Event]) -> list[Any]:
    return [placed.item for placed in render(OpenAIView(), events).items]


def read_again(events: Sequence[Event]) -> list[Any]:
    (read,) = FORMAT.read(document(events))
    return chat(history(*(dict(draft) for draft in read.drafts)))


@given(histories())
@examples(100)
def test_a_trajectory_is_valid_at_any_moment(events: list[Event]) -> None:
    for end in range(len(events) + 1):
        Trajectory.model_validate(document(events[:end]))


def has_content(draft: dict[str, Any]) -> bool:
    """Return whether ATIF says all of a message: no empty text, and no id of two calls."""
    ids = [call["id"] for call in draft.get("calls", ())]
    is_text = draft["type"] in ("input", "reply", "system")
    return len(set(ids)) == len(ids) and not (is_text and draft.get("text", "") == "")


def is_spoken(draft: dict[str, Any]) -> bool:
    """Return whether a message may name its response: a thought amid another one parts that."""
    return bool(draft["type"] != "reasoning")


@given(st.lists(drafts.filter(has_content), max_size=12), st.data())
@examples(200)
def test_a_trajectory_is_read_as_the_same_conversation(
    said: list[dict[str, Any]], data: st.DataObject
) -> None:
    answers = st.sampled_from([{}, {"responseId": "r1"}, {"responseId": "r2"}])
    events = [
        event(n + 1, {**draft, "metadata": data.draw(answers) if is_spoken(draft) else {}})
        for n, draft in enumerate(said)
    ]
    assert read_again(events) == chat(events)


@pytest.mark.parametrize("name", THREADS)
def test_each_example_is_a_trajectory_of_the_same_conversation(name: str) -> None:
    for end in range(1, len(THREADS[name]) + 1):
        Trajectory.model_validate(document(THREADS[name][:end]))
    assert read_again(THREADS[name]) == chat(THREADS[name])


@given(histories(), st.data())
@examples(40)
def test_a_patch_leads_to_the_later_trajectory(events: list[Event], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(events)))
    before, after = render(VIEW, events[:cut]).carry, render(VIEW, events).carry
    old, new = (parse(print_bytes(VIEW.state(carry))) for carry in (before, after))
    patch = jsonpatch.JsonPatch(parse(print_bytes(VIEW.patch(before, after))))
    assert patch.apply(old) == new
    assert parse(print_bytes(VIEW.printable(after))) == new


def test_a_turn_is_a_step_with_its_results_and_figures() -> None:
    of_response = {"metadata": {"responseId": "r"}}
    usage = {"inputTokens": 11, "outputTokens": 7, "reasoningTokens": 2}
    events = history(
        {"type": "thread.started", "goal": "Find it", "metadata": {"agent": "desk", "model": "m"}},
        {"type": "input", "text": "Where?"},
        {"type": "llm_response", "model": "m-1", "usage": usage, **of_response},
        {"type": "reasoning", "title": "", "summary": "I look.", **of_response},
        {"type": "tool_calls", "calls": [{"id": "a", "name": "track", "args": 7}], **of_response},
        {"type": "approval_request", "callId": "a", "tool": "track"},
        {"type": "tool_results", "results": [{"callId": "a", "output": None, "error": "lost"}]},
        {"type": "reply", "text": "It is lost."},
    )
    made = document(events)
    assert made["agent"] == {"name": "desk", "version": "unknown", "model_name": "m"}
    assert made["extra"]["goal"] == "Find it"
    asked, turn, last = made["steps"]
    assert (asked["source"], asked["message"], asked["step_id"]) == ("user", "Where?", 1)
    assert turn["model_name"] == "m-1"
    assert turn["metrics"] == {
        "prompt_tokens": 11,
        "completion_tokens": 7,
        "extra": {"reasoning_tokens": 2},
    }
    assert turn["reasoning_content"] == "I look."
    (call,) = turn["tool_calls"]
    assert (call["arguments"], call["extra"]) == ({"input": "7"}, {"arguments_text": "7"})
    (result,) = turn["observation"]["results"]
    assert result == {"source_call_id": "a", "content": "lost", "extra": {"is_error": True}}
    assert last["message"] == "It is lost."
    assert last["extra"]["events"][0]["type"] == "approval_request"
