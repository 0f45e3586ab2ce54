"""Inputs of an engine: mylm's InputEvent."""

from dataclasses import dataclass

from agentlog.domain.json.values import JsonValue


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message from the user."""

    text: str


@dataclass(frozen=True, slots=True)
class WorkerError:
    """Why a worker failed."""

    message: str
    code: str | None = None


@dataclass(frozen=True, slots=True)
class WorkerResult:
    """A worker finished, with its output or an error."""

    worker_id: int
    outcome: str | WorkerError


@dataclass(frozen=True, slots=True)
class ToolSuccess:
    """A tool succeeded."""

    output: str
    structured: JsonValue = None


@dataclass(frozen=True, slots=True)
class ToolFailure:
    """A tool failed (mylm: `ToolResult::Error`)."""

    message: str
    code: str | None = None
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class ToolCancelled:
    """A call was cancelled."""


ToolOutcome = ToolSuccess | ToolFailure | ToolCancelled


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A call ended.

    mylm's result does not name its tool; this one may, so that the history can.
    """

    outcome: ToolOutcome
    tool: str = "unknown"


@dataclass(frozen=True, slots=True)
class Granted:
    """The person approved."""


@dataclass(frozen=True, slots=True)
class Denied:
    """The person refused."""

    reason: str | None = None


ApprovalOutcome = Granted | Denied


@dataclass(frozen=True, slots=True)
class ApprovalResult:
    """A person decided about a call."""

    outcome: ApprovalOutcome


@dataclass(frozen=True, slots=True)
class LLMUsage:
    """Tokens of one model call."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0


@dataclass(frozen=True, slots=True)
class LLMResponse:
    """The model answered."""

    content: str
    usage: LLMUsage = LLMUsage()
    model: str = ""
    provider: str = ""
    finish_reason: str = ""
    structured: JsonValue = None


@dataclass(frozen=True, slots=True)
class RuntimeFailure:
    """The runtime could not execute a decision (mylm: RuntimeError, a name Python has taken)."""

    intent_id: int
    error: str


@dataclass(frozen=True, slots=True)
class Shutdown:
    """The agent is asked to stop."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passed."""


InputEvent = (
    UserMessage
    | WorkerResult
    | ToolResult
    | ApprovalResult
    | LLMResponse
    | RuntimeFailure
    | Shutdown
    | Tick
)
