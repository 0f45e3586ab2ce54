"""Why a run went as it went: where it ended, what failed first, and what came before that."""

from collections.abc import Sequence
from typing import Any

from hypothesis import given

from agentlog.api.shapes.lines.why import why_lines
from agentlog.domain.events import Event
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.outcomes.words import WordCounts
from agentlog.projections.view import render
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView
from agentlog.projections.why.calls import RunCall
from agentlog.projections.why.ending import ENDING_TYPES, ending_of
from agentlog.projections.why.trail import RunLoop, trail_of
from agentlog.projections.why.why import RunOutcome, Why, versions_of, why_of
from tests.histories import histories, history

AT = 1_767_323_045_000
VIEW = TimelineView(TimelineOptions(hint=True, attempts=True))
TOO_LITTLE = "Error: total price is 1002, but paid 957"


def why(events: Sequence[Event]) -> Why:
    """Return why a run went as it went."""
    trail = trail_of([placed.item for placed in render(VIEW, events).items])
    messages = {version: events[version - 1] for version in versions_of(trail)}
    ends = [event for event in events if event.type in ENDING_TYPES]
    return why_of(("t", len(events), None), trail, messages, ending_of(ends))


def told(*drafts: dict[str, Any]) -> Why:
    """Return why a run of some messages went as it went, a second between two."""
    timed = [{"timestamp": AT + 1000 * n, **draft} for n, draft in enumerate(drafts)]
    return why(history(*timed))


def words_of(answer: Why) -> WordCounts:
    return WordCounts(answer.failures, answer.told, answer.suspected)


def lines(answer: Why) -> list[str]:
    return [" ".join(line.split()) for line in why_lines(answer)]


def call(call_id: str, name: str = "book", **args: Any) -> dict[str, Any]:
    return {"type": "tool_calls", "calls": [{"id": call_id, "name": name, "args": args}]}


def result(call_id: str, output: Any = "fine", **more: Any) -> dict[str, Any]:
    return {"type": "tool_results", "results": [{"callId": call_id, "output": output, **more}]}


def started(**metadata: Any) -> dict[str, Any]:
    return {"type": "thread.started", "metadata": metadata}


RUN = (
    started(task=46, reward=0.0),
    {"type": "input", "text": "book it"},
    call("1", "calculate", expression="3 * 319"),
    result("1", "957"),
    call("2", user="mia", flight="HAT271", paid=957),
    result("2", TOO_LITTLE),
    call("3", user="mia", flight="HAT271", paid=1047),
    result("3", TOO_LITTLE),
    call("4", user="mia", flight="HAT271", paid=957),
    result("4", TOO_LITTLE),
    {"type": "reply", "text": "It did not work."},
)


def test_a_failed_run_has_its_failure_what_led_to_it_and_its_loops() -> None:
    answer = told(*RUN)
    assert answer.outcome == RunOutcome("failed", "scores", None, {"reward": 0.0}, None, 1)
    assert (answer.failure, words_of(answer)) == (None, WordCounts(told=3))
    assert answer.doubt is not None
    assert (answer.doubt.word, answer.doubt.version, answer.doubt.text) == ("told", 6, TOO_LITTLE)
    assert answer.doubt.rules == ("error_text",)
    assert answer.doubt.call == RunCall(5, 6, "book", "paid=957", "told", 1, 3)
    assert answer.before == RunCall(3, 4, "calculate", "3 * 319", "unstated", None, None)
    assert answer.loops == (RunLoop("book", "mia", 3, 5, 9, equal=False),)
    assert (answer.total.calls, answer.total.elapsed_ms) == (4, 9000)
    assert answer.last is not None
    assert (answer.last.version, answer.last.text) == (11, "It did not work.")


def test_it_is_five_lines_for_a_terminal() -> None:
    assert lines(told(*RUN)) == [
        "outcome v1 failed: reward 0.0, no end on record",
        f"told v6 book paid=957 (1st of 3) [error_text?]: {TOO_LITTLE}",
        "before it v3 calculate 3 * 319",
        "in all 4 calls, 3 told, 9.0s, book 3 times nearly the same v5 to v9",
        "last v11 It did not work.",
    ]
    assert lines(told()) == [
        "outcome unknown: no end on record",
        "failure none",
        "last call none",
        "in all 0 calls",
        "last nothing was said",
    ]


def test_an_error_of_the_runtime_names_the_model_that_failed_once() -> None:
    answer = told(
        {"type": "llm_request", "model": "gpt-4o"},
        {"type": "runtime_error", "error": "connection reset"},
        {"type": "exit", "reason": "error", "message": "gave up"},
    )
    assert answer.failure is not None
    assert (answer.failure.kind, answer.failure.text) == ("runtime_error", "connection reset")
    assert (words_of(answer), answer.failure.call, answer.before) == (
        WordCounts(failures=2),
        None,
        None,
    )
    assert answer.outcome == RunOutcome("failed", "exit", None, {}, "error", 3)
    assert answer.last is not None
    assert answer.last.text == "gave up"


def test_an_exit_with_an_error_is_a_failure_where_nothing_else_is() -> None:
    answer = told(call("1", n=1), result("1"), {"type": "exit", "reason": "error"})
    assert answer.failure is not None
    assert (answer.failure.version, answer.failure.kind, answer.failure.text) == (3, "exit", None)
    assert answer.before is not None
    assert answer.before.version == 1


def test_the_result_of_the_failed_call_is_shown_among_others() -> None:
    calls = [{"id": name, "name": "x", "args": {"n": name}} for name in "abc"]
    results = [
        {"callId": name, "output": None, "error": f"no {name}" if name == "b" else None}
        for name in "abc"
    ]
    answer = told(
        {"type": "tool_calls", "calls": calls}, {"type": "tool_results", "results": results}
    )
    assert answer.failure is not None
    assert answer.failure.text == "no b"
    assert answer.failure.call is not None
    assert answer.failure.call.arguments == "b"


def test_the_text_of_a_result_of_mcp_is_its_text() -> None:
    answer = told(call("1"), result("1", {"content": [{"type": "text", "text": "Error: no"}]}))
    assert answer.doubt is not None
    assert (answer.doubt.word, answer.doubt.text) == ("told", "Error: no")


def test_a_call_without_an_answer_is_suspected_once_the_run_ended() -> None:
    answer = told(call("1", "submit"), {"type": "thread.closed", "reason": "killed"})
    assert answer.failure is None
    assert answer.doubt is not None
    assert (answer.doubt.word, answer.doubt.version) == ("suspected", 1)
    assert (answer.doubt.rules, answer.doubt.text) == (("unanswered",), None)
    assert words_of(answer) == WordCounts(suspected=1)
    assert (answer.outcome.end, answer.last and answer.last.text) == ("closed", "killed")
    assert words_of(told(call("1", "submit"))) == WordCounts()


def test_a_score_on_record_is_where_the_outcome_stands() -> None:
    score = {"type": "inspect.score", "payload": {"score": {"value": "I"}}}
    note = {"type": "thread.annotated", "metadata": {"score.match": "I"}}
    assert told({"type": "input", "text": "x"}, note, score).outcome.version == 3
    assert told({"type": "input", "text": "x"}, note).outcome.version == 2
    assert told({"type": "input", "text": "x"}, score).outcome.version is None


def test_a_tool_is_not_named_twice_where_its_command_begins_with_it() -> None:
    answer = told(call("1", "edit", command="edit 1:1\nx"), result("1", error="no"))
    assert answer.failure is not None
    assert answer.failure.call is not None
    assert answer.failure.call.arguments == "1:1\nx"


def test_a_judgement_of_the_run_decides_and_is_where_its_outcome_stands() -> None:
    judged = {"type": "thread.judged", "verdict": "pass"}
    end = {"type": "exit", "reason": "error"}
    answer = told(end, judged, {**judged, "verdict": "fail", "criterion": "tone"})
    assert (answer.outcome.verdict, answer.outcome.version) == ("succeeded", 2)
    assert lines(answer)[0] == "outcome v2 succeeded as someone judged: error"
    assert told(end, judged, {**judged, "verdict": None, "score": None}).outcome.version == 1


def test_what_a_rule_asks_for_is_where_its_outcome_stands() -> None:
    rule = parse_filter("metadata.reward>=1 or exit:error", "success")
    end = {"type": "exit", "reason": "error"}
    events = history(started(reward=0), end, {"type": "thread.annotated", "metadata": {"a": 1}})
    ending = ending_of(events, rule)
    assert (ending.outcome.verdict, ending.outcome.basis) == ("succeeded", "rule")
    assert ending.version == 2


@given(histories())
def test_any_history_has_an_answer_in_five_lines(events: list[Event]) -> None:
    answer = why(events)
    shown = list(why_lines(answer))
    assert len(shown) == 5
    assert all(line.isprintable() for line in shown)
    words = words_of(answer)
    assert (answer.failure is None) == (words.failures == 0)
    assert (answer.doubt is None) == (words.told + words.suspected == 0)
