"""Errors of engines.

AgentlogError
└── CognitiveError
    ├── MalformedAction   the model asked for something that is no call
    ├── InvalidState      the state cannot be: no step leads there
    ├── LimitExceeded     more than a limit allows
    └── ContextOverflow   the prompt does not fit the model
"""

from agentlog.domain.errors import AgentlogError


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
