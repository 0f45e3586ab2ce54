"""Decisions that the events of a turn record, and their comparison with an engine's."""

from collections.abc import Iterator
from dataclasses import fields

from agentlog.domain.cognition.decisions import (
    AgentDecision,
    AgentExitReason,
    ApprovalRequest,
    CallTool,
    Complete,
    EmitResponse,
    Exit,
    Failed,
    LLMRequest,
    RequestApproval,
    RequestLLM,
    SpawnWorker,
    StepLimit,
    ToolCall,
    UserRequest,
    WorkerSpec,
)
from agentlog.domain.errors import InvalidJson
from agentlog.domain.events import Event
from agentlog.domain.facts import Fact
from agentlog.domain.json.canonical import canonical_bytes
from agentlog.domain.json.text import parse, print_text
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import (
    ApprovalRequestMessage,
    ExitMessage,
    LlmRequestMessage,
    Message,
    ReplyMessage,
    ToolCallsMessage,
    WorkerSpawnedMessage,
)
from agentlog.extensions.runs.projections.cognition.turns import Turn, is_late
from agentlog.projections.call_texts import arguments_value

_ENDS: dict[str, AgentExitReason] = {
    "complete": Complete(),
    "step_limit": StepLimit(),
    "user_request": UserRequest(),
}


def decisions_of(turn: Turn) -> Iterator[tuple[Event, AgentDecision]]:
    """Yield the decisions that a turn records, each with its event, in the order of the log.

    A call that a person is asked about is the request for approval. What an answer says beside its
    calls is no decision.
    """
    answers = [event for event in turn.input if turn.is_answer]
    calling = [event for event in answers if isinstance(event.message, ToolCallsMessage)]
    approvals = {
        event.message.call_id: (event, event.message)
        for event in turn.followed
        if isinstance(event.message, ApprovalRequestMessage)
    }
    awaited: set[int] = set()
    followed = [event for event in turn.followed if not is_late(event)]
    for event in (*(calling or answers), *followed):
        match event.message:
            case ToolCallsMessage(calls=calls):
                for call in calls:
                    if call.id not in approvals:
                        yield event, CallTool(ToolCall(call.name, arguments_value(call)))
                        continue
                    asking, request = approvals.pop(call.id)
                    awaited.add(asking.version)
                    yield asking, _requested(request)
            case ApprovalRequestMessage() if event.version in awaited:
                pass
            case message:
                decision = _decision(message)
                if decision is not None:
                    yield event, decision


def same_decision(recorded: AgentDecision, decided: AgentDecision) -> bool:
    """Return whether an engine decided what is recorded, as far as the log has it.

    What the engine leaves open in a request to the model, the runtime chose. JSON is compared by
    value.
    """
    match recorded, decided:
        case RequestLLM(request=ours), RequestLLM(request=theirs):
            return all(
                left_open(theirs, name) or left_open(ours, name) or _same(ours, theirs, name)
                for name in ("max_tokens", "temperature", "model", "response_format", "stream")
            )
        case SpawnWorker(spec=spec), SpawnWorker(spec=other):
            return all(
                left_open(spec, field.name) or _same(spec, other, field.name)
                for field in fields(WorkerSpec)
            )
        case CallTool(call=call), CallTool(call=made):
            return all(_same(call, made, name) for name in ("name", "arguments"))
        case RequestApproval(request=asked), RequestApproval(request=request):
            return (
                asked.tool == request.tool
                and canonical_bytes(parse(asked.args)) == _canonical_args(request.args)
                and asked.reason in {"", request.reason}
            )
        case Exit(reason=Failed(message="")), Exit(reason=Failed()):
            return True
        case _:
            return recorded == decided


def left_open(value: LLMRequest | WorkerSpec, name: str) -> bool:
    """Return whether a field has its default."""
    default = type(value).__dataclass_fields__[name].default
    return bool(getattr(value, name) == default)


def _same(recorded: object, decided: object, name: str) -> bool:
    ours, theirs = _json(getattr(recorded, name)), _json(getattr(decided, name))
    return canonical_bytes(ours) == canonical_bytes(theirs)


def _json(value: JsonValue | tuple[str, ...]) -> JsonValue:
    return list(value) if isinstance(value, tuple) else value


def _canonical_args(text: str) -> bytes:
    """Return the canonical JSON of a call's arguments; those that are no JSON are a text."""
    try:
        return canonical_bytes(parse(text))
    except InvalidJson:
        return canonical_bytes(text)


def _decision(message: Message | Fact | None) -> AgentDecision | None:
    match message:
        case ReplyMessage(text=text):
            return EmitResponse(text)
        case LlmRequestMessage():
            return RequestLLM(
                LLMRequest(
                    context="",
                    max_tokens=message.max_tokens,
                    temperature=message.temperature,
                    model=message.model,
                    response_format=message.response_format,
                    stream=bool(message.stream),
                )
            )
        case ApprovalRequestMessage():
            return _requested(message)
        case WorkerSpawnedMessage():
            return SpawnWorker(
                WorkerSpec(
                    message.objective,
                    message.context or "",
                    message.max_iterations,
                    can_delegate=bool(message.can_delegate),
                    allowed_tools=message.allowed_tools,
                    model=message.model,
                )
            )
        case ExitMessage(reason=reason, message=text):
            return Exit(_ENDS.get(reason, Failed(text or "")))
        case _:
            return None


def _requested(message: ApprovalRequestMessage) -> RequestApproval:
    args = {} if message.args is None else message.args
    return RequestApproval(ApprovalRequest(message.tool, print_text(args), message.reason or ""))
