"""What an engine may decide: mylm's AgentDecision, and the transition that carries it."""

from dataclasses import dataclass

from domain.cognition.state import AgentState
from domain.json.text import JsonValue


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call to make; it has no id, the runtime gives one."""

    name: str
    arguments: JsonValue
    working_dir: str | None = None
    timeout_secs: int | None = None


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """A worker to send off."""

    objective: str
    context: str = ""
    max_iterations: int | None = None
    can_delegate: bool = False
    allowed_tools: tuple[str, ...] | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call to put before a person; `args` is JSON text."""

    tool: str
    args: str
    reason: str


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """What to ask the model."""

    context: str
    max_tokens: int | None = None
    temperature: float | None = None
    model: str | None = None
    response_format: JsonValue = None
    stream: bool = False


@dataclass(frozen=True, slots=True)
class Complete:
    """The work is done."""


@dataclass(frozen=True, slots=True)
class StepLimit:
    """All steps are taken."""


@dataclass(frozen=True, slots=True)
class UserRequest:
    """Someone asked the agent to stop."""


@dataclass(frozen=True, slots=True)
class Failed:
    """Something failed (mylm: `AgentExitReason::Error`)."""

    message: str


AgentExitReason = Complete | StepLimit | UserRequest | Failed


@dataclass(frozen=True, slots=True)
class CallTool:
    """Make the call."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class SpawnWorker:
    """Send the worker off."""

    spec: WorkerSpec


@dataclass(frozen=True, slots=True)
class RequestApproval:
    """Ask a person first."""

    request: ApprovalRequest


@dataclass(frozen=True, slots=True)
class RequestLLM:
    """Ask the model."""

    request: LLMRequest


@dataclass(frozen=True, slots=True)
class EmitResponse:
    """Say it to the user."""

    text: str


@dataclass(frozen=True, slots=True)
class Exit:
    """Stop."""

    reason: AgentExitReason


@dataclass(frozen=True, slots=True)
class Nothing:
    """Wait for the next input (mylm: `AgentDecision::None`)."""


AgentDecision = (
    CallTool | SpawnWorker | RequestApproval | RequestLLM | EmitResponse | Exit | Nothing
)


@dataclass(frozen=True, slots=True)
class Transition:
    """What a step came to: the state after it, and what the runtime is to do."""

    next_state: AgentState
    decision: AgentDecision
