"""An engine that decides what the example thread `deploy` records.

agentlog replay-engine examples.deploy_engine:DeployEngine deploy
"""

from agentlog.domain.cognition import (
    AgentDecision,
    AgentState,
    ApprovalRequest,
    ApprovalResult,
    CallTool,
    Denied,
    EmitResponse,
    Exit,
    InputEvent,
    Message,
    Nothing,
    RequestApproval,
    Shutdown,
    ToolCall,
    ToolFailure,
    ToolResult,
    ToolSuccess,
    Transition,
    UserMessage,
    UserRequest,
)

TESTS = "run_tests"
LONGER_SECONDS = 60
DENIED = "Tests pass now, but the deployment was turned down for today. I will ask again on Monday."


class DeployEngine:
    """Tests a release, tries again with more time, and asks a person before it deploys."""

    def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
        """Return the next state and the decision."""
        match input:
            case UserMessage(text):
                asked = state.increment_step().with_message(Message("user", text))
                return Transition(asked, CallTool(ToolCall(TESTS, {"suite": "smoke"})))
            case ToolResult(ToolSuccess(output), tool):
                done = state.increment_step().with_message(Message.of_success(tool, output))
                return Transition(done, _after_success(tool))
            case ToolResult(ToolFailure(reason), tool):
                failed = state.increment_step().with_message(Message.of_failure(tool, reason))
                return Transition(failed, Nothing())
            case ApprovalResult(Denied()):
                return Transition(state.with_rejection(), EmitResponse(DENIED))
            case Shutdown():
                return Transition(state, Exit(UserRequest()))
            case _:
                return Transition(state, Nothing())

    def build_prompt(self, state: AgentState) -> str:
        """Return nothing: it asks no model."""
        del state
        return ""

    def requires_approval(self, tool: str, args: str) -> bool:
        """Return whether a person has to agree."""
        del args
        return tool == "shell"


def _after_success(tool: str) -> AgentDecision:
    if tool != TESTS:  # the tests timed out before
        return CallTool(ToolCall(TESTS, {"suite": "smoke", "limit_s": LONGER_SECONDS}))
    command = '{"command": "deploy 2.4 --now"}'
    return RequestApproval(ApprovalRequest("shell", command, "touches production"))
