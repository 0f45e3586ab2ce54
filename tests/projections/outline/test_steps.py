"""The outline: a line a step, equal ones folded, and the same as text."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlog.api.shapes.lines.outline import ordinal, outline_lines
from agentlog.domain.events import Event
from agentlog.projections.outline.step import Called, Step
from agentlog.projections.outline.steps import outline
from agentlog.projections.view import render
from agentlog.projections.views.timeline.view import TimelineOptions, TimelineView
from tests.histories import histories, history

AT = 1_767_323_045_000
VIEW = TimelineView(TimelineOptions(hint=True, attempts=True))


def steps(*drafts: dict[str, Any]) -> list[Step]:
    """Return the steps of a thread, a second between two messages."""
    timed = [{"timestamp": AT + 1000 * n, **draft} for n, draft in enumerate(drafts)]
    return outline(item.item for item in render(VIEW, history(*timed)).items)


def call(call_id: str, name: str = "search", arg: int = 1) -> dict[str, Any]:
    return {"type": "tool_calls", "calls": [{"id": call_id, "name": name, "args": {"n": arg}}]}


def result(call_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "tool_results", "results": [{"callId": call_id, "output": "x", **more}]}


def shown(outlined: list[Step], width: int = 120) -> list[str]:
    return [
        " ".join(line.replace("\u00d7", "x").split())
        for line in outline_lines(outlined, width=width)
    ]


ASKED: list[dict[str, Any]] = [
    {"type": "llm_request", "model": "gpt-4o"},
    {
        "type": "llm_response",
        "usage": {"inputTokens": 900, "outputTokens": 20},
        "costUsd": 0.01,
    },
]


def test_a_step_joins_the_model_its_calls_and_their_results() -> None:
    outlined = steps(
        {"type": "input", "text": "hi"},
        *ASKED,
        call("a"),
        result("a"),
        {"type": "reply", "text": "x"},
    )
    assert shown(outlined) == [
        "1 v1 0.0s input",
        "2 v2 1.0s gpt-4o: search 1 3.0s 900 → 20 $0.0100",
        "4 v6 5.0s agent: reply",
    ]


def test_messages_of_one_response_are_one_step() -> None:
    of_r = {"metadata": {"responseId": "r"}}
    (step,) = steps({"type": "reply", "text": "x", **of_r}, {**call("a"), **of_r}, result("a"))
    assert (step.replied, [called.name for called in step.calls]) == (True, ["search"])


def test_the_same_call_one_step_after_another_is_one_line() -> None:
    outlined = steps(
        *[draft for n in range(4) for draft in (*ASKED, call(f"c{n}"), result(f"c{n}"))],
        call("d", arg=2),
        result("d"),
    )
    assert [step.times for step in outlined] == [4, 1]
    assert outlined[0].input_tokens == 3600
    assert outlined[0].suspected == ("repeated_in_a_row",)
    assert shown(outlined)[0].startswith("1 v1 0.0s gpt-4o: search 1 x4 [repeated_in_a_row?] 15.0s")


def test_equal_calls_of_one_step_are_counted() -> None:
    calls = [{"id": name, "name": "search"} for name in ("a", "b")]
    (step,) = steps({"type": "tool_calls", "calls": calls}, result("a", error="no"))
    (called,) = step.calls
    assert (called.times, called.failed, called.open, step.outcome) == (2, 1, 1, "failed")
    assert shown([step]) == ["1 v1 0.0s agent: search x2 (1 failed) [failed, open] 1.0s"]


def test_calls_are_told_apart_by_the_beginning_of_an_argument() -> None:
    def bash(*commands: str) -> list[Step]:
        calls = [
            {"id": command, "name": "bash", "args": {"n": None, "command": command}}
            for command in commands
        ]
        return steps({"type": "tool_calls", "calls": calls})

    assert [called.hint for called in bash("git status\n", "ls")[0].calls] == ["git status\n", "ls"]
    assert shown(bash("git  status\n", "ls")) == [
        "1 v1 0.0s agent: bash git status, bash ls [open]"
    ]
    assert shown(bash("echo " + "x" * 100)) == [
        f"1 v1 0.0s agent: bash echo {'x' * 26}… [open]",
    ]
    assert shown(bash("git status --short", "git log -5")) == [
        "1 v1 0.0s agent: bash git status --sh…, bash git log -5 [open]"
    ]


def test_a_call_that_is_tried_again_has_its_number() -> None:
    outlined = steps(
        call("a"),
        result("a", error="no"),
        call("b", arg=2),
        result("b"),
        call("c"),
        result("c"),
    )
    assert [parts_of(step.calls[0]) for step in outlined] == [(1, 2), (None, None), (2, 2)]
    lines = shown(outlined)
    assert "search 1 (1 failed)" in lines[0]
    assert "search 2 " in lines[1]
    assert "search 1 (2nd of 2)" in lines[2]


def test_numbers_are_said_as_one_says_them() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21, 103, 113)] == (
        "1st 2nd 3rd 4th 11th 12th 21st 103rd 113th".split()
    )


def parts_of(called: Called) -> tuple[int | None, int | None]:
    return called.attempt, called.attempts


def test_a_narrow_terminal_cuts_arguments_before_marks() -> None:
    outlined = steps(call("a", name="n" * 60), result("a", error="no"))
    (line,) = shown(outlined, width=60)
    assert line.startswith("1 v1 0.0s agent: nnn")
    assert line.endswith("n… [failed] 1.0s")


def test_workers_and_approvals_are_indented() -> None:
    outlined = steps(
        call("a"),
        {"type": "approval_request", "callId": "a", "tool": "search"},
        {"type": "worker_spawned", "workerId": "1", "objective": "x", "threadId": "w"},
        {"type": "worker_result", "workerId": "1", "error": {"message": "no"}},
    )
    assert [(step.kind, step.depth, step.thread_id, step.outcome) for step in outlined] == [
        ("model", 0, None, None),
        ("approval", 1, None, None),
        ("worker", 1, "w", "failed"),
    ]
    assert "    approval search [open]" in list(outline_lines(outlined, width=80))[1]


def test_what_has_no_line_is_counted() -> None:
    log: dict[str, Any] = {"type": "log", "text": "x"}
    outlined = steps({"type": "input", "text": "x"}, log, {"type": "vendor.x"}, log)
    assert outlined[0].others == {"log": 2, "vendor.x": 1}
    assert shown(outlined) == ["1 v1 0.0s input (+ 2 log, 1 vendor.x)"]


def test_a_result_that_nothing_asked_for_has_a_line() -> None:
    assert shown(steps(result("x", name="pay"))) == ["1 v1 0.0s result without a call: pay"]


def test_a_request_without_an_answer_is_open() -> None:
    (step,) = steps({"type": "llm_request", "model": "gpt-4o"})
    assert (step.kind, step.name, step.open) == ("model", "gpt-4o", True)


def test_a_pause_has_a_line_and_does_not_part_a_model_from_what_it_said() -> None:
    outlined = steps(*ASKED, {"type": "reply", "text": "x", "timestamp": AT + 100_000})
    assert [(step.kind, step.replied) for step in outlined] == [("model", True), ("gap", False)]


def test_the_terminal_gets_nothing_that_it_would_obey() -> None:
    (line,) = outline_lines(steps(call("a", name="\x1b[2Jx\n")), width=80)
    assert line.isprintable()


@given(histories(), st.integers(0, 130))
def test_any_history_has_an_outline_that_fits(events: list[Event], width: int) -> None:
    read = outline(item.item for item in render(VIEW, events).items)
    versions = [step.version for step in read]
    assert versions == sorted(versions)
    for line in outline_lines(read, width=width):
        assert len(line) <= max(width, 40)


def test_steps_of_an_import_that_filled_in_one_time_have_none() -> None:
    outlined = steps(*({"type": "reply", "text": "x", "timestamp": 5} for _ in range(2)))
    assert [step.after_ms for step in outlined] == [None, None]
