"""A cognitive engine driven over a thread: its transitions beside the recorded ones."""

import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Literal

from agentlog.domain.cognition.decisions import AgentDecision, Exit, Transition
from agentlog.domain.cognition.engine import CognitiveEngine
from agentlog.domain.cognition.rules import CognitiveError
from agentlog.domain.cognition.state import AgentState, Message
from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import print_checked
from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.projections.cognition.decisions import same_decision
from agentlog.extensions.runs.projections.cognition.printed import contract_json, recorded_json
from agentlog.extensions.runs.projections.cognition.steps import Lack, Step

StateSource = Literal["recorded", "carried"]
"""The state that a step begins with: the recorded one, or the engine's own of the step before."""

Difference = Literal["decision", "state"]

FLAGS = ("pending_llm", "pending_approval", "shutdown_requested")
"""Fields of a state that the runtime sets: given to the engine as recorded, and not compared."""

_COMPARED = [field.name for field in fields(AgentState) if field.name not in FLAGS]
_MOST_FRAMES = 20


@dataclass(frozen=True, slots=True)
class Place:
    """A step of a thread: the version of its input, the number of the result, and the input."""

    version: int
    result: int
    input: JsonObject


@dataclass(frozen=True, slots=True)
class Divergence:
    """A step that an engine takes otherwise; decisions and states as JSON.

    `decided` is a decision or a `CognitiveError`. `state` is the one the step began with.
    """

    place: Place
    differs: tuple[Difference, ...]
    state: JsonObject
    recorded: JsonObject
    recorded_state: JsonObject
    decided: JsonObject
    decided_state: JsonObject


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a replay ended early: no outcome that the contract has."""

    reason: str
    place: Place | None = None
    traceback: str | None = None


@dataclass(frozen=True, slots=True)
class Replayed:
    """Counts of steps, and the first that diverges; `lacks` counts steps by what the log lacks."""

    equal: int = 0
    divergent: int = 0
    left_out: int = 0
    lacks: tuple[tuple[Lack, int], ...] = ()
    first: Divergence | None = None
    failure: Failure | None = None

    @property
    def steps(self) -> int:
        """The steps that the engine took."""
        return self.equal + self.divergent


class _Unusable(Exception):
    """The engine broke the contract."""

    def __init__(self, reason: str, *, trace: str | None = None) -> None:
        super().__init__(reason)
        self.reason, self.trace = reason, trace


def replay(
    make: Callable[[], CognitiveEngine],
    steps: Iterable[Step],
    *,
    begin: int = 0,
    states: StateSource = "recorded",
) -> Replayed:
    """Return what a new engine makes of steps, from the version `begin` on."""
    equal = divergent = left_out = 0
    lacks: Counter[Lack] = Counter()
    first: Divergence | None = None
    failure: Failure | None = None
    before: Step | None = None
    carried = AgentState.new()
    try:
        engine = _made(make)
    except _Unusable as error:
        return Replayed(failure=Failure(error.reason, traceback=error.trace))
    for step in steps:
        if step.version < begin:
            continue
        lacks.update(set(step.lacks))
        state = step.state
        if states == "carried" and before is not None:
            state = _moved(carried, before.next_state, step.state)
        before = step
        if step.is_left_out:
            left_out += 1
            carried = _moved(state, step.state, step.next_state)
            continue
        try:
            outcome, next_state = _taken(engine, state, step)
        except _Unusable as error:
            place = Place(step.version, step.result, contract_json(step.input))
            failure = Failure(error.reason, place, error.trace)
            break
        carried = next_state
        differs = _differences(step, outcome, next_state)
        if not differs:
            equal += 1
            continue
        divergent += 1
        if first is None:
            first = Divergence(
                place=Place(step.version, step.result, contract_json(step.input)),
                differs=differs,
                state=state.to_json(),
                recorded=recorded_json(step.decision),
                recorded_state=step.next_state.to_json(),
                decided=contract_json(outcome),
                decided_state=next_state.to_json(),
            )
    counted = tuple((lack, lacks[lack]) for lack in Lack if lack in lacks)
    return Replayed(equal, divergent, left_out, counted, first, failure)


def _made(make: Callable[[], CognitiveEngine]) -> CognitiveEngine:
    try:
        engine = make()
    except (Exception, SystemExit) as error:
        reason = f"the engine cannot be made: {type(error).__name__}"
        raise _Unusable(reason, trace=_trace(error)) from error
    if not callable(getattr(engine, "step", None)):
        raise _Unusable(f"a {type(engine).__name__} is no engine: it has no method step")
    return engine


def _taken(
    engine: CognitiveEngine, state: AgentState, step: Step
) -> tuple[AgentDecision | CognitiveError, AgentState]:
    """Return the decision or `CognitiveError` of an engine, and the state that it leads to."""
    kept, history = replace(state), _contents(state)
    given = contract_json(step.input)
    printed = print_checked(given)
    outcome: AgentDecision | CognitiveError
    try:
        transition = engine.step(state, step.input)
    except CognitiveError as error:
        outcome, next_state = error, state
    except (Exception, SystemExit) as error:
        reason = f"the engine raised {type(error).__name__}, which is no CognitiveError"
        raise _Unusable(reason, trace=_trace(error)) from error
    else:
        outcome, next_state = _checked(transition)
    if state != kept or _contents(state) != history:
        raise _Unusable("the engine changed the state that it was given")
    if print_checked(contract_json(step.input)) != printed:
        raise _Unusable("the engine changed the input that it was given")
    return outcome, next_state


def _checked(transition: object) -> tuple[AgentDecision, AgentState]:
    """Return what a step returned; raises `_Unusable` where that is not of the contract."""
    if not isinstance(transition, Transition):
        raise _Unusable(f"step returned a {type(transition).__name__}, no Transition")
    decision: object = transition.decision
    if not isinstance(decision, AgentDecision):
        raise _Unusable(f"a {type(decision).__name__} is no decision")
    state: object = transition.next_state
    if not isinstance(state, AgentState):
        raise _Unusable(f"the next state is a {type(state).__name__}, no AgentState")
    if not isinstance(state.history, tuple) or not all(
        isinstance(message, Message) for message in state.history
    ):
        raise _Unusable("the history of the next state is no tuple of messages")
    try:
        print_checked(contract_json(decision))
    except InvalidJson as error:
        raise _Unusable(f"a decision holds what is no JSON: {error}") from error
    return decision, state


def _contents(state: AgentState) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in state.history]


def _differences(
    step: Step, outcome: AgentDecision | CognitiveError, next_state: AgentState
) -> tuple[Difference, ...]:
    """Return what of a transition is not as recorded.

    An error is as recorded where the runtime reports one with its text. No step follows `Exit`:
    the state it leaves does not count.
    """
    if isinstance(outcome, CognitiveError):
        same = step.failure is not None and str(outcome) in step.failure
    else:
        same = same_decision(step.decision, outcome)
    differs: list[Difference] = [] if same else ["decision"]
    ended = same and isinstance(outcome, Exit)
    if not ended and any(
        getattr(next_state, name) != getattr(step.next_state, name) for name in _COMPARED
    ):
        differs.append("state")
    return tuple(differs)


def _moved(state: AgentState, before: AgentState, after: AgentState) -> AgentState:
    """Return a state changed as the recorded one was, from `before` to `after`."""
    changes = {
        name: getattr(after, name)
        for name in _COMPARED
        if name != "history" and getattr(after, name) != getattr(before, name)
    }
    flags = {name: getattr(after, name) for name in FLAGS}
    added = after.history[len(before.history) :]
    return replace(state, history=(*state.history, *added), **changes, **flags)


def _trace(error: BaseException) -> str:
    """Return the traceback of an engine's error, from the engine on."""
    frames = error.__traceback__.tb_next if error.__traceback__ else None
    return "".join(
        traceback.format_exception(type(error), error, frames, limit=-_MOST_FRAMES)
    ).rstrip()
