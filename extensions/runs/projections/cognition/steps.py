"""Steps of a cognitive engine as a thread records them: state, input, decision, next state."""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import Enum

from agentlog.domain.cognition.decisions import (
    AgentDecision,
    CallTool,
    LLMRequest,
    Nothing,
    RequestLLM,
)
from agentlog.domain.cognition.inputs import (
    InputEvent,
    RuntimeFailure,
    ToolFailure,
    ToolResult,
    WorkerResult,
)
from agentlog.domain.cognition.state import AgentState, Message
from agentlog.domain.events import Event, with_message
from agentlog.domain.messages import (
    LlmResponseMessage,
    RuntimeErrorMessage,
    ToolCallsMessage,
    ToolResultsMessage,
    WorkerSpawnedMessage,
)
from agentlog.extensions.runs.projections.cognition.decisions import decisions_of
from agentlog.extensions.runs.projections.cognition.inputs import (
    WorkerIds,
    answer_input,
    answer_text,
    plain_input,
    result_input,
)
from agentlog.extensions.runs.projections.cognition.turns import Turn, turns_of
from agentlog.projections.views.agent_state import AgentStateView


class Lack(Enum):
    """What the log has not of a step."""

    ERASED = "contents, which are erased: the step is left out"
    ANSWER = "text and calls of an answer: the step is left out"
    PROMPT = "LLMRequest.context"
    REQUEST = "llm_request before an answer"
    DESCRIPTION = "llm_response: model, provider, finish_reason and usage of an answer"
    CALL_TEXT = "LLMResponse.content of a call: as the view agent-state shows the call"
    CALL = "ToolCall.working_dir and timeout_secs"
    FAILURE = "ToolFailure.code and retryable"
    WORKER = "WorkerResult.worker_id: workers are numbered"
    INTENT = "RuntimeFailure.intent_id: 0"
    MORE = "a step for each further decision on one input"


@dataclass(frozen=True, slots=True)
class Step:
    """A step: `decision` and `next_state` as recorded.

    `version` is that of the input's first event, `result` counts the results of one event from 0.
    What the contract has and the log has not is at its default, and named in `lacks`. `failure` is
    the error of the runtime that came next, if the step has no decision.
    """

    version: int
    result: int
    state: AgentState
    input: InputEvent
    decision: AgentDecision
    next_state: AgentState
    lacks: tuple[Lack, ...] = ()
    failure: str | None = None

    @property
    def is_left_out(self) -> bool:
        """Whether the log lacks the input or the decision."""
        return Lack.ERASED in self.lacks or Lack.ANSWER in self.lacks


def steps_of(events: Sequence[Event]) -> Iterator[Step]:
    """Yield a thread's steps in their order; never fails, for any events."""
    recording = _Recording()
    turns = turns_of(events)
    for turn, following in zip(turns, [*turns[1:], None], strict=True):
        yield from recording.steps(turn, following)
        recording.take(turn.followed)


class _Recording:
    """The state of the view agent-state, advanced event by event.

    It differs from the view in that the texts and calls of one answer are one message.
    """

    def __init__(self) -> None:
        self.state = AgentState.new()
        self._view = AgentStateView()
        self._carry = self._view.start()
        self._workers = WorkerIds()

    def take(self, events: Sequence[Event]) -> None:
        """Advance the state by events that are no inputs."""
        before = self._carry
        for event in events:
            if isinstance(event.message, WorkerSpawnedMessage):
                self._workers[event.message.worker_id]
            self._carry, _ = self._view.fold(self._carry, event)
        self.state = self._view.advanced(self.state, before, self._carry)

    def steps(self, turn: Turn, following: Turn | None) -> Iterator[Step]:
        """Yield the steps of a turn, a step an input."""
        if not turn.input:
            return
        decision, lacks = _decision(turn, following)
        if turn.is_answer:
            yield self._answer(turn, decision, lacks)
            return
        (event,) = turn.input
        inputs = _single(event)
        for index, single in enumerate(inputs):
            state = self.state
            given = self._input(single)
            self.take([single])
            is_last = index == len(inputs) - 1
            yield Step(
                event.version,
                index,
                state,
                given,
                decision if is_last else Nothing(),
                self.state,
                (*_lacks_of_input(given), *(lacks if is_last else _lacks_of_events([event]))),
                _failure(following) if is_last and decision == Nothing() else None,
            )

    def _answer(self, turn: Turn, decision: AgentDecision, lacks: tuple[Lack, ...]) -> Step:
        state = self.state
        self.take(turn.input)
        messages = [event.message for event in turn.input]
        text = answer_text(messages)
        if text is None:
            lacks = (Lack.ANSWER, *lacks)
        else:
            answer = Message("assistant", text)
            self.state = replace(self.state, history=(*state.history, answer))
        if not any(isinstance(message, LlmResponseMessage) for message in messages):
            lacks = (*lacks, Lack.DESCRIPTION)
        if any(isinstance(message, ToolCallsMessage) for message in messages):
            lacks = (*lacks, Lack.CALL_TEXT)
        given = answer_input(messages)
        return Step(turn.input[0].version, 0, state, given, decision, self.state, lacks)

    def _input(self, event: Event) -> InputEvent:
        match event.message:
            case ToolResultsMessage(results=(result,)):
                call_id = result.call_id
                called = None if call_id is None else self._carry.open_calls.get(call_id)
                return result_input(result, called)
            case message:
                return plain_input(message, self._workers)


def _decision(turn: Turn, following: Turn | None) -> tuple[AgentDecision, tuple[Lack, ...]]:
    """Return the decision of a turn, and what the log lacks of it.

    A model answers only where it was asked: an answer that follows shows a decision too.
    """
    decisions = list(decisions_of(turn))
    if not decisions:
        lacks = (*_lacks_of_events(turn.input), *((Lack.MORE,) if turn.has_late_calls else ()))
        if following is not None and following.is_answer:
            return RequestLLM(LLMRequest("")), (*lacks, Lack.PROMPT, Lack.REQUEST)
        return Nothing(), lacks
    event, decision = decisions[0]
    lacks = _lacks_of_events([*turn.input, event])
    if isinstance(decision, RequestLLM):
        lacks = (*lacks, Lack.PROMPT)
    if isinstance(decision, CallTool):
        lacks = (*lacks, Lack.CALL)
    return decision, (*lacks, Lack.MORE) if len(decisions) > 1 else lacks


def _lacks_of_events(events: Sequence[Event]) -> tuple[Lack, ...]:
    is_erased = any(event.redacted is not None or event.missing for event in events)
    return (Lack.ERASED,) if is_erased else ()


def _lacks_of_input(given: InputEvent) -> tuple[Lack, ...]:
    match given:
        case ToolResult(outcome=ToolFailure()):
            return (Lack.FAILURE,)
        case WorkerResult():
            return (Lack.WORKER,)
        case RuntimeFailure():
            return (Lack.INTENT,)
        case _:
            return ()


def _single(event: Event) -> list[Event]:
    """Return an event a result, for an event of several results."""
    message = event.message
    if not isinstance(message, ToolResultsMessage):
        return [event]
    return [
        with_message(copy(event), message.model_copy(update={"results": (result,)}))
        for result in message.results
    ]


def _failure(following: Turn | None) -> str | None:
    match following:
        case Turn(input=[Event(message=RuntimeErrorMessage(error=error))]):
            return error
        case _:
            return None
