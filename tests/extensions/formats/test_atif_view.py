"""The view `atif` is read as the same conversation."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.extensions.formats.atif.trajectory import FORMAT
from agentlog.projections.view import render
from agentlog.projections.views.openai import OpenAIView
from tests.extensions.formats.test_atif_shape import document
from tests.histories import drafts, event, examples, history
from tests.test_golden import THREADS


def chat(events: Sequence[Event]) -> list[Any]:
    return [placed.item for placed in render(OpenAIView(), events).items]


def read_again(events: Sequence[Event]) -> list[Any]:
    (read,) = FORMAT.read(document(events))
    return chat(history(*(dict(draft) for draft in read.drafts)))


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
def test_each_example_is_read_as_the_same_conversation(name: str) -> None:
    assert read_again(THREADS[name]) == chat(THREADS[name])


def test_a_late_result_stands_with_its_call() -> None:
    call = {"type": "tool_calls", "calls": [{"id": "b", "name": "search", "args": {}}]}
    result = {"type": "tool_results", "results": [{"callId": "b", "output": 1}]}
    asked = [{"type": "input", "text": str(n)} for n in range(40)]
    events = history(call, *asked, result, result)
    assert read_again(events) == chat(events)
    steps = document(events)["steps"]
    assert [step["step_id"] for step in steps] == list(range(1, 43))
    assert [step["tool_calls"][0]["function_name"] for step in (steps[0], steps[-1])] == [
        "search",
        "search",
    ]
    assert steps[0]["observation"]["results"] == [{"source_call_id": "b", "content": "1"}]
