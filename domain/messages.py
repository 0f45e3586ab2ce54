"""The message catalogue: one frozen model per type of message.

JSON has `type` in snake case and fields in camel case, as the kernel's documents have them
(Unternet kernel 0.5 to 0.7; the worker, approval and model messages follow mylm's cognitive
kernel). Marks on the fields say which are contents, and which ids ask for something or answer
(see `domain.fields`).
"""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from agentlog.domain.fields import (
    Answers,
    Asks,
    CallId,
    Content,
    Count,
    CustomType,
    Dropped,
    DroppedText,
    Json,
    MessageId,
    Model,
    Number,
    OptionalText,
    Text,
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
    """What came in from outside: text, files, both, or nothing at all."""

    type: Literal["input"] = "input"
    text: Annotated[str | None, Content(null="added")] = None
    files: Annotated[tuple[FileAttachment, ...] | None, Field(strict=False), Dropped()] = None


class ReplyMessage(KernelMessage):
    """What the agent said to the user."""

    type: Literal["reply"] = "reply"
    text: Text


class ReasoningMessage(KernelMessage):
    """What the agent thought."""

    type: Literal["reasoning"] = "reasoning"
    title: Text
    summary: Text


class ToolCall(Model):
    """A call that the agent asked for.

    `arguments_text` keeps the caller's raw argument string where it is not the canonical (compact)
    JSON of `args`: it may be anything a model wrote, valid JSON or not.
    """

    id: Annotated[CallId, Asks("call")]
    name: str
    args: Annotated[Json, Dropped()] = None
    arguments_text: DroppedText = None


class ToolCallsMessage(KernelMessage):
    """The calls of one model response."""

    type: Literal["tool_calls"] = "tool_calls"
    calls: Annotated[tuple[ToolCall, ...], Field(strict=False)]


class ToolError(Model):
    """Why a tool failed: the JSON form of an `Error` object."""

    name: DroppedText = None
    message: Text
    stack: DroppedText = None


class ToolResult(Model):
    """What a tool gave back: `output` is any JSON, or a process container.

    A null `error` says that the tool did not fail; without the field nothing is said. JavaScript
    leaves out an `output` that is `undefined`.
    """

    call_id: Annotated[CallId | None, Answers("call")] = None
    name: str | None = None
    output: Annotated[Json, Content(null="replaced")] = None
    error: Annotated[str | ToolError | None, Content(null="kept")] = None


class ToolResultsMessage(KernelMessage):
    """The results of one or more calls."""

    type: Literal["tool_results"] = "tool_results"
    results: Annotated[tuple[ToolResult, ...], Field(strict=False)]


class SystemMessage(KernelMessage):
    """A system prompt, or a word from the system."""

    type: Literal["system"] = "system"
    text: Text


class LogMessage(KernelMessage):
    """A line of a debug log."""

    type: Literal["log"] = "log"
    text: Text


class ApprovalRequestMessage(KernelMessage):
    """A call that waits for a person."""

    type: Literal["approval_request"] = "approval_request"
    call_id: Annotated[CallId, Asks("approval")]
    tool: str
    args: Annotated[Json, Dropped()] = None
    reason: OptionalText = None


class ApprovalResponseMessage(KernelMessage):
    """What the person said."""

    type: Literal["approval_response"] = "approval_response"
    call_id: Annotated[CallId, Answers("approval")]
    approved: bool
    reason: OptionalText = None


class WorkerSpawnedMessage(KernelMessage):
    """A worker was sent off; `thread_id` is the worker's own thread."""

    type: Literal["worker_spawned"] = "worker_spawned"
    worker_id: Annotated[CallId, Asks("worker")]
    objective: Text
    context: OptionalText = None
    max_iterations: Count | None = None
    can_delegate: bool | None = None
    allowed_tools: Annotated[tuple[str, ...] | None, Field(strict=False)] = None
    model: str | None = None
    thread_id: ThreadId | None = None


class WorkerError(Model):
    """Why a worker failed."""

    message: Text
    code: DroppedText = None


class WorkerResultMessage(KernelMessage):
    """What a worker came back with: `output` or `error`."""

    type: Literal["worker_result"] = "worker_result"
    worker_id: Annotated[CallId, Answers("worker")]
    output: Annotated[Json, Content(null="replaced")] = None
    error: Annotated[WorkerError | None, Content()] = None

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
    response_format: Annotated[Json, Dropped()] = None
    stream: bool | None = None


class TokenUsage(Model):
    """Tokens of one model call; what was not reported is None, not 0.

    The input is all that the model read: what came from a cache (`cached_input_tokens`) and what
    was written to one (`cache_write_tokens`; of these, `cache_write_1h_tokens` to be kept for an
    hour) are of it. The output is all that it wrote: thoughts (`reasoning_tokens`) are of it.
    `total_tokens` is the source's own word. `web_searches` are those that a provider bills beside
    the tokens; `service_tier` is a tier with prices of its own, as `batch`, `flex`, `priority` or
    `fast`.
    """

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    total_tokens: Count | None = None
    cached_input_tokens: Count | None = None
    cache_write_tokens: Count | None = None
    cache_write_1h_tokens: Count | None = Field(default=None, alias="cacheWrite1hTokens")
    input_audio_tokens: Count | None = None
    reasoning_tokens: Count | None = None
    output_audio_tokens: Count | None = None
    web_searches: Count | None = None
    service_tier: str | None = None


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
    text: Text
    mode: Literal["append", "replace"]


class RuntimeErrorMessage(KernelMessage):
    """The runtime around the agent failed."""

    type: Literal["runtime_error"] = "runtime_error"
    error: Text


class TickMessage(KernelMessage):
    """Time passed."""

    type: Literal["tick"] = "tick"


class ShutdownMessage(KernelMessage):
    """The agent is asked to stop."""

    type: Literal["shutdown"] = "shutdown"
    reason: OptionalText = None


class ExitMessage(KernelMessage):
    """The agent stopped."""

    type: Literal["exit"] = "exit"
    reason: Literal["complete", "step_limit", "user_request", "error"]
    message: OptionalText = None


class CustomMessage(KernelMessage):
    """A message of a type of the caller's own, named `vendor.name`."""

    type: CustomType
    payload: Annotated[Json, Content(left=None, null="replaced")] = None


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


def says_nothing(message: object) -> bool:
    """Return whether a message has no words, files, calls or results: no view shows those."""
    # not `match`: each failed class pattern would call pydantic's metaclass
    if type(message) is ToolCallsMessage:
        return not message.calls
    if type(message) is ToolResultsMessage:
        return not message.results
    return type(message) is InputMessage and message.text is None and not message.files
