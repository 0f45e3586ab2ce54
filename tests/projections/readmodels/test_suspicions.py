"""Suspicions: the rules that the calls of a thread meet, as the thread itself shows them."""

from collections import Counter
from typing import Any

from hypothesis import given

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import texts_of
from agentlog.projections.outcomes.suspicion import REPEAT_RULES
from agentlog.projections.outcomes.words import word_of
from agentlog.projections.readmodels.suspicions import SuspicionRow, Suspicions
from agentlog.projections.view import render
from agentlog.projections.views.timeline.view import TimelineView
from tests.histories import examples, history
from tests.projections.readmodels.folding import rows_of
from tests.projections.readmodels.stories import stories


def call(name: str, call_id: str, **args: Any) -> dict[str, Any]:
    return {"type": "tool_calls", "calls": [{"id": call_id, "name": name, "args": args}]}


def result(call_id: str, output: Any) -> dict[str, Any]:
    return {"type": "tool_results", "results": [{"callId": call_id, "output": output}]}


def marks_of(row: SuspicionRow) -> list[dict[str, Any]]:
    marks: Any = parse_stored(row.marks.encode())
    return list(marks)


def test_a_call_made_three_times_is_a_loop_and_names_its_tool_and_command() -> None:
    asked = [call("bash", str(n), command="git status") for n in range(4)]
    (row,) = rows_of(Suspicions(), history(*asked))
    assert (row.suspected, row.loops) == (2, 2)
    assert marks_of(row) == [
        {
            "rule": "repeated_in_a_row",
            "tool": "bash",
            "command": "git",
            "model": None,
            "calls": 2,
            "version": 3,
            "lastVersion": 4,
        }
    ]


def test_a_result_is_of_the_tool_that_was_called() -> None:
    events = history(call("edit", "a"), result("a", "Error: no"), result("b", "Traceback"))
    (row,) = rows_of(Suspicions(), events)
    assert (row.failures, row.told, row.suspected, row.loops) == (0, 1, 0, 0)
    (mark,) = marks_of(row)
    assert (mark["rule"], mark["tool"], mark["version"]) == ("error_text", "edit", 2)


def test_slow_dear_and_unanswered_calls_are_marked_as_well() -> None:
    asked = {"type": "llm_request", "model": "big"}
    timed = [
        {**draft, "timestamp": 1_767_268_800_000 + at}
        for n in range(10)
        for draft, at in (
            (asked, n * 60_000),
            ({"type": "llm_response", "costUsd": 0.01 + n // 9}, n * 60_000 + 100 + n // 9 * 9000),
        )
    ]
    ending = [call("bash", "a", command="git log"), {"type": "exit", "reason": "complete"}]
    (row,) = rows_of(Suspicions(), history(*timed, *ending))
    model = {"tool": None, "command": None, "model": "big"}
    assert (row.suspected, row.loops) == (2, 0)
    assert marks_of(row) == [
        {"rule": "slow", **model, "calls": 1, "version": 20, "lastVersion": 20},
        {"rule": "dear", **model, "calls": 1, "version": 20, "lastVersion": 20},
        {
            "rule": "unanswered",
            "tool": "bash",
            "command": "git",
            "model": None,
            "calls": 1,
            "version": 21,
            "lastVersion": 21,
        },
    ]


def test_an_answer_however_late_takes_the_mark_away() -> None:
    events = [call("f", "a"), *[{"type": "input", "text": ""}] * 50]
    (row,) = rows_of(Suspicions(), history(*events))
    assert (row.suspected, marks_of(row)[0]["rule"]) == (1, "unanswered")
    (row,) = rows_of(Suspicions(), history(*events, result("a", "fine")))
    assert (row.suspected, marks_of(row)) == (0, [])


@given(events=stories)
@examples(25, long=600)
def test_the_rules_are_those_of_the_timeline(events: list[Event]) -> None:
    items = [placed.item for placed in render(TimelineView(), events).items]
    calls = [item for item in items if item["kind"] in {"call", "model"}]
    shown = Counter(rule for item in calls for rule in texts_of(item["suspected"]))
    rows = rows_of(Suspicions(), events)
    counted: Counter[str] = Counter()
    for row in rows:
        for mark in marks_of(row):
            counted[mark["rule"]] += mark["calls"]
    assert counted == shown
    words = Counter(map(word_of, items))
    assert sum(row.suspected for row in rows) == words["suspected"]
    repeated = [item for item in calls if REPEAT_RULES.intersection(texts_of(item["suspected"]))]
    assert sum(row.loops for row in rows) == len(repeated)
