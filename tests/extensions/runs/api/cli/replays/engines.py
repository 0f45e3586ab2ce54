"""Engines for the command replay, named as users name theirs."""

import os
import random
import time
from typing import Any

from agentlog.domain.cognition import (
    AgentState,
    EmitResponse,
    InputEvent,
    StubEngine,
    Transition,
    UserMessage,
)

NO_ENGINE = 5


class Raises(StubEngine):
    """Cannot take any step."""

    def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
        del state, input
        raise KeyError("weather")


class Prints(StubEngine):
    """Prints while it decides, in the order of a set: another one in each process."""

    def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
        print(random.random(), *{"a", "b", "c"})  # noqa: S311, T201 - on purpose
        return super().step(state, input)


class Ends(StubEngine):
    """Ends its process where it is asked to deploy."""

    def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
        if input == UserMessage("Ship 2.4 to production."):
            os._exit(3)
        return super().step(state, input)


class Waits(StubEngine):
    """Says that it waits, and does so for ever."""

    def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
        del state, input
        print("waiting\n", end="", flush=True)  # noqa: T201 - on purpose; one write: others write too
        while True:
            time.sleep(1)


def made() -> Any:
    """Return an engine that answers everything."""

    class Answers(StubEngine):
        def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
            del input
            return Transition(state, EmitResponse("yes"))

    return Answers()
