"""The interface of an engine, and the one that asks no model."""

from typing import Protocol

from agentlog.domain.cognition.decisions import EmitResponse, Exit, Nothing, StepLimit, Transition
from agentlog.domain.cognition.inputs import InputEvent, UserMessage
from agentlog.domain.cognition.state import AgentState


class CognitiveEngine(Protocol):
    """A pure function from a state and an input to a transition; deterministic."""

    def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
        """Return the transition of `state` on `input` (None: no input); raises `CognitiveError`."""
        ...

    def build_prompt(self, state: AgentState) -> str:
        """Return the model's prompt for `state`."""
        ...

    def requires_approval(self, tool: str, args: str) -> bool:
        """Return whether this call needs a person's approval; `args` is JSON text."""
        ...


class StubEngine:
    """mylm's StubEngine: every input counts as a step."""

    def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
        """Echo a user's message; otherwise exit at the limit, or wait."""
        next_state = state.increment_step()
        match input:
            case UserMessage(text=text):
                return Transition(next_state, EmitResponse(f"Echo: {text}"))
            case _ if state.at_limit:
                return Transition(next_state, Exit(StepLimit()))
            case _:
                return Transition(next_state, Nothing())

    def build_prompt(self, state: AgentState) -> str:
        """Return nothing: the stub asks no model."""
        del state
        return ""

    def requires_approval(self, tool: str, args: str) -> bool:
        """Return False: the stub calls no tool."""
        del tool, args
        return False
