"""The interface of an engine."""

from typing import Protocol

from agentlog.domain.cognition.decisions import Transition
from agentlog.domain.cognition.inputs import InputEvent
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
