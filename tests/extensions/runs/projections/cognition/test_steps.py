"""Steps of threads: inputs, decisions and states as events record them."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from agentlog.domain.cognition import (
    AgentDecision,
    ApprovalRequest,
    ApprovalResult,
    CallTool,
    Complete,
    Denied,
    EmitResponse,
    Exit,
    Failed,
    Granted,
    InputEvent,
    LLMRequest,
    LLMResponse,
    LLMUsage,
    Message,
    Nothing,
    RequestApproval,
    RequestLLM,
    RuntimeFailure,
    Shutdown,
    SpawnWorker,
    Tick,
    ToolCall,
    ToolFailure,
    ToolResult,
    ToolSuccess,
    UserMessage,
    WorkerError,
    WorkerResult,
    WorkerSpec,
)
from agentlog.domain.events import Event
from agentlog.extensions.runs.projections.cognition.steps import Lack, Step, steps_of
from agentlog.projections.view import render
from agentlog.projections.views.agent_state import AgentStateView
from tests.histories import event, histories, history

Draft = dict[str, Any]

INPUT: Draft = {"type": "input", "text": "hi"}
REQUEST: Draft = {"type": "llm_request"}
DESCRIBED: Draft = {"type": "llm_response", "model": "m"}
REPLY: Draft = {"type": "reply", "text": "Hello."}
TICK: Draft = {"type": "tick"}
ASKS = RequestLLM(LLMRequest(""))
SAYS = EmitResponse("Hello.")


def calls(*ids: str) -> Draft:
    return {"type": "tool_calls", "calls": [{"id": key, "name": "f", "args": {}} for key in ids]}


def results(*ids: str) -> Draft:
    answers = [{"callId": key, "output": key} for key in ids]
    return {"type": "tool_results", "results": answers}


def of(draft: Draft, response_id: str) -> Draft:
    return {**draft, "metadata": {"responseId": response_id}}


def steps(*drafts: Draft) -> list[Step]:
    return list(steps_of(history(*drafts)))


def outline(*drafts: Draft) -> list[tuple[int, str, AgentDecision]]:
    return [(step.version, type(step.input).__name__, step.decision) for step in steps(*drafts)]


CALLS = CallTool(ToolCall("f", {}))


@pytest.mark.parametrize(
    ("drafts", "expected"),
    [
        ([INPUT, REPLY], [(1, "UserMessage", SAYS)]),
        ([INPUT], [(1, "UserMessage", Nothing())]),
        ([REPLY, TICK], [(2, "Tick", Nothing())]),
        (
            [INPUT, REQUEST, DESCRIBED, REPLY],
            [(1, "UserMessage", ASKS), (3, "LLMResponse", SAYS)],
        ),
        (
            [INPUT, REQUEST, REPLY, DESCRIBED],
            [(1, "UserMessage", ASKS), (3, "LLMResponse", SAYS)],
        ),
        ([INPUT, REQUEST, REPLY], [(1, "UserMessage", ASKS), (3, "LLMResponse", SAYS)]),
        ([INPUT, REPLY, DESCRIBED], [(1, "UserMessage", ASKS), (2, "LLMResponse", SAYS)]),
        ([INPUT, of(REPLY, "r")], [(1, "UserMessage", ASKS), (2, "LLMResponse", SAYS)]),
        (
            [INPUT, of(REPLY, "r"), of(calls("a"), "r"), of(DESCRIBED, "r")],
            [(1, "UserMessage", ASKS), (2, "LLMResponse", CALLS)],
        ),
        (
            [INPUT, of(calls("a"), "r"), results("a"), of(calls("b"), "r"), results("b")],
            [
                (1, "UserMessage", ASKS),
                (2, "LLMResponse", CALLS),
                (3, "ToolResult", Nothing()),
                (5, "ToolResult", Nothing()),
            ],
        ),
        (
            [INPUT, of(REPLY, "r"), of(REPLY, "s")],
            [(1, "UserMessage", ASKS), (2, "LLMResponse", SAYS), (3, "LLMResponse", SAYS)],
        ),
        (
            [calls("a", "b"), results("a", "b"), REPLY],
            [(2, "ToolResult", Nothing()), (2, "ToolResult", SAYS)],
        ),
        (
            [results("a"), results("b"), of(REPLY, "r")],
            [(1, "ToolResult", Nothing()), (2, "ToolResult", ASKS), (3, "LLMResponse", SAYS)],
        ),
        (
            [INPUT, REQUEST, DESCRIBED, REQUEST, DESCRIBED, REPLY],
            [(1, "UserMessage", ASKS), (3, "LLMResponse", ASKS), (5, "LLMResponse", SAYS)],
        ),
    ],
)
def test_events_are_inputs_and_decisions(
    drafts: list[Draft], expected: list[tuple[int, str, AgentDecision]]
) -> None:
    assert outline(*drafts) == expected


USAGE = {"inputTokens": 4, "outputTokens": 2, "totalTokens": 6}


@pytest.mark.parametrize(
    ("draft", "given_input"),
    [
        ({"type": "input", "files": [{"data": "", "filename": "a"}]},
         UserMessage("[file: a (application/octet-stream)]")),
        (results("a"), ToolResult(ToolSuccess("a"))),
        ({"type": "tool_results", "results": [{"name": "f", "output": {"n": 1}}]},
         ToolResult(ToolSuccess('{"n":1}', {"n": 1}), "f")),
        ({"type": "tool_results", "results": [{"output": 1, "error": {"message": "no"}}]},
         ToolResult(ToolFailure("no"))),
        ({"type": "approval_response", "callId": "a", "approved": True},
         ApprovalResult(Granted())),
        ({"type": "approval_response", "callId": "a", "approved": False, "reason": "no"},
         ApprovalResult(Denied("no"))),
        ({"type": "worker_result", "workerId": "w", "output": [1]}, WorkerResult(1, "[1]")),
        ({"type": "worker_result", "workerId": "w", "error": {"message": "no", "code": "E"}},
         WorkerResult(1, WorkerError("no", "E"))),
        ({"type": "runtime_error", "error": "disk"}, RuntimeFailure(0, "disk")),
        ({"type": "shutdown"}, Shutdown()),
        (TICK, Tick()),
        (of(REPLY, "r"), LLMResponse("Hello.")),
        (of(calls("a"), "r"), LLMResponse("f({})", structured={"tool": "f", "arguments": {}})),
    ],
)  # fmt: skip
def test_an_event_is_an_input(draft: Draft, given_input: InputEvent) -> None:
    (step,) = steps(draft)
    assert step.input == given_input


def test_an_answer_has_what_its_llm_response_says() -> None:
    described = {**DESCRIBED, "provider": "p", "finishReason": "stop", "usage": USAGE}
    (step,) = steps(described, REPLY)
    assert step.input == LLMResponse("Hello.", LLMUsage(4, 2, 6), "m", "p", "stop")


def test_a_result_has_the_name_of_its_call() -> None:
    *_, step = steps(calls("a"), results("a"))
    assert step.input == ToolResult(ToolSuccess("a"), "f")


ASKED = {"type": "approval_request", "callId": "a", "tool": "f"}
SPAWNED = {"type": "worker_spawned", "workerId": "w", "objective": "look"}


@pytest.mark.parametrize(
    ("drafts", "decision"),
    [
        ([{**REQUEST, "model": "m", "maxTokens": 9, "stream": True}],
         RequestLLM(LLMRequest("", max_tokens=9, model="m", stream=True))),
        ([ASKED], RequestApproval(ApprovalRequest("f", "{}", ""))),
        ([calls("a", "b"), ASKED], RequestApproval(ApprovalRequest("f", "{}", ""))),
        ([calls("b", "a"), ASKED], CallTool(ToolCall("f", {}))),
        ([SPAWNED], SpawnWorker(WorkerSpec("look"))),
        ([{**SPAWNED, "context": "c", "maxIterations": 2, "canDelegate": True,
           "allowedTools": ["f"], "model": "m"}],
         SpawnWorker(WorkerSpec("look", "c", 2, can_delegate=True, allowed_tools=("f",),
                                model="m"))),
        ([{"type": "exit", "reason": "complete"}], Exit(Complete())),
        ([{"type": "exit", "reason": "error", "message": "no"}], Exit(Failed("no"))),
        ([{"type": "log", "text": "x"}, REPLY, {"type": "exit", "reason": "complete"}], SAYS),
    ],
)  # fmt: skip
def test_what_follows_an_input_is_its_decision(
    drafts: list[Draft], decision: AgentDecision
) -> None:
    (step,) = steps(INPUT, *drafts)
    assert step.decision == decision


@pytest.mark.parametrize(
    ("drafts", "lacks"),
    [
        ([INPUT, REPLY], []),
        ([INPUT, REQUEST], [Lack.PROMPT]),
        ([of(REPLY, "r")], [Lack.DESCRIPTION]),
        ([DESCRIBED, {"type": "exit", "reason": "step_limit"}], [Lack.ANSWER]),
        ([INPUT, calls("a", "b")], [Lack.CALL, Lack.MORE]),
        ([{"type": "runtime_error", "error": "x"}], [Lack.INTENT]),
        ([{"type": "worker_result", "workerId": "w", "output": 1}], [Lack.WORKER]),
        ([{"type": "tool_results", "results": [{"output": 1, "error": "x"}]}], [Lack.FAILURE]),
    ],
)
def test_what_the_log_lacks_is_named(drafts: list[Draft], lacks: list[Lack]) -> None:
    (step,) = steps(*drafts)
    assert list(step.lacks) == lacks


def test_a_request_that_only_its_answer_shows_is_named() -> None:
    assert steps(INPUT, of(REPLY, "r"))[0].lacks == (Lack.PROMPT, Lack.REQUEST)
    assert Lack.MORE in steps(of(calls("a"), "r"), results("a"), of(calls("b"), "r"))[1].lacks


@pytest.mark.parametrize("erased", [1, 2])
def test_a_step_whose_contents_are_erased_is_left_out(erased: int) -> None:
    events = history(INPUT, REPLY, TICK)
    events[erased - 1].__dict__["redacted"] = 9
    first, second = steps_of(events)
    assert first.is_left_out
    assert not second.is_left_out


def test_text_and_calls_of_one_answer_are_one_message_of_the_state() -> None:
    (step,) = steps(of(REPLY, "r"), of(calls("a"), "r"))
    assert step.next_state.history == (Message("assistant", "Hello.\nf({})"),)
    assert step.next_state.step_count == 1


def test_thoughts_beside_an_answer_are_no_part_of_its_next_state() -> None:
    thought = {"type": "reasoning", "title": "t", "summary": "hm"}
    first, second = steps(of(thought, "r"), of(REPLY, "r"), of(thought, "r"), TICK)
    assert (first.state.scratchpad, first.next_state.scratchpad) == ("hm", "hm")
    assert second.state.scratchpad == "hm\nhm"


@given(events=histories())
def test_steps_follow_the_events_and_end_in_the_state_of_the_view(events: list[Event]) -> None:
    taken = list(steps_of([*events, event(len(events) + 1, TICK)]))
    places = [(step.version, step.result) for step in taken]
    assert places == sorted(set(places))
    view = AgentStateView()
    final = view.agent_state(render(view, events).carry)
    last = taken[-1].state
    assert replace(last, history=()) == replace(final, history=())
    if not any(isinstance(step.input, LLMResponse) for step in taken):
        assert last == final
