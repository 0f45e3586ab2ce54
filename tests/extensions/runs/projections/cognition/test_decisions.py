"""When an engine's decision is the recorded one."""

import pytest

from agentlog.domain.cognition import (
    AgentDecision,
    ApprovalRequest,
    CallTool,
    Complete,
    EmitResponse,
    Exit,
    Failed,
    LLMRequest,
    Nothing,
    RequestApproval,
    RequestLLM,
    SpawnWorker,
    StepLimit,
    ToolCall,
    WorkerSpec,
)
from agentlog.domain.json.text import parse
from agentlog.extensions.runs.projections.cognition.decisions import same_decision


def call(name: str = "f", args: str = "{}", seconds: int | None = None) -> CallTool:
    return CallTool(ToolCall(name, parse(args), timeout_secs=seconds))


def approval(args: str = "{}", reason: str = "", tool: str = "f") -> RequestApproval:
    return RequestApproval(ApprovalRequest(tool, args, reason))


def request(context: str = "", model: str | None = None, most: int | None = None) -> RequestLLM:
    return RequestLLM(LLMRequest(context, max_tokens=most, model=model))


def worker(objective: str = "look", context: str = "", most: int | None = None) -> SpawnWorker:
    return SpawnWorker(WorkerSpec(objective, context, most, allowed_tools=("f",)))


@pytest.mark.parametrize(
    ("recorded", "decided", "same"),
    [
        (EmitResponse("a"), EmitResponse("a"), True),
        (EmitResponse("a"), EmitResponse("A"), False),
        (Nothing(), Nothing(), True),
        (Nothing(), EmitResponse(""), False),
        (call(args='{"a":1,"b":2}'), call(args='{"b":2.0,"a":1}'), True),
        (call(args='{"a":1}'), call(args='{"a":true}'), False),
        (call(args='{"a":1}'), call(args='{"a":2}'), False),
        (call("f"), call("g"), False),
        (call(), call(seconds=5), True),
        (approval('{"a":1}'), approval('{"a": 1.0}', "why"), True),
        (approval('{"a":1}'), approval("not json"), False),
        (approval(reason="why"), approval(reason="else"), False),
        (approval(), approval(tool="g"), False),
        (request(), request("a prompt", "m", 5), True),
        (request(model="m"), request("a prompt"), True),
        (request(model="m"), request(model="n"), False),
        (request(model="m", most=5), request(model="m", most=6), False),
        (worker(), worker(), True),
        (worker(), worker(context="c", most=2), True),
        (worker(context="c"), worker(), False),
        (worker("look"), worker("see"), False),
        (Exit(Complete()), Exit(Complete()), True),
        (Exit(Complete()), Exit(StepLimit()), False),
        (Exit(Failed("")), Exit(Failed("disk")), True),
        (Exit(Failed("net")), Exit(Failed("disk")), False),
        (call(), approval(), False),
    ],
)
def test_decisions_are_compared_as_far_as_the_log_has_them(
    recorded: AgentDecision, decided: AgentDecision, *, same: bool
) -> None:
    assert same_decision(recorded, decided) is same
