"""Requests that are not on a tape, answered by their place in their conversation."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any, get_args

import pytest

from agentlog.extensions.runs.projections.tapes.tape import Answered, Tape
from agentlog.projections.exchanges.requests import SHAPES, Api
from tests.extensions.runs.projections.recordings.test_recording import Run
from tests.extensions.runs.projections.tapes.test_tape import asked, recorded, run_of
from tests.providers.agent import Agent
from tests.providers.script import Answer

Change = Callable[[Api, dict[str, Any]], dict[str, Any]]


def told(api: Api) -> tuple[Run, list[dict[str, Any]]]:
    """Return a run of three requests, and their bodies."""
    run, agent, bodies = Run(), Agent("", api), []
    agent.say("do it")
    for n in range(3):
        bodies.append(deepcopy(agent.body()))
        run.ask(agent, Answer(f"answer {n}"))
        agent.say(f"and then {n}")
    return run, bodies


def bold(_: Api, body: dict[str, Any]) -> dict[str, Any]:
    return _replaced(body, "Be careful.", "Be bold.")  # type: ignore[no-any-return] # an object's


def other_tool(_: Api, body: dict[str, Any]) -> dict[str, Any]:
    return _replaced(body, "Runs a command. " * 40, "Runs it.")  # type: ignore[no-any-return]


def compacted(api: Api, body: dict[str, Any]) -> dict[str, Any]:
    key = SHAPES[api].items
    agent = Agent("", api)
    agent.say("this is what was said so far")
    system = body[key][:1] if api == "chat" else []
    return {**body, key: [*system, *agent.items, body[key][-1]]}


def _replaced(value: Any, old: str, new: str) -> Any:
    match value:
        case dict():
            return {key: _replaced(inner, old, new) for key, inner in value.items()}
        case list():
            return [_replaced(inner, old, new) for inner in value]
        case _:
            return new if value == old else value


def answers(tape: Tape, api: Api, bodies: list[dict[str, Any]]) -> list[str | None]:
    agent = Agent("", api)
    matches = [tape.answer(asked(agent, body), {}) for body in bodies]
    return [answer.by if isinstance(answer, Answered) else None for answer in matches]


@pytest.mark.parametrize("api", get_args(Api))
@pytest.mark.parametrize("change", [bold, other_tool])
def test_a_changed_prompt_or_tool_goes_on_in_place(api: Api, change: Change) -> None:
    run, bodies = told(api)
    changed = [change(api, body) for body in bodies]
    assert answers(Tape(run_of(run.exchanges)), api, changed) == [None, None, None]
    tape = Tape(run_of(run.exchanges), by_place=True)
    for n, body in enumerate(changed):
        answer = tape.answer(asked(Agent("", api), body), {})
        assert isinstance(answer, Answered)
        assert f"answer {n}" in answer.exchange.response.decode()
    report = tape.finish()
    assert not any(report.rungs.values())
    assert (report.placed, report.unmatched, report.unused) == (3, [], [])
    assert not report.is_equal  # it is not as recorded, though all of it was answered
    differences = [answer.difference for answer in report.answers if answer.difference is not None]
    assert [difference.attempt for difference in differences] == [1, 2, 3]
    known = {"tools[0]"} if change is other_tool else {"items[0]", "prompt", "prompt[0]"}
    assert {difference.place for difference in differences} <= known


@pytest.mark.parametrize("api", get_args(Api))
def test_a_compaction_goes_on_in_place_and_what_follows_exactly(api: Api) -> None:
    run, bodies = told(api)
    tape = Tape(run_of(run.exchanges), by_place=True)
    sent = [bodies[0], compacted(api, bodies[1]), bodies[2]]
    assert answers(tape, api, sent) == ["exact", "place", "exact"]


def test_results_are_the_same_last_input_though_calls_before_them_are_gone() -> None:
    run, agent = Run(), Agent("", "chat")
    agent.items = [
        {"role": "user", "content": "do it"},
        *(message for n in range(2) for message in _call_and_result(n)),
    ]
    run.ask(agent, Answer("done"))
    agent.items = [agent.items[0], *_call_and_result(1)]
    tape = Tape(run_of(run.exchanges), by_place=True)
    assert answers(tape, "chat", [agent.body()]) == ["place"]


def _call_and_result(n: int) -> list[dict[str, Any]]:
    function = {"name": "shell", "arguments": "{}"}
    call = {"id": f"call_{n}", "type": "function", "function": function}
    return [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{n}", "content": f"result {n}"},
    ]


@pytest.mark.parametrize("api", get_args(Api))
def test_another_input_model_or_parameter_has_no_place(api: Api) -> None:
    run, bodies = told(api)
    tape = Tape(run_of(run.exchanges), by_place=True)
    body = bold(api, bodies[0])
    others = [_replaced(body, "do it", "do that"), {**body, "temperature": 0.5}, bodies[2]]
    assert answers(tape, api, [others[0], others[1]]) == [None, None]
    # one that a later place would answer is not next in line, and what is next is not skipped
    assert answers(tape, api, [bold(api, bodies[1])]) == [None]
    assert answers(tape, api, [others[2], bold(api, bodies[1])]) == ["exact", None]


@pytest.mark.parametrize("overlap", [True, False])
def test_conversations_that_ask_in_parallel_have_no_places(*, overlap: bool) -> None:
    run, bodies = told("chat")
    took = 1500.0 if overlap else 1000.5
    exchanges = [replace(exchange, duration_ms=took) for exchange in run.exchanges]
    tape = Tape(run_of(exchanges), by_place=True)
    rungs = answers(tape, "chat", [bold("chat", bodies[0])])
    assert rungs == [None if overlap else "place"]


def test_a_call_for_a_title_and_a_sub_agent_have_places_of_their_own() -> None:
    run, agent = recorded("chat", "first")
    sub = Agent("", "chat")
    sub.say("look it up")
    run.ask(sub, Answer("looked"), sub_agent="a1")
    title = {key: value for key, value in agent.body().items() if key != "tools"}
    run.ask(agent, Answer("a title"), body=title)
    tape = Tape(run_of(run.exchanges), by_place=True)
    assert answers(tape, "chat", [bold("chat", title)]) == ["place"]
    again = replace(asked(sub, bold("chat", sub.body())), agent="b2")
    answer = tape.answer(again, {})
    assert isinstance(answer, Answered)
    assert (answer.by, "looked" in answer.exchange.response.decode()) == ("place", True)
