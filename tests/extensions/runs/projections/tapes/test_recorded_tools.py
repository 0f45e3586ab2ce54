"""Calls of a recorded run, and how they answer others."""

from typing import Any, get_args

import pytest
from hypothesis import given

from agentlog.domain.json.values import object_of
from agentlog.extensions.runs.projections.tapes.recorded_tools import (
    CallNotRecorded,
    RecordedCall,
    RecordedTools,
    calls_of_events,
    calls_of_run,
)
from agentlog.projections.exchanges.requests import Api
from tests.extensions.runs.projections.recordings.test_recording import Run, echo
from tests.extensions.runs.projections.tapes.test_tape import ids_of, results, run_of
from tests.extensions.test_pairs import judged, pair_histories
from tests.histories import history
from tests.providers.agent import Agent
from tests.providers.script import Answer, Call

CALLS = [RecordedCall("look", {"at": at}, output) for at, output in [("a", 1), ("b", 2), ("a", 3)]]


def test_equal_calls_get_their_results_in_order_and_once() -> None:
    tools = RecordedTools(CALLS)
    outputs = [tools.answer("look", {"at": at}).output for at in ("b", "a", "a")]
    assert outputs == [2, 1, 3]
    with pytest.raises(CallNotRecorded):
        tools.answer("look", {"at": "a"})
    assert len(tools.missed) == 1


def test_only_expected_tools_are_unused() -> None:
    tools = RecordedTools([*CALLS, RecordedCall("other", {}, 4)])
    assert tools.unused == []
    tools.answer("look", {"at": "b"})
    assert tools.unused == [CALLS[0], CALLS[2]]


def test_results_are_paired_with_calls_whose_ids_come_again() -> None:
    drafts = [
        {"type": kind, key: [fields]}
        for n in (1, 2)
        for kind, key, fields in [
            ("tool_calls", "calls", {"id": "c", "name": "look", "args": {"n": n}}),
            ("tool_results", "results", {"callId": "c", "output": [{"type": "text", "text": "x"}]}),
        ]
    ]
    calls = calls_of_events(history(*drafts))
    assert calls == [RecordedCall("look", {"n": n}, "x") for n in (1, 2)]


@pytest.mark.parametrize("api", get_args(Api))
def test_a_fork_has_the_calls_of_what_it_went_on_from(api: Api) -> None:
    run, agent = Run(), Agent("", api)
    agent.say("do it")
    for number in (1, 2):
        whole = run.ask(agent, Answer(calls=[Call("shell", {"n": number})]))
        agent.items += echo(api, whole)
        agent.items += results(api, ids_of(api, whole), [f"did {number}"])
    run.ask(agent, Answer("done"))
    fork = run_of(run.exchanges[1:], origin=run_of(run.exchanges[:1]))
    assert calls_of_run(fork) == calls_of_run(run_of(run.exchanges))
    assert [call.output for call in calls_of_run(fork)] == ["did 1", "did 2"]


@given(drafts=pair_histories())
def test_results_are_of_the_calls_that_the_timeline_says(drafts: list[dict[str, Any]]) -> None:
    events = history(*drafts)
    calls = [(object_of(call.arguments)["n"], call.output) for call in calls_of_events(events)]
    pairs = [pair for pair in judged(events) if pair.kind == "call" and pair.end_version]
    answered = {ask[0] * 10 + ask[1]: end for _, ask, end, *_ in pairs if ask is not None}
    assert [number for number, _ in calls] == sorted(answered)
    assert {number: int(str(output).split("#")[1]) for number, output in calls} == answered
