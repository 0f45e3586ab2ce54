"""The message catalogue: one frozen model per type of message.

JSON has `type` in snake case and fields in camel case, as the kernel's documents have them
(Unternet kernel 0.5 to 0.7; the worker, approval and model messages follow mylm's cognitive
kernel).
"""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from agentlog.domain.fields import (
    CallId,
    Count,
    CustomType,
    Json,
    MessageId,
    Model,
    Number,
    ThreadId,
    Timestamp,
)


class KernelMessage(Model):
    """What every message has: a ULID and the producer's time."""

    id: MessageId
    timestamp: Timestamp


class FileAttachment(Model):
    """A file that came with an input; `data` is base64."""

    data: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9+/\r\n]*={0,2}\s*$")]
    filename: str | None = None
    mime_type: str | None = None


class InputMessage(KernelMessage):
    """What came in from outside: text, files, or both."""

    type: Literal["input"] = "input"
    text: str | None = None
    files: Annotated[tuple[FileAttachment, ...] | None, Field(strict=False)] = None

    @model_validator(mode="after")
    def _has_something(self) -> Self:
        if self.text is None and not self.files:
            raise ValueError("an input has text, files, or both")
        return self


class ReplyMessage(KernelMessage):
    """What the agent said to the user."""

    type: Literal["reply"] = "reply"
    text: str


class ReasoningMessage(KernelMessage):
    """What the agent thought."""

    type: Literal["reasoning"] = "reasoning"
    title: str
    summary: str


class ToolCall(Model):
    """A call that the agent asked for.

    `arguments_text` keeps the caller's raw argument string where it is not the canonical (compact)
    JSON of `args`: it may be anything a model wrote, valid JSON or not.
    """

    id: CallId
    name: str
    args: Json = None
    arguments_text: str | None = None


class ToolCallsMessage(KernelMessage):
    """The calls of one model response."""

    type: Literal["tool_calls"] = "tool_calls"
    calls: Annotated[tuple[ToolCall, ...], Field(strict=False, min_length=1)]


class ToolError(Model):
    """Why a tool failed: the JSON form of an `Error` object."""

    name: str | None = None
    message: str
    stack: str | None = None


class ToolResult(Model):
    """What a tool gave back: `output` is any JSON, or a process container.

    A null `error` says that the tool did not fail; without the field nothing is said.
    """

    call_id: CallId | None = None
    name: str | None = None
    output: Json
    error: str | ToolError | None = None


class ToolResultsMessage(KernelMessage):
    """The results of one or more calls."""

    type: Literal["tool_results"] = "tool_results"
    results: Annotated[tuple[ToolResult, ...], Field(strict=False, min_length=1)]


class SystemMessage(KernelMessage):
    """A system prompt, or a word from the system."""

    type: Literal["system"] = "system"
    text: str


class LogMessage(KernelMessage):
    """A line of a debug log."""

    type: Literal["log"] = "log"
    text: str


class ApprovalRequestMessage(KernelMessage):
    """A call that waits for a person."""

    type: Literal["approval_request"] = "approval_request"
    call_id: CallId
    tool: str
    args: Json = None
    reason: str | None = None


class ApprovalResponseMessage(KernelMessage):
    """What the person said."""

    type: Literal["approval_response"] = "approval_response"
    call_id: CallId
    approved: bool
    reason: str | None = None


class WorkerSpawnedMessage(KernelMessage):
    """A worker was sent off; `thread_id` is the worker's own thread."""

    type: Literal["worker_spawned"] = "worker_spawned"
    worker_id: CallId
    objective: str
    context: str | None = None
    max_iterations: Count | None = None
    can_delegate: bool | None = None
    allowed_tools: Annotated[tuple[str, ...] | None, Field(strict=False)] = None
    model: str | None = None
    thread_id: ThreadId | None = None


class WorkerError(Model):
    """Why a worker failed."""

    message: str
    code: str | None = None


class WorkerResultMessage(KernelMessage):
    """What a worker came back with: `output` or `error`."""

    type: Literal["worker_result"] = "worker_result"
    worker_id: CallId
    output: Json = None
    error: WorkerError | None = None

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if ("output" in self.model_fields_set) == (self.error is not None):
            raise ValueError("a worker result has either output or error")
        return self


class LlmRequestMessage(KernelMessage):
    """The model was asked."""

    type: Literal["llm_request"] = "llm_request"
    model: str | None = None
    max_tokens: Count | None = None
    temperature: Number | None = None
    response_format: Json = None
    stream: bool | None = None


class TokenUsage(Model):
    """Tokens of one model call; what was not reported is None, not 0."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    total_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    reasoning_tokens: Count | None = None


class LlmResponseMessage(KernelMessage):
    """The model answered; `cost_usd` in US dollars, `latency_ms` in milliseconds."""

    type: Literal["llm_response"] = "llm_response"
    model: str | None = None
    provider: str | None = None
    finish_reason: str | None = None
    usage: TokenUsage | None = None
    cost_usd: Number | None = None
    latency_ms: Number | None = None


class ScratchpadMessage(KernelMessage):
    """A note of the agent to itself."""

    type: Literal["scratchpad"] = "scratchpad"
    text: str
    mode: Literal["append", "replace"]


class RuntimeErrorMessage(KernelMessage):
    """The runtime around the agent failed."""

    type: Literal["runtime_error"] = "runtime_error"
    error: str


class TickMessage(KernelMessage):
    """Time passed."""

    type: Literal["tick"] = "tick"


class ShutdownMessage(KernelMessage):
    """The agent is asked to stop."""

    type: Literal["shutdown"] = "shutdown"
    reason: str | None = None


class ExitMessage(KernelMessage):
    """The agent stopped."""

    type: Literal["exit"] = "exit"
    reason: Literal["complete", "step_limit", "user_request", "error"]
    message: str | None = None


class CustomMessage(KernelMessage):
    """A message of a type of the caller's own, named `vendor.name`."""

    type: CustomType
    payload: Json = None


Message = (
    InputMessage
    | ReplyMessage
    | ReasoningMessage
    | ToolCallsMessage
    | ToolResultsMessage
    | SystemMessage
    | LogMessage
    | ApprovalRequestMessage
    | ApprovalResponseMessage
    | WorkerSpawnedMessage
    | WorkerResultMessage
    | LlmRequestMessage
    | LlmResponseMessage
    | ScratchpadMessage
    | RuntimeErrorMessage
    | TickMessage
    | ShutdownMessage
    | ExitMessage
    | CustomMessage
)
