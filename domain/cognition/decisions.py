"""Decisions of an engine (mylm's AgentDecision), and the transition that holds one."""

from dataclasses import dataclass

from agentlog.domain.cognition.state import AgentState
from agentlog.domain.json.values import JsonValue


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call to make; the runtime assigns its id."""

    name: str
    arguments: JsonValue
    working_dir: str | None = None
    timeout_secs: int | None = None


@dataclass(frozen=True, slots=True)
class WorkerSpec:
    """A worker to spawn."""

    objective: str
    context: str = ""
    max_iterations: int | None = None
    can_delegate: bool = False
    allowed_tools: tuple[str, ...] | None = None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """A call that needs a person's approval; `args` is JSON text."""

    tool: str
    args: str
    reason: str


@dataclass(frozen=True, slots=True)
class LLMRequest:
    """A request to the model."""

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
    """The step limit is reached."""


@dataclass(frozen=True, slots=True)
class UserRequest:
    """The user asked the agent to stop."""


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
    """Spawn the worker."""

    spec: WorkerSpec


@dataclass(frozen=True, slots=True)
class RequestApproval:
    """Request a person's approval."""

    request: ApprovalRequest


@dataclass(frozen=True, slots=True)
class RequestLLM:
    """Ask the model."""

    request: LLMRequest


@dataclass(frozen=True, slots=True)
class EmitResponse:
    """Send the text to the user."""

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
    """The result of a step: the next state and the decision for the runtime."""

    next_state: AgentState
    decision: AgentDecision
