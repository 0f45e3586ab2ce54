"""The view `atif`: a valid trajectory at any moment."""

from collections.abc import Sequence
from typing import Any

import jsonpatch
import pytest
from atif import Trajectory
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse, print_bytes
from agentlog.extensions.formats.atif.view import AtifView
from agentlog.projections.view import render
from tests.histories import examples, histories, history
from tests.test_golden import THREADS

VIEW = AtifView()


def document(events: Sequence[Event]) -> dict[str, Any]:
    """Return the trajectory as a program reads it."""
    state = VIEW.state(render(VIEW, events).carry)
    read: Any = parse(print_bytes(state))
    return dict(read)


@given(histories())
@examples(100)
def test_a_trajectory_is_valid_at_any_moment(events: list[Event]) -> None:
    for end in range(len(events) + 1):
        Trajectory.model_validate(document(events[:end]))


@pytest.mark.parametrize("name", THREADS)
def test_each_example_is_a_trajectory(name: str) -> None:
    for end in range(1, len(THREADS[name]) + 1):
        Trajectory.model_validate(document(THREADS[name][:end]))


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
