"""A runtime that drives an engine by a script, and records what happens as messages."""

from collections.abc import Sequence
from typing import Any, assert_never

from hypothesis import strategies as st

from agentlog.domain.cognition import (
    AgentDecision,
    AgentState,
    ApprovalResult,
    CallTool,
    CognitiveEngine,
    Complete,
    Denied,
    EmitResponse,
    Exit,
    Failed,
    Granted,
    InputEvent,
    LLMResponse,
    Nothing,
    RequestApproval,
    RequestLLM,
    RuntimeFailure,
    Shutdown,
    SpawnWorker,
    StepLimit,
    Tick,
    ToolFailure,
    ToolResult,
    ToolSuccess,
    UserMessage,
    UserRequest,
    WorkerResult,
)
from agentlog.domain.events import Event
from agentlog.domain.json.text import parse, print_text
from tests.histories import history, texts

words = st.text("abc {}\n", max_size=6)
tools = st.sampled_from(["search", "shell", "rm", "odd name"])

Move = tuple[str, Any]

moves: st.SearchStrategy[list[Move]] = st.lists(
    st.one_of(
        st.tuples(st.just("input"), texts),
        st.tuples(st.just("answer"), words.filter(lambda text: "{" not in text)),
        st.tuples(st.just("call"), st.tuples(tools, st.dictionaries(words, words, max_size=2))),
        st.tuples(st.just("call"), st.tuples(tools, st.dictionaries(words, words, max_size=2))),
        st.tuples(st.just("result"), st.tuples(tools, texts)),
        st.tuples(st.just("failure"), st.tuples(tools, texts)),
        st.tuples(st.sampled_from(["grant", "deny", "tick", "shutdown", "error", "worker"]), texts),
    ),
    max_size=20,
)


def recorded(engine: CognitiveEngine, script: Sequence[Move]) -> list[Event]:
    """Return the events of a run; the model answers only where it was asked."""
    state = AgentState.new(8)
    drafts: list[dict[str, Any]] = [{"type": "thread.started", "limits": {"maxSteps": 8}}]
    decision: AgentDecision = Nothing()
    for number, (kind, value) in enumerate(script):
        asked = isinstance(decision, RequestLLM)
        if kind in {"answer", "call"} and not asked:
            continue
        origin = {"metadata": {"responseId": f"r{number}"}}
        given, draft = _input(kind, value)
        transition = engine.step(state, given)
        state, decision = transition.next_state, transition.decision
        drafts.append({**draft, **(origin if isinstance(given, LLMResponse) else {})})
        if kind == "call" and not isinstance(decision, Exit):
            name, args = value
            call = {"id": f"c{number}", "name": name, "args": args}
            drafts.append({"type": "tool_calls", "calls": [call], **origin})
        drafts += [
            {**decided, **(origin if decided["type"] == "reply" else {})}
            for decided in _decided(decision, number)
        ]
        if isinstance(decision, Exit):
            break
    return history(*drafts)


def _input(kind: str, value: Any) -> tuple[InputEvent, dict[str, Any]]:
    match kind:
        case "input":
            return UserMessage(value), {"type": "input", "text": value}
        case "answer":
            return LLMResponse(value), {"type": "llm_response"}
        case "call":
            name, args = value
            structured = {"tool": name, "arguments": args}
            line = f"{name}({print_text(args)})"
            return LLMResponse(line, structured=structured), {"type": "llm_response"}
        case "result":
            name, output = value
            results = [{"name": name, "output": output}]
            return ToolResult(ToolSuccess(output), name), {
                "type": "tool_results",
                "results": results,
            }
        case "failure":
            name, error = value
            results = [{"name": name, "output": None, "error": error}]
            return ToolResult(ToolFailure(error), name), {
                "type": "tool_results",
                "results": results,
            }
        case "grant" | "deny":
            granted = kind == "grant"
            outcome = Granted() if granted else Denied(value)
            draft = {"type": "approval_response", "callId": "c", "approved": granted}
            return ApprovalResult(outcome), draft if granted else {**draft, "reason": value}
        case "worker":
            draft = {"type": "worker_result", "workerId": "w", "output": value}
            return WorkerResult(1, value), draft
        case "shutdown":
            return Shutdown(), {"type": "shutdown"}
        case "error":
            return RuntimeFailure(0, value), {"type": "runtime_error", "error": value}
        case _:
            return Tick(), {"type": "tick"}


def _decided(decision: AgentDecision, number: int) -> list[dict[str, Any]]:
    match decision:
        case RequestLLM():
            return [{"type": "llm_request", "model": "of the runtime"}]
        case EmitResponse(text=text):
            return [{"type": "reply", "text": text}]
        case RequestApproval(request=request):
            asked = {"tool": request.tool, "args": parse(request.args), "reason": request.reason}
            return [{"type": "approval_request", "callId": f"c{number}", **asked}]
        case Exit(reason=Complete()):
            return [{"type": "exit", "reason": "complete"}]
        case Exit(reason=StepLimit()):
            return [{"type": "exit", "reason": "step_limit"}]
        case Exit(reason=UserRequest()):
            return [{"type": "exit", "reason": "user_request"}]
        case Exit(reason=Failed(message=message)):
            return [{"type": "exit", "reason": "error", "message": message}]
        case CallTool() | SpawnWorker() | Nothing():  # calls are part of the answer
            return []
        case _:
            assert_never(decision)
