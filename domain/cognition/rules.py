"""An engine that follows mylm's transition table: guards first, then by input; its errors."""

import re
from typing import assert_never

from agentlog.domain.cognition.decisions import (
    AgentDecision,
    ApprovalRequest,
    CallTool,
    EmitResponse,
    Exit,
    Failed,
    LLMRequest,
    Nothing,
    RequestApproval,
    RequestLLM,
    StepLimit,
    ToolCall,
    Transition,
    UserRequest,
)
from agentlog.domain.cognition.inputs import (
    ApprovalOutcome,
    ApprovalResult,
    Denied,
    Granted,
    InputEvent,
    LLMResponse,
    RuntimeFailure,
    Shutdown,
    Tick,
    ToolCancelled,
    ToolFailure,
    ToolOutcome,
    ToolResult,
    ToolSuccess,
    UserMessage,
    WorkerResult,
)
from agentlog.domain.cognition.state import AgentState, Message
from agentlog.domain.errors import AgentlogError, InvalidJson
from agentlog.domain.json.text import parse, print_text
from agentlog.domain.json.values import JsonValue

TOOLS_TO_APPROVE = frozenset({"shell", "write_file", "rm", "sudo"})
WORDS_TO_APPROVE = ("rm -rf", "sudo", "curl | sh", "wget | sh")

_MEANT_AS_CALL = re.compile(r'\s*\{\s*"tool"\s*:')


class RuleEngine:
    """mylm's LLM engine without the LLM: the runtime calls the model and passes on its response."""

    def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
        """Return the transition of `state` on `input`.

        Raises:
            MalformedAction: the model's call is malformed.
        """
        if state.at_limit:
            return Transition(state, Exit(StepLimit()))
        if state.too_many_rejections:
            return Transition(state, Exit(Failed("Too many tool rejections")))
        return self._transition(state, input)

    def _transition(self, state: AgentState, event: InputEvent | None) -> Transition:
        match event:
            case UserMessage(text=text):
                return self._ask(state.increment_step().with_message(Message("user", text)))
            case LLMResponse():
                message = Message("assistant", event.content)
                return Transition(state.increment_step().with_message(message), self._act_on(event))
            case ToolResult(outcome=outcome, tool=tool):
                return self._ask(
                    state.increment_step().with_message(_outcome_message(tool, outcome))
                )
            case ApprovalResult(outcome=outcome):
                return self._after_approval(state, outcome)
            case WorkerResult():
                return self._ask(state.increment_step())
            case Shutdown():
                return Transition(state, Exit(UserRequest()))
            case RuntimeFailure(error=error):
                return Transition(state, Exit(Failed(error)))
            case Tick() | None:
                return Transition(state, Nothing())
            case _:
                assert_never(event)

    def build_prompt(self, state: AgentState) -> str:
        """Return the scratchpad, then the history, a paragraph a message."""
        notes = [f"scratchpad: {state.scratchpad}"] if state.scratchpad else []
        return "\n\n".join(
            [*notes, *(f"{message.role}: {message.content}" for message in state.history)]
        )

    def requires_approval(self, tool: str, args: str) -> bool:
        """Return whether the tool, or a word in the call's text, requires approval.

        Words are matched literally, as in mylm: this is not a sandbox.
        """
        text = f"{tool} {args}"
        return tool in TOOLS_TO_APPROVE or any(word in text for word in WORDS_TO_APPROVE)

    def _after_approval(self, state: AgentState, outcome: ApprovalOutcome) -> Transition:
        match outcome:
            case Granted():
                return Transition(state.increment_step(), Nothing())  # the runtime holds the call
            case Denied():
                return self._ask(state.with_rejection())
            case _:
                assert_never(outcome)

    def _ask(self, state: AgentState) -> Transition:
        return Transition(state, RequestLLM(LLMRequest(context=self.build_prompt(state))))

    def _act_on(self, response: LLMResponse) -> AgentDecision:
        call = _call_in(response)
        if call is None:
            return EmitResponse(response.content)
        args = print_text(call.arguments)
        if self.requires_approval(call.name, args):
            reason = f"tool {call.name!r} needs a person's approval"
            return RequestApproval(ApprovalRequest(call.name, args, reason))
        return CallTool(call)


def _call_in(response: LLMResponse) -> ToolCall | None:
    """Return the call that a response asks for, in its structured part or as its whole text."""
    structured = response.structured
    if isinstance(structured, dict) and "tool" in structured:
        return _read_call(structured)
    try:
        value = parse(response.content)
    except InvalidJson as error:
        if _MEANT_AS_CALL.match(response.content):
            raise MalformedAction(str(error)) from error
        return None
    return _read_call(value) if isinstance(value, dict) and "tool" in value else None


def _read_call(value: dict[str, JsonValue]) -> ToolCall:
    match value:
        case {"tool": str(name), "arguments": dict(arguments), **more} if name and not more:
            return ToolCall(name, arguments)
        case {"tool": str(name), "arguments": dict(), **more} if name:
            raise MalformedAction(f"there is no {', '.join(map(repr, more))} in a call")
        case {"tool": str(name)} if name:
            raise MalformedAction("'arguments' is missing or no object")
        case _:
            raise MalformedAction("'tool' is no name")


def _outcome_message(tool: str, outcome: ToolOutcome) -> Message:
    match outcome:
        case ToolSuccess(output=output):
            return Message.of_success(tool, output)
        case ToolFailure(message=message):
            return Message.of_failure(tool, message)
        case ToolCancelled():
            return Message.of_failure(tool, "cancelled")
        case _:
            assert_never(outcome)


class CognitiveError(AgentlogError, kind="conflict"):
    """An engine cannot take the step; the state stays what it was."""


class MalformedAction(CognitiveError):
    """The model asked for something that is no call: tell it what is wrong and ask again."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f'{reason}: a call is a JSON object {{"tool": name, "arguments": {{…}}}} and no more'
        )
        self.reason = reason


class InvalidState(CognitiveError):
    """The state cannot be: rebuild it from the thread's events."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason}: rebuild the state from its thread's events")
        self.reason = reason


class LimitExceeded(CognitiveError):
    """More than a limit allows: raise the limit, or stop."""

    def __init__(self, *, limit: int, current: int) -> None:
        super().__init__(f"{current} is over the limit of {limit}: raise the limit, or stop")
        self.limit, self.current = limit, current


class ContextOverflow(CognitiveError):
    """The prompt does not fit the model: shorten the history."""

    def __init__(self) -> None:
        super().__init__("the prompt does not fit the model: shorten the history")
