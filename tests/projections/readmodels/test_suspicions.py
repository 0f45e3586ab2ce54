"""Suspicions: the rules that the calls of a thread meet, as the thread itself shows them."""

from typing import Any

from hypothesis import given

from agentlog.domain.events import Event
from agentlog.domain.json.text import parse_stored
from agentlog.projections.readmodels.suspicions import SuspicionRow, Suspicions
from agentlog.projections.suspicion import REPEAT_RULES, RESULT_RULES
from agentlog.projections.view import render
from agentlog.projections.views.timeline.view import TimelineView
from tests.histories import examples, history
from tests.projections.readmodels.folding import rows_of
from tests.projections.readmodels.stories import stories

SHOWN = {*REPEAT_RULES, *RESULT_RULES, "empty"}


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
            "calls": 2,
            "version": 3,
            "lastVersion": 4,
        }
    ]


def test_a_result_is_of_the_tool_that_was_called() -> None:
    events = history(call("edit", "a"), result("a", "Error: no"), result("b", "Traceback"))
    (row,) = rows_of(Suspicions(), events)
    assert (row.suspected, row.loops) == (1, 0)
    (mark,) = marks_of(row)
    assert (mark["rule"], mark["tool"], mark["version"]) == ("error_text", "edit", 2)


def test_a_thread_without_calls_has_no_row() -> None:
    assert rows_of(Suspicions(), history({"type": "reply", "text": "hi"})) == []


@given(events=stories)
@examples(25, long=600)
def test_the_rules_are_those_of_the_timeline(events: list[Event]) -> None:
    rendered = render(TimelineView(), events)
    items = [placed.item for placed in rendered.items if placed.item.get("kind") == "call"]
    shown: dict[str, int] = {}
    for item in items:
        for rule in item["suspected"]:
            if rule in SHOWN:
                shown[rule] = shown.get(rule, 0) + 1
    counted: dict[str, int] = {}
    for row in rows_of(Suspicions(), events):
        for mark in marks_of(row):
            counted[mark["rule"]] = counted.get(mark["rule"], 0) + mark["calls"]
    assert counted == shown
