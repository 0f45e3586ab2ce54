"""The timeline: spans paired and timed, points, what is open, and no contents."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.beginning import readable
from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.projections.view import Item, Placed, render
from agentlog.projections.views.agent_state import AgentStateView
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView
from tests.histories import histories, history

VIEW = TimelineView()
AT = 1_767_323_045_000


def call(*calls: tuple[str, str], **more: Any) -> dict[str, Any]:
    """Return a message with calls by id and name."""
    asked = [{"id": call_id, "name": name, "args": {"id": 7}} for call_id, name in calls]
    return {"type": "tool_calls", "calls": asked, **more}


def result(call_id: str | None, output: Any = "fine", **more: Any) -> dict[str, Any]:
    """Return a message with one result; `error` and `name` belong to it."""
    own = {key: more.pop(key) for key in ("error", "name") if key in more}
    named = {} if call_id is None else {"callId": call_id}
    return {"type": "tool_results", "results": [{**named, "output": output, **own}], **more}


def placed(*drafts: dict[str, Any]) -> list[Placed]:
    """Return the items of a thread with their places."""
    return list(render(VIEW, history(*drafts)).items)


def items(*drafts: dict[str, Any]) -> list[Item]:
    """Return the items of a thread."""
    return [item.item for item in placed(*drafts)]


def parts(item: Item, *keys: str) -> tuple[Any, ...]:
    return tuple(item[key] for key in keys)


def test_a_call_is_one_item_with_its_result_and_time() -> None:
    (_, item) = items(
        {"type": "input", "text": "hi", "timestamp": AT},
        call(("a", "get_user"), timestamp=AT + 1000, metadata={"responseId": "r1"}),
        result("a", {"name": "Ada"}, timestamp=AT + 3500),
    )[:2]
    del item["digest"], item["bytesIn"], item["bytesOut"]
    assert item == {
        "kind": "call",
        "version": 2,
        "endVersion": 3,
        "name": "get_user",
        "ordinal": 0,
        "callId": "a",
        "startedAt": "2026-01-02T03:04:06.000Z",
        "endedAt": "2026-01-02T03:04:08.500Z",
        "elapsedMs": 2500,
        "outcome": "unstated",
        "suspected": [],
        "step": 2,
        "responseId": "r1",
    }


def test_an_item_stands_where_it_ended_and_what_is_open_stands_last() -> None:
    shown_items = placed(
        call(("a", "slow"), ("b", "quick")),
        result("b"),
        {"type": "approval_request", "callId": "c", "tool": "pay"},
        {"type": "log", "text": "waiting"},
    )
    shown = [(item.key, *parts(item.item, "kind", "version")) for item in shown_items]
    assert shown == [
        ("2.0", "call", 1),
        ("4.0", "log", 4),
        ("4.1", "call", 1),
        ("4.2", "approval", 3),
    ]
    assert [item.item["endVersion"] for item in shown_items[2:]] == [None, None]


def test_a_result_without_a_call_has_no_beginning() -> None:
    (item,) = items(result("x"))
    known = parts(item, "version", "endVersion", "startedAt", "elapsedMs", "name", "bytesIn")
    assert known == (None, 1, None, None, "unknown", None)


def test_a_result_without_an_id_answers_the_oldest_open_call_of_its_name() -> None:
    shown = items(call(("a", "x"), ("b", "y"), ("c", "y")), result(None, name="y"))
    assert [parts(item, "callId", "endVersion") for item in shown] == [
        ("b", 2),
        ("a", None),
        ("c", None),
    ]


def test_a_stated_error_fails_a_call_and_is_no_suspicion() -> None:
    shown = items(call(("a", "x"), ("b", "x")), result("a", "Error: no", error="no"), result("b"))
    assert [parts(item, "outcome", "suspected") for item in shown[:2]] == [
        ("failed", []),
        ("unstated", []),
    ]


def test_a_text_that_reads_as_an_error_is_told_unless_the_record_says_how_it_went() -> None:
    text = "KeyError: no such user"
    shown = items(call(("a", "x")), result("a", text))
    assert parts(shown[0], "outcome", "suspected") == ("told", ["error_text"])
    shown = items(call(("a", "x")), result("a", text, error=None))
    assert parts(shown[0], "outcome", "suspected") == ("succeeded", ["error_text"])


@pytest.mark.parametrize(
    "last", [{"type": "exit", "reason": "complete"}, {"type": "thread.closed"}]
)
def test_a_call_is_unanswered_when_the_thread_ends_until_a_result_comes(
    last: dict[str, Any],
) -> None:
    ended = items(call(("a", "x")), last)
    assert ended[0]["kind"] == last["type"]
    assert parts(ended[1], "callId", "endVersion", "suspected") == ("a", None, ["unanswered"])
    (_, answered) = items(call(("a", "x")), last, result("a"))
    assert parts(answered, "version", "endVersion", "suspected") == (1, 3, [])


def test_a_call_is_unanswered_after_fifty_steps_and_an_approval_is_not() -> None:
    asked = {"type": "approval_request", "callId": "a", "tool": "pay"}
    talk = [{"type": "reply", "text": "…"}] * 49
    before = placed(call(("a", "x")), asked, *talk)
    assert [item.item["suspected"] for item in before[-2:]] == [[], []]
    after = placed(call(("a", "x")), asked, *talk, {"type": "reply", "text": "…"})
    assert parts(after[-2].item, "kind", "suspected") == ("call", ["unanswered"])
    assert parts(after[-1].item, "kind", "suspected") == ("approval", [])


def test_results_find_their_calls_over_a_thread_of_any_length() -> None:
    calls = [(f"c{number}", "search") for number in range(60)]
    events = [call(*calls), *[result(call_id) for call_id, _ in calls[:58]]]
    shown = items(*events)
    assert [parts(item, "callId", "version", "endVersion") for item in shown] == [
        *[(f"c{number}", 1, number + 2) for number in range(58)],
        ("c58", 1, None),
        ("c59", 1, None),
    ]
    assert [number for number, item in enumerate(shown) if "unanswered" in item["suspected"]] == [
        *(58, 59)
    ]


@given(answers=st.permutations(range(90)), talk=st.integers(0, 80), ends=st.booleans())
def test_each_call_is_one_item_and_each_result_finds_it(
    answers: list[int], talk: int, *, ends: bool
) -> None:
    said: list[dict[str, Any]] = [{"type": "reply", "text": "…"}] * talk
    end: list[dict[str, Any]] = [{"type": "exit", "reason": "complete"}] if ends else []
    calls = [call(*[(f"c{number}", "x") for number in range(at, at + 9)]) for at in range(0, 90, 9)]
    results = [result(f"c{number}") for number in answers[:70]]
    ended = [item for item in items(*calls, *said, *end, *results) if item["kind"] == "call"]
    asked = {item["callId"]: parts(item, "version", "ordinal") for item in ended}
    assert asked == {f"c{number}": (number // 9 + 1, number % 9) for number in range(90)}
    assert len(ended) == len(asked)
    begun = len(calls) + len(said) + len(end)
    answered = {item["callId"]: item["endVersion"] for item in ended if item["endVersion"]}
    assert answered == {f"c{number}": begun + 1 + at for at, number in enumerate(answers[:70])}


def test_approvals_say_what_came_of_them() -> None:
    asked = {"type": "approval_request", "callId": "a", "tool": "pay"}
    shown = items(
        asked,
        {"type": "approval_response", "callId": "a", "approved": True},
        {"type": "approval_response", "callId": "b", "approved": False},
    )
    assert [parts(item, "name", "outcome", "version") for item in shown] == [
        ("pay", "granted", 1),
        (None, "denied", None),
    ]


def test_a_worker_names_its_thread() -> None:
    shown = items(
        {"type": "worker_spawned", "workerId": "1", "objective": "x", "threadId": "w-1"},
        {"type": "worker_result", "workerId": "1", "error": {"message": "no"}},
        {"type": "worker_result", "workerId": "2", "output": 1},
    )
    assert [parts(item, "workerId", "threadId", "outcome") for item in shown] == [
        ("1", "w-1", "failed"),
        ("2", None, "succeeded"),
    ]


def test_a_model_call_has_its_figures_and_its_cost_as_reported() -> None:
    usage = {"inputTokens": 10, "outputTokens": 2}
    (item,) = items(
        {"type": "llm_request", "model": "gpt-4o", "timestamp": AT},
        {"type": "llm_response", "usage": usage, "costUsd": 0.5, "timestamp": AT + 700},
    )
    assert parts(item, "name", "elapsedMs", "inputTokens", "outputTokens", "totalTokens") == (
        "gpt-4o",
        700,
        10,
        2,
        None,
    )
    assert parts(item, "costUsd", "computedCostUsd", "prices") == (0.5, None, None)


def test_a_cost_that_was_not_reported_is_computed_and_names_its_list() -> None:
    usage = {"inputTokens": 1000, "outputTokens": 100}
    (item,) = items({"type": "llm_response", "model": "gpt-4o", "usage": usage, "latencyMs": 9.5})
    assert parts(item, "costUsd", "computedCostUsd", "elapsedMs") == (0.0035, 0.0035, 9.5)
    assert item["prices"].startswith("genai-prices ")


def test_a_runtime_error_ends_the_latest_model_call() -> None:
    shown = items(
        {"type": "llm_request", "model": "a"},
        {"type": "llm_request", "model": "b"},
        {"type": "runtime_error", "error": "gone"},
    )
    assert [(item["kind"], item.get("name"), item.get("outcome")) for item in shown] == [
        ("model", "b", "failed"),
        ("runtime_error", None, "failed"),
        ("model", "a", None),
    ]


def test_a_response_ends_the_request_of_its_id() -> None:
    shown = items(
        {"type": "llm_request", "model": "a", "metadata": {"responseId": "r1"}},
        {"type": "llm_request", "model": "b", "metadata": {"responseId": "r2"}},
        {"type": "llm_response", "metadata": {"responseId": "r1"}},
    )
    assert [parts(item, "name", "endVersion") for item in shown] == [("a", 3), ("b", None)]


def test_a_long_pause_between_messages_is_an_item() -> None:
    shown = items(
        {"type": "tick", "timestamp": AT},
        {"type": "tick", "timestamp": AT + 60_000},
        {"type": "thread.annotated", "metadata": {"a": 1}, "timestamp": AT + 10**9},
        {"type": "tick", "timestamp": AT + 120_001},
    )
    assert [item["kind"] for item in shown] == ["tick", "tick", "thread.annotated", "gap", "tick"]
    assert parts(shown[3], "version", "endVersion", "elapsedMs") == (3, 4, 60_001)


def test_equal_times_measure_nothing() -> None:
    shown = items(call(("a", "x"), timestamp=AT), result("a", timestamp=AT))
    assert shown[0]["elapsedMs"] is None


def test_equal_calls_have_equal_digests_whatever_the_order_of_keys() -> None:
    shown = items(
        {
            "type": "tool_calls",
            "calls": [
                {"id": "a", "name": "x", "args": {"p": 1, "q": 2}},
                {"id": "b", "name": "x", "args": {"q": 2, "p": 1}},
                {"id": "c", "name": "y", "args": {"p": 1, "q": 2}},
                {"id": "d", "name": "x", "args": {"p": 1}},
            ],
        }
    )
    digests = [item["digest"] for item in shown]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


def test_a_hint_is_the_beginning_of_the_first_plain_argument() -> None:
    calls = [
        {"id": "a", "name": "x", "args": {"list": [1], "path": "p" * 100}},
        {"id": "b", "name": "x", "args": {"n": 4.5}},
        {"id": "c", "name": "x"},
    ]
    shown = render(
        TimelineView(TimelineOptions(hint=True)), history({"type": "tool_calls", "calls": calls})
    ).items
    assert [item.item["hint"] for item in shown] == ["p" * 80, "4.5", None]
    assert "hint" not in items({"type": "tool_calls", "calls": calls})[0]


def test_the_hint_of_a_worker_is_the_beginning_of_its_objective() -> None:
    spawned = {"type": "worker_spawned", "workerId": "1", "objective": "collect prices " * 9}
    shown = render(TimelineView(TimelineOptions(hint=True)), history(spawned)).items
    assert shown[0].item["hint"] == ("collect prices " * 9)[:80]


def test_no_contents_are_shown() -> None:
    hidden = "xyzzy"
    shown = print_bytes(
        items(
            {"type": "input", "text": hidden},
            {"type": "reasoning", "title": hidden, "summary": hidden},
            {"type": "tool_calls", "calls": [{"id": "a", "name": "x", "args": {"p": hidden}}]},
            result("a", hidden, error={"message": hidden}),
            {"type": "approval_request", "callId": "b", "tool": "x", "reason": hidden},
            {"type": "worker_spawned", "workerId": "1", "objective": hidden},
            {"type": "exit", "reason": "error", "message": hidden},
        )
    )
    assert hidden.encode() not in shown


@given(histories())
def test_steps_are_those_of_the_agents_state(events: list[Event]) -> None:
    state = AgentStateView()
    expected = state.state(render(state, events).carry)["step_count"]
    assert render(VIEW, events).carry.step == expected


def test_beginnings_of_long_texts_and_sizes_are_all_it_needs() -> None:
    output = '{"error": "' + "\u00e9\\n" * 600 + '"}'
    events = history(call(("a", "x")), result("a", output))
    written = print_bytes(output)[1:-1]
    shorter = events[1].body.replace(written, readable(written[:256]))
    assert len(parse_stored(shorter)["results"][0]["output"]) < 256
    last = events[1]
    begun = Event("test", 2, last.type, shorter, last.message_id, size=len(last.body))
    assert render(VIEW, [events[0], begun]).items == render(VIEW, events).items
    assert render(VIEW, events).items[0].item["suspected"] == ["error_field"]


def test_an_erased_thread_has_no_suspicions() -> None:
    events = history(*[call((f"c{n}", "x")) for n in range(5)])
    erased = [
        Event("test", event.version, event.type, event.body, event.message_id, redacted=9)
        for event in events
    ]
    assert render(VIEW, events).items[4].item["suspected"]
    for item in render(VIEW, erased).items:
        assert parts(item.item, "digest", "suspected") == (None, [])
