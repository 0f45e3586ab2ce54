"""Engines that take their decisions from the recorded steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agentlog.domain.cognition import AgentState, InputEvent, Transition
from agentlog.extensions.runs.projections.cognition.steps import Step


@dataclass
class Scripted:
    """Decides what is recorded; `change` makes another transition of the step at `place`."""

    steps: Sequence[Step]
    change: Callable[[Transition], Transition] = lambda transition: transition
    place: int = -1
    taken: int = 0

    def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
        del state
        step = self.steps[self.taken]
        assert input == step.input
        self.taken += 1
        transition = Transition(step.next_state, step.decision)
        return self.change(transition) if self.taken - 1 == self.place else transition

    def build_prompt(self, state: AgentState) -> str:
        del state
        return ""

    def requires_approval(self, tool: str, args: str) -> bool:
        del tool, args
        return False
