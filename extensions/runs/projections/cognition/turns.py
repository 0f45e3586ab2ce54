"""Events of a thread in turns: an input of the engine, and the events up to the next input."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from agentlog.domain.events import Event
from agentlog.domain.messages import (
    ApprovalResponseMessage,
    InputMessage,
    LlmRequestMessage,
    LlmResponseMessage,
    LogMessage,
    ReasoningMessage,
    ReplyMessage,
    RuntimeErrorMessage,
    ShutdownMessage,
    TickMessage,
    ToolCallsMessage,
    ToolResultsMessage,
    WorkerResultMessage,
)


@dataclass(slots=True)
class Turn:
    """The events of an input (none before the first input), and those that followed.

    An answer of the model is an input of several events: `llm_response`, and the replies and calls
    of its `responseId`.
    """

    input: list[Event]
    is_answer: bool = False
    followed: list[Event] = field(default_factory=list)

    @property
    def response_id(self) -> str | None:
        """The id of the answer, where an event of it has one."""
        ids = (event.response_id for event in self.input)
        return next((response_id for response_id in ids if response_id is not None), None)

    @property
    def has_late_calls(self) -> bool:
        """Whether more of an earlier answer followed than was its input."""
        return any(map(is_late, self.followed))

    def takes(self, event: Event) -> bool:
        """Return whether a message of the model belongs to this answer.

        Where ids do not say, an answer is one `llm_response` with one reply or one message of
        calls.
        """
        ours, theirs = self.response_id, event.response_id
        if ours is not None and theirs is not None:
            return ours == theirs
        described = isinstance(event.message, LlmResponseMessage)
        return all(isinstance(of.message, LlmResponseMessage) != described for of in self.input)


def turns_of(events: Sequence[Event]) -> list[Turn]:
    """Return a thread's turns; the first has the events before the first input.

    A reply or calls are an answer of the model where they have a `responseId`, a `llm_response`
    beside them or a `llm_request` before them. Otherwise the engine decided on them by itself.
    """
    turns = [Turn([])]
    asked = False
    answered: str | None = None
    for event, described in zip(events, _described(events), strict=True):
        turn = turns[-1]
        match event.message:
            case (
                InputMessage()
                | ToolResultsMessage()
                | ApprovalResponseMessage()
                | WorkerResultMessage()
                | RuntimeErrorMessage()
                | ShutdownMessage()
                | TickMessage()
            ):
                turns.append(Turn([event]))
                continue
            case LlmResponseMessage() | ReplyMessage() | ToolCallsMessage():
                response_id = event.response_id
                known = response_id is not None and response_id == answered
                if turn.is_answer and not asked and turn.takes(event):
                    turn.input.append(event)
                elif not known and (asked or described or response_id is not None):
                    turns.append(Turn([event], is_answer=True))
                    asked = False
                else:
                    turn.followed.append(event)
                    continue
                answered = turns[-1].response_id
                continue
            case LlmRequestMessage():
                asked = True
            case _:
                pass
        turn.followed.append(event)
    return turns


def is_late(followed: Event) -> bool:
    """Return whether an event that followed an input belongs to an answer before that."""
    is_answer = isinstance(followed.message, ReplyMessage | ToolCallsMessage)
    return is_answer and followed.response_id is not None


def _described(events: Sequence[Event]) -> list[bool]:
    """Return for each event whether it is a `llm_response`, or part of an answer before one."""
    described: list[bool] = []
    ahead = False
    for event in reversed(events):
        match event.message:
            case LlmResponseMessage():
                ahead = True
            case ReasoningMessage() | LogMessage() | ReplyMessage() | ToolCallsMessage():
                pass
            case _:
                ahead = False
        described.append(ahead)
    return described[::-1]
