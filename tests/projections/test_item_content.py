"""What views say of their items: the same for runs that differ in ids, times and usage alone."""

from typing import Any

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.identifiers import derived_message_id
from agentlog.projections.comparison.steps import StateNotComparable, Stepping
from agentlog.projections.registry import choose_view
from tests.histories import drafts, event, histories, history
from tests.projections.comparison.stepping import KERNEL, LISTS, compared, history_of
from tests.projections.views.test_laws import name_of
from tests.projections.views.test_redacted import blank

_IDS = {"id", "callId", "workerId"}
_LISTS = ("calls", "results")


def _renamed(draft: dict[str, Any]) -> dict[str, Any]:
    """Return the message of another run: its ids, times, usage and latency differ."""
    renamed: dict[str, Any] = {
        key: f"other-{value}" if key in _IDS else value for key, value in draft.items()
    }
    for key in _LISTS:
        if key in renamed:
            renamed[key] = [_renamed(call) for call in renamed[key]]
    if "usage" in draft:
        renamed |= {"latencyMs": 99.5, "costUsd": 0.25, "usage": {"totalTokens": 7}}
    return renamed


@given(st.lists(drafts, max_size=12))
def test_other_ids_and_times_are_no_difference(said: list[dict[str, Any]]) -> None:
    first = history(*said)
    second = [
        event(
            n + 1,
            {**_renamed(draft), "id": derived_message_id("other", n), "timestamp": 5 * n},
        )
        for n, draft in enumerate(said)
    ]
    for view in LISTS:
        note(name_of(view))
        assert history_of(first, view).steps == history_of(second, view).steps


@given(histories(), st.data())
def test_no_view_fails_on_any_item(events: list[Event], data: st.DataObject) -> None:
    erased = data.draw(st.sets(st.sampled_from(range(len(events))))) if events else set()
    left = [blank(recorded, 99) if n in erased else recorded for n, recorded in enumerate(events)]
    for view in LISTS:
        compared_to = history_of(left, view)
        assert len(compared_to.steps) == len(compared_to.items)


CALL = {"id": "a", "name": "search", "args": {"from": "BER", "seats": 1}}


def _calls(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"type": "tool_calls", "calls": list(calls)}


def _result(call_id: str, output: Any) -> dict[str, Any]:
    return {"type": "tool_results", "results": [{"callId": call_id, "output": output}]}


LISTING_CALLS = ["kernel", "openai", "letta", "openletta", "maria", "responses"]


@pytest.mark.parametrize("name", LISTING_CALLS)
def test_the_order_of_keys_and_the_form_of_numbers_do_not_count(name: str) -> None:
    other = {"id": "b", "name": "search", "args": {"seats": 1.0, "from": "BER"}}
    comparison = compared([_calls(CALL)], [_calls(other)], choose_view(name))
    assert comparison.divergence is None


@pytest.mark.parametrize("name", LISTING_CALLS)
def test_other_arguments_are_a_change_of_the_same_tool(name: str) -> None:
    other = {"id": "b", "name": "search", "args": {"from": "MUC", "seats": 1}}
    comparison = compared([_calls(CALL)], [_calls(other)], choose_view(name))
    assert (comparison.counts["only_a"], comparison.counts["only_b"]) == (0, 0)
    assert comparison.counts["changed"] > 0


@pytest.mark.parametrize("name", ["kernel", "openai"])
def test_a_result_says_which_of_the_calls_it_answers(name: str) -> None:
    asked = _calls(CALL, {**CALL, "id": "b"})
    comparison = compared(
        [asked, _result("a", "no")], [asked, _result("b", "no")], choose_view(name)
    )
    assert comparison.divergence is not None


def test_blanks_and_letters_count_as_they_are() -> None:
    said = {"type": "reply", "text": "Hello"}
    for other in ("Hello ", "hello", "He\u0301llo"):
        assert compared([said], [{**said, "text": other}]).counts["changed"] == 1


def test_a_failed_result_is_not_an_output_that_looks_like_it() -> None:
    failed = {"type": "tool_results", "results": [{"callId": "a", "output": None, "error": "x"}]}
    assert compared([failed], [_result("a", {"output": None, "error": "x"})]).divergence


def test_a_state_cannot_be_compared() -> None:
    with pytest.raises(StateNotComparable, match="difference between two moments"):
        Stepping(choose_view("agent-state"))


def test_what_was_erased_is_compared_as_it_is_shown() -> None:
    whole = history({"type": "reply", "text": "a secret"}, {"type": "tick"})
    erased = [blank(whole[0], 3), whole[1]]
    assert history_of(erased).steps != history_of(whole).steps
    assert history_of(erased).steps == history_of(erased, KERNEL).steps
    assert (
        history_of(erased).steps[0]
        == history_of(history({"type": "reply", "text": "[redacted]"})).steps[0]
    )
