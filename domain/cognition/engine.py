"""What an engine is."""

from typing import Protocol

from domain.cognition.decisions import Transition
from domain.cognition.inputs import InputEvent
from domain.cognition.state import AgentState


class CognitiveEngine(Protocol):
    """A pure function from a state and an input to a transition: the same in, the same out."""

    def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
        """Return what `input` (None: nothing came) makes of `state`; raises `CognitiveError`."""
        ...

    def build_prompt(self, state: AgentState) -> str:
        """Return what the model is to be told of `state`."""
        ...

    def requires_approval(self, tool: str, args: str) -> bool:
        """Tell whether a person must agree to this call; `args` is JSON text."""
        ...
