"""The cognitive kernel: a pure function `(state, input) → transition`, after mylm's.

Contains the agent's state, inputs, decisions and engines. An engine decides and never executes: no
IO, no clock, no model, no tool. The runtime executes a decision and passes the outcome as the next
input.
"""

from agentlog.domain.cognition.decisions import AgentDecision as AgentDecision
from agentlog.domain.cognition.decisions import AgentExitReason as AgentExitReason
from agentlog.domain.cognition.decisions import ApprovalRequest as ApprovalRequest
from agentlog.domain.cognition.decisions import CallTool as CallTool
from agentlog.domain.cognition.decisions import Complete as Complete
from agentlog.domain.cognition.decisions import EmitResponse as EmitResponse
from agentlog.domain.cognition.decisions import Exit as Exit
from agentlog.domain.cognition.decisions import Failed as Failed
from agentlog.domain.cognition.decisions import LLMRequest as LLMRequest
from agentlog.domain.cognition.decisions import Nothing as Nothing
from agentlog.domain.cognition.decisions import RequestApproval as RequestApproval
from agentlog.domain.cognition.decisions import RequestLLM as RequestLLM
from agentlog.domain.cognition.decisions import SpawnWorker as SpawnWorker
from agentlog.domain.cognition.decisions import StepLimit as StepLimit
from agentlog.domain.cognition.decisions import ToolCall as ToolCall
from agentlog.domain.cognition.decisions import Transition as Transition
from agentlog.domain.cognition.decisions import UserRequest as UserRequest
from agentlog.domain.cognition.decisions import WorkerSpec as WorkerSpec
from agentlog.domain.cognition.engine import CognitiveEngine as CognitiveEngine
from agentlog.domain.cognition.engine import StubEngine as StubEngine
from agentlog.domain.cognition.inputs import ApprovalOutcome as ApprovalOutcome
from agentlog.domain.cognition.inputs import ApprovalResult as ApprovalResult
from agentlog.domain.cognition.inputs import Denied as Denied
from agentlog.domain.cognition.inputs import Granted as Granted
from agentlog.domain.cognition.inputs import InputEvent as InputEvent
from agentlog.domain.cognition.inputs import LLMResponse as LLMResponse
from agentlog.domain.cognition.inputs import LLMUsage as LLMUsage
from agentlog.domain.cognition.inputs import RuntimeFailure as RuntimeFailure
from agentlog.domain.cognition.inputs import Shutdown as Shutdown
from agentlog.domain.cognition.inputs import Tick as Tick
from agentlog.domain.cognition.inputs import ToolCancelled as ToolCancelled
from agentlog.domain.cognition.inputs import ToolFailure as ToolFailure
from agentlog.domain.cognition.inputs import ToolOutcome as ToolOutcome
from agentlog.domain.cognition.inputs import ToolResult as ToolResult
from agentlog.domain.cognition.inputs import ToolSuccess as ToolSuccess
from agentlog.domain.cognition.inputs import UserMessage as UserMessage
from agentlog.domain.cognition.inputs import WorkerError as WorkerError
from agentlog.domain.cognition.inputs import WorkerResult as WorkerResult
from agentlog.domain.cognition.rules import CognitiveError as CognitiveError
from agentlog.domain.cognition.rules import ContextOverflow as ContextOverflow
from agentlog.domain.cognition.rules import InvalidState as InvalidState
from agentlog.domain.cognition.rules import LimitExceeded as LimitExceeded
from agentlog.domain.cognition.rules import MalformedAction as MalformedAction
from agentlog.domain.cognition.rules import RuleEngine as RuleEngine
from agentlog.domain.cognition.state import AgentState as AgentState
from agentlog.domain.cognition.state import Message as Message
from agentlog.domain.cognition.state import Role as Role
