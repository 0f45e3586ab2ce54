"""Engines beside the recorded steps: what is equal, what diverges, what breaks the contract."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.cognition import (
    AgentState,
    CognitiveEngine,
    Complete,
    EmitResponse,
    Exit,
    InputEvent,
    LimitExceeded,
    Message,
    Nothing,
    RuleEngine,
    Transition,
    UserMessage,
)
from agentlog.domain.events import Event
from agentlog.extensions.runs.projections.cognition.replay import Replayed, StateSource, replay
from agentlog.extensions.runs.projections.cognition.steps import Step, steps_of
from tests.extensions.runs.projections.cognition.engines import Scripted
from tests.extensions.runs.projections.cognition.runtime import moves, recorded
from tests.histories import histories, history

sources = st.sampled_from(["recorded", "carried"])

ASKED = history(
    {"type": "input", "text": "hi"},
    {"type": "reply", "text": "Hello."},
    {"type": "input", "text": "bye"},
    {"type": "reply", "text": "Good bye."},
)


def taken(events: list[Event]) -> list[Step]:
    return [step for step in steps_of(events) if not step.is_left_out]


@given(events=histories(), states=sources)
def test_an_engine_that_decides_what_is_recorded_never_diverges(
    events: list[Event], states: StateSource
) -> None:
    steps = taken(events)
    replayed = replay(lambda: Scripted(steps), steps_of(events), states=states)
    assert (replayed.first, replayed.failure) == (None, None)
    assert (replayed.equal, replayed.divergent) == (len(steps), 0)


@given(events=histories(), states=sources, data=st.data())
def test_an_engine_that_decides_otherwise_once_diverges_exactly_there(
    events: list[Event], states: StateSource, data: st.DataObject
) -> None:
    steps = taken(events)
    if not steps:
        return
    place = data.draw(st.integers(0, len(steps) - 1))
    flipped = EmitResponse("no text that is drawn")

    def flip(transition: Transition) -> Transition:
        return replace(transition, decision=flipped)

    replayed = replay(lambda: Scripted(steps, flip, place), steps_of(events), states=states)
    assert (replayed.equal, replayed.divergent) == (len(steps) - 1, 1)
    assert replayed.first is not None
    assert replayed.first.differs == ("decision",)
    step = steps[place]
    assert (replayed.first.place.version, replayed.first.place.result) == (
        step.version,
        step.result,
    )
    assert replayed.first.decided == {"type": "EmitResponse", "text": flipped.text}


@given(events=histories(), states=sources, data=st.data())
def test_another_next_state_diverges_unless_the_agent_ends(
    events: list[Event], states: StateSource, data: st.DataObject
) -> None:
    steps = taken(events)
    if not steps:
        return
    place = data.draw(st.integers(0, len(steps) - 1))

    def count(transition: Transition) -> Transition:
        return replace(transition, next_state=transition.next_state.with_delegation())

    replayed = replay(lambda: Scripted(steps, count, place), steps_of(events), states=states)
    ends = isinstance(steps[place].decision, Exit)
    assert replayed.divergent == (0 if ends else 1)
    assert ends or (replayed.first is not None and replayed.first.differs == ("state",))


@given(events=histories(), states=sources, data=st.data())
def test_a_replay_from_a_version_takes_the_steps_from_there(
    events: list[Event], states: StateSource, data: st.DataObject
) -> None:
    begin = data.draw(st.integers(0, len(events) + 1))
    steps = [step for step in taken(events) if step.version >= begin]
    replayed = replay(lambda: Scripted(steps), steps_of(events), begin=begin, states=states)
    assert (replayed.equal, replayed.divergent) == (len(steps), 0)


@given(script=moves, states=sources)
def test_a_run_of_the_rule_engine_is_replayed_by_it(script: list[Any], states: StateSource) -> None:
    replayed = replay(RuleEngine, steps_of(recorded(RuleEngine(), script)), states=states)
    assert (replayed.first, replayed.failure) == (None, None)


def test_a_recorded_state_makes_one_divergence_one_and_a_carried_state_goes_on() -> None:
    class Forgetful(_Engine):
        def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
            if input == UserMessage("hi"):
                return Transition(state.increment_step(), EmitResponse("Hello."))
            assert isinstance(input, UserMessage)
            message = Message("user", input.text)
            return Transition(
                state.increment_step().with_message(message), EmitResponse("Good bye.")
            )

    recorded_states = replay(Forgetful, steps_of(ASKED))
    assert (recorded_states.equal, recorded_states.divergent) == (1, 1)
    carried = replay(Forgetful, steps_of(ASKED), states="carried")
    assert (carried.equal, carried.divergent) == (0, 2)
    for replayed in (recorded_states, carried):
        assert replayed.first is not None
        assert replayed.first.place.version == 1
        assert replayed.first.differs == ("state",)
        assert replayed.first.recorded_state["history"] == [{"role": "user", "content": "hi"}]
        assert replayed.first.decided_state["history"] == []


def test_a_carried_state_gets_what_the_log_says_of_it_between_steps() -> None:
    events = history(
        {"type": "tick"},
        {"type": "system", "text": "Be kind."},
        {"type": "scratchpad", "text": "noted", "mode": "append"},
        {"type": "tick"},
    )
    given: list[AgentState] = []

    def keep(state: AgentState, tick: Any) -> Transition:
        del tick
        given.append(state)
        return Transition(state, Nothing())

    replayed = replay(lambda: _Engine(keep), steps_of(events), states="carried")
    assert (replayed.equal, replayed.divergent) == (2, 0)
    assert given[1].history == (Message("system", "Be kind."),)
    assert given[1].scratchpad == "noted"


def test_the_state_after_an_exit_does_not_count() -> None:
    events = history({"type": "input", "text": "hi"}, {"type": "exit", "reason": "complete"})

    def leave(state: AgentState, asked: Any) -> Transition:
        del asked
        return Transition(state, Exit(Complete()))

    assert replay(lambda: _Engine(leave), steps_of(events)).divergent == 0
    stays = replay(lambda: _Engine(leave), steps_of(ASKED)).first
    assert stays is not None
    assert stays.differs == ("decision", "state")


class _Engine:
    """Fails in one way; the other methods are never called."""

    def __init__(self, act: Callable[[AgentState, Any], Any] = lambda *_: None) -> None:
        self._act = act

    def step(self, state: AgentState, input: InputEvent | None) -> Transition:  # noqa: A002 - mylm's name
        made: Transition = self._act(state, input)
        return made

    def build_prompt(self, state: AgentState) -> str:
        raise NotImplementedError

    def requires_approval(self, tool: str, args: str) -> bool:
        raise NotImplementedError


def failed(act: Callable[[AgentState, Any], Any], events: list[Event] = ASKED) -> Replayed:
    replayed = replay(lambda: _Engine(act), steps_of(events))
    assert replayed.failure is not None
    return replayed


def _raises(error: BaseException) -> Callable[[AgentState, Any], Any]:
    def act(state: AgentState, given: Any) -> Any:
        del state, given
        raise error

    return act


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(3), RecursionError("deep")])
def test_any_other_error_ends_the_replay_with_its_traceback(error: BaseException) -> None:
    failure = failed(_raises(error)).failure
    assert failure is not None
    assert type(error).__name__ in failure.reason
    assert failure.place is not None
    assert (failure.place.version, failure.place.input) == (
        1,
        {"type": "UserMessage", "text": "hi"},
    )
    assert failure.traceback is not None
    assert "in act" in failure.traceback
    assert "replay.py" not in failure.traceback.replace("test_replay.py", "")


def test_an_error_of_the_contract_is_an_outcome() -> None:
    error = LimitExceeded(limit=1, current=2)
    replayed = replay(lambda: _Engine(_raises(error)), steps_of(ASKED))
    assert (replayed.divergent, replayed.failure) == (2, None)
    assert replayed.first is not None
    assert replayed.first.decided == {"type": "LimitExceeded", "message": str(error)}


def test_an_error_of_the_contract_is_as_recorded_where_the_runtime_reports_it() -> None:
    error = LimitExceeded(limit=1, current=2)
    events = history({"type": "tick"}, {"type": "runtime_error", "error": f"engine: {error}"})
    replayed = replay(lambda: _Engine(_raises(error)), steps_of(events))
    assert (replayed.equal, replayed.divergent) == (1, 1)


def _writes_history(state: AgentState, given: Any) -> Transition:
    object.__setattr__(state.history[0], "content", given.text)
    return Transition(state, EmitResponse(""))


def _writes_state(state: AgentState, given: Any) -> Transition:
    del given
    state.__dict__["step_count"] += 1
    return Transition(state, EmitResponse(""))


def _writes_arguments(state: AgentState, given: Any) -> Transition:
    given.structured["arguments"]["q"] = "changed"
    return Transition(state, EmitResponse(""))


SEARCH = {"type": "tool_calls", "calls": [{"id": "a", "name": "search", "args": {"q": "x"}}]}


@pytest.mark.parametrize(
    ("act", "events", "changed"),
    [
        (
            _writes_history,
            history({"type": "system", "text": "be"}, *[{"type": "input", "text": "hi"}]),
            "state",
        ),
        (_writes_state, ASKED, "state"),
        (_writes_arguments, history({**SEARCH, "metadata": {"responseId": "r"}}), "input"),
    ],
)
def test_an_engine_that_changes_what_it_is_given_is_named(
    act: Callable[[AgentState, Any], Any], events: list[Event], changed: str
) -> None:
    failure = failed(act, events).failure
    assert failure is not None
    assert failure.reason == f"the engine changed the {changed} that it was given"


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        (None, "a NoneType, no Transition"),
        (Transition(AgentState.new(), "reply"), "a str is no decision"),
        (Transition({}, EmitResponse("")), "a dict, no AgentState"),
        (Transition(AgentState(history=("hi",)), EmitResponse("")), "no tuple of messages"),
        (Transition(AgentState.new(), EmitResponse(object())), "no JSON"),
        (Transition(AgentState.new(), EmitResponse("\ud800")), "no JSON"),
    ],
)
def test_what_is_no_transition_is_named(returned: Any, reason: str) -> None:
    failure = failed(lambda *_: returned).failure
    assert failure is not None
    assert reason in failure.reason


def test_what_makes_no_engine_is_named() -> None:
    def broken() -> CognitiveEngine:
        raise OSError("no file")

    failure = replay(broken, steps_of(ASKED)).failure
    assert failure is not None
    assert (failure.reason, failure.place) == ("the engine cannot be made: OSError", None)
    other: Any = object
    failure = replay(other, steps_of(ASKED)).failure
    assert failure is not None
    assert failure.reason == "a object is no engine: it has no method step"
