"""Attempts: calls that try again what an earlier call tried, numbered as they come."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import object_of
from agentlog.projections.outcomes.attempts import Attempts, CallPlace, Numbered, numbered
from agentlog.projections.view import Item, render
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView
from tests.histories import histories, history

VIEW = TimelineView(TimelineOptions(attempts=True))
BOOKING = {"user": "mia", "from": "JFK", "to": "SEA", "cabin": "economy", "amount": 957}


def call(tool: str, args: Any, *, error: str | None = None, output: Any = "fine") -> list[Any]:
    """Return a call and its result, which has failed with an error."""
    call_id = f"{tool}-{args}"
    result = {"callId": call_id, "output": output, **({} if error is None else {"error": error})}
    return [
        {"type": "tool_calls", "calls": [{"id": call_id, "name": tool, "args": args}]},
        {"type": "tool_results", "results": [result]},
    ]


def numbers(*parts: Sequence[Any]) -> list[int]:
    """Return the number of each call, in the order of the calls."""
    events = history(*[draft for part in parts for draft in part])
    calls = calls_of(events)
    return [object_of(calls[place]["attempt"]).get("number", 1) for place in sorted(calls)]  # type: ignore[misc]


def calls_of(events: Sequence[Event]) -> dict[tuple[Any, Any], Item]:
    """Return the items of calls by their places, without results that answer no call."""
    items = [placed.item for placed in render(VIEW, events).items]
    return {
        (item["version"], item["ordinal"]): item
        for item in items
        if item["kind"] == "call" and item["version"] is not None
    }


def test_a_retry_with_other_arguments_is_the_next_attempt_whatever_stands_between() -> None:
    assert numbers(
        call("book", BOOKING, output="Error: total price is 1002, but paid 957"),
        call("think", {"thought": "the amount is wrong"}),
        call("book", {**BOOKING, "amount": 1047}, error="no"),
        call("get_user", {"user": "mia"}),
        call("book", {**BOOKING, "amount": 957}),
    ) == [1, 1, 2, 1, 3]


def test_after_a_success_only_an_equal_call_is_an_attempt() -> None:
    first, second = call("search", {"q": "x", "page": 1}), call("search", {"q": "x", "page": 2})
    assert numbers(first, second) == [1, 1]
    assert numbers(first, second, first) == [1, 1, 2]


def test_a_success_ends_the_series_before_it() -> None:
    failing = call("run", {"suite": "smoke", "limit": 4}, error="no")
    repaired = call("run", {"suite": "smoke", "limit": 60})
    later = call("run", {"suite": "smoke", "limit": 90})
    assert numbers(failing, repaired, later) == [1, 2, 1]


@pytest.mark.parametrize(
    ("before", "after", "number"),
    [
        ({"suite": "smoke"}, {"suite": "smoke", "limit": 60}, 2),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, 2),
        ({"a": 1, "b": 2, "c": 3}, {"a": 9, "b": 8, "c": 3}, 1),
        ({"command": "pytest tests/test_a.py"}, {"command": "pytest -x tests/test_a.py"}, 2),
        ({"command": "pytest tests/test_a.py"}, {"command": "git status"}, 1),
        ({"user": "mia"}, {"user": "ada"}, 1),
        ("one two three", "one two four", 2),
        ({}, {}, 2),
        ([1], [2], 1),
    ],
)
def test_half_of_the_arguments_must_be_equal(before: Any, after: Any, number: int) -> None:
    assert numbers(call("x", before, error="no"), call("x", after)) == [1, number]
    assert numbers(call("x", before, error="no"), call("y", after)) == [1, 1]


def test_parallel_calls_are_attempts_only_where_they_are_equal() -> None:
    calls = [{"id": str(n), "name": "x", "args": {"a": 1, "b": n // 2}} for n in range(4)]
    assert numbers([{"type": "tool_calls", "calls": calls}]) == [1, 2, 1, 2]


def test_an_attempt_names_the_one_before_and_all_of_a_series_are_counted() -> None:
    events = history(*call("x", {"n": 1}), *call("y", {}), *call("x", {"n": 1}), *call("x", {}))
    calls = calls_of(events)
    assert calls[5, 0]["attempt"] == {"number": 2, "version": 1, "ordinal": 0}
    assert numbered(calls.values()) == {
        CallPlace(1, 0): Numbered(1, 2),
        CallPlace(5, 0): Numbered(2, 2),
    }


def test_an_erased_call_is_no_attempt() -> None:
    events = history(*call("x", {"n": 1}), *call("x", {"n": 1}))
    erased = [Event("t", e.version, e.type, e.body, e.message_id, redacted=9) for e in events]
    assert {str(item["attempt"]) for item in calls_of(erased).values()} == {"None"}


def test_what_is_remembered_is_bounded() -> None:
    attempts = Attempts()
    for n in range(200):
        arguments = {f"key {n} {m}": f"word {m} " * 99 for m in range(50)}
        place = CallPlace(n, 0)
        attempts, _ = attempts.called(f"tool {n}", arguments, digest=f"{n:012}", place=place)
    assert len(print_bytes(attempts)) < 32_000


@given(histories(), st.data())
def test_a_number_depends_on_the_past_alone(events: list[Event], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(events)))
    whole, part = calls_of(events), calls_of(events[:cut])
    assert {place: item["attempt"] for place, item in part.items()} == {
        place: item["attempt"] for place, item in whole.items() if place[0] <= cut
    }


@given(histories())
def test_each_series_counts_from_one_to_its_length(events: list[Event]) -> None:
    calls = calls_of(events)
    series = numbered(calls.values())
    for place, item in calls.items():
        attempt = object_of(item["attempt"])
        if attempt:
            before = CallPlace(attempt["version"], attempt["ordinal"])
            assert before < place
            assert calls[before]["name"] == item["name"]
            assert (
                series[before].number + 1 == attempt["number"] == series[CallPlace(*place)].number
            )
            assert series[before].of == series[CallPlace(*place)].of
    assert all(1 <= number <= of for number, of in series.values())
