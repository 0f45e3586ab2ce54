"""Inputs of an engine that events are."""

from collections.abc import Sequence

from agentlog.domain.cognition.inputs import (
    ApprovalResult,
    Denied,
    Granted,
    InputEvent,
    LLMResponse,
    LLMUsage,
    RuntimeFailure,
    Shutdown,
    Tick,
    ToolFailure,
    ToolResult,
    ToolSuccess,
    UserMessage,
    WorkerError,
    WorkerResult,
)
from agentlog.domain.json.values import JsonValue
from agentlog.domain.messages import (
    ApprovalResponseMessage,
    InputMessage,
    LlmResponseMessage,
    ReplyMessage,
    RuntimeErrorMessage,
    ShutdownMessage,
    TokenUsage,
    ToolCallsMessage,
    WorkerResultMessage,
)
from agentlog.domain.messages import ToolResult as RecordedResult
from agentlog.projections.call_texts import arguments_value, error_text, value_text
from agentlog.projections.views.agent_state import call_line, input_text


class WorkerIds(dict[str, int]):
    """The numbers of workers, which the log names by texts: from 1, as they are first named."""

    def __missing__(self, name: str) -> int:
        self[name] = len(self) + 1
        return self[name]


def result_input(result: RecordedResult, called: str | None) -> ToolResult:
    """Return the input that a result is; `called` is the tool of its call."""
    name = called if result.name is None else result.name
    tool = "unknown" if name is None else name
    if result.error is not None:
        return ToolResult(ToolFailure(error_text(result.error)), tool)
    structured = None if isinstance(result.output, str) else result.output
    return ToolResult(ToolSuccess(value_text(result.output), structured), tool)


def answer_text(messages: Sequence[object]) -> str | None:
    """Return the text of an answer: its replies and calls, as the history has them."""
    lines: list[str] = []
    for message in messages:
        match message:
            case ReplyMessage(text=text):
                lines.append(text)
            case ToolCallsMessage(calls=calls):
                lines += map(call_line, calls)
            case _:
                pass
    return "\n".join(lines) if lines else None


def answer_input(messages: Sequence[object]) -> LLMResponse:
    """Return the input that an answer of the model is; its first call is `structured`."""
    calls = [
        call
        for message in messages
        if isinstance(message, ToolCallsMessage)
        for call in message.calls
    ]
    # the figures last told
    described = next((of for of in messages[::-1] if isinstance(of, LlmResponseMessage)), None)
    structured: JsonValue = None
    if calls:
        structured = {"tool": calls[0].name, "arguments": arguments_value(calls[0])}
    text = answer_text(messages) or ""
    if described is None:
        return LLMResponse(text, structured=structured)
    return LLMResponse(
        text,
        usage=_usage(described.usage or TokenUsage()),
        model=described.model or "",
        provider=described.provider or "",
        finish_reason=described.finish_reason or "",
        structured=structured,
    )


def plain_input(message: object, workers: WorkerIds) -> InputEvent:
    """Return the input that any other message is."""
    match message:
        case InputMessage():
            return UserMessage(input_text(message))
        case ApprovalResponseMessage(approved=True):
            return ApprovalResult(Granted())
        case ApprovalResponseMessage(reason=reason):
            return ApprovalResult(Denied(reason))
        case WorkerResultMessage(worker_id=worker_id, error=error, output=output):
            outcome = (
                value_text(output) if error is None else WorkerError(error.message, error.code)
            )
            return WorkerResult(workers[worker_id], outcome)
        case RuntimeErrorMessage(error=error):
            return RuntimeFailure(0, error)
        case ShutdownMessage():
            return Shutdown()
        case _:
            return Tick()


def _usage(usage: TokenUsage) -> LLMUsage:
    return LLMUsage(usage.input_tokens or 0, usage.output_tokens or 0, usage.total_tokens or 0)
