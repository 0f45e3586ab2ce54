"""The calls of a run's tools, answered from the record or refused, and hazards among them."""

from dataclasses import replace
from typing import Any

import pytest

from agentlog.domain.json.text import print_bytes
from agentlog.extensions.runs.projections.mcp_exchange import McpExchange, mcp_payload
from agentlog.extensions.runs.projections.tapes.cassette import (
    RecordedRun,
    cassette_lines,
    read_cassette,
)
from agentlog.extensions.runs.projections.tapes.hazards import hazards
from agentlog.extensions.runs.projections.tapes.recorded_tools import CallNotRecorded, RecordedCall
from agentlog.extensions.runs.projections.tapes.tool_tape import CallRefused, ToolTape
from tests.extensions.runs.projections.recordings.test_recording import Run
from tests.extensions.runs.projections.tapes.test_tape import run_of
from tests.providers.agent import Agent
from tests.providers.script import Answer, Call

LISBON, PORTO = {"city": "Lisbon"}, {"city": "Porto"}


def exchange(
    method: str, params: Any, result: Any, *, at: int = 1, server: str = "travel"
) -> McpExchange:
    begun = McpExchange(f"{at}", server, method, params, at, "client_left", 1.0)
    return begun if result is None else replace(begun, end="complete", answer={"result": result})


def call(name: str, arguments: Any, result: Any, **more: Any) -> McpExchange:
    return exchange("tools/call", {"name": name, "arguments": arguments}, result, **more)


def run_with(*exchanges: McpExchange, **more: Any) -> RecordedRun:
    payloads = [mcp_payload(exchange, "run") for exchange in exchanges]
    return run_of(more.pop("models", ()), mcp_payloads=payloads, **more)


def answer(tape: ToolTape, name: str, arguments: Any, *, server: str = "travel") -> Any:
    params = {"name": name, "arguments": arguments, "_meta": {"progressToken": 7}}
    return tape.answer_mcp(server, "tools/call", params)["result"]


def test_equal_calls_of_a_server_get_their_results_in_the_order_they_were_made() -> None:
    exchanges = [call("look", LISBON, {"n": n}, at=n) for n in (3, 1, 2)]
    other = call("look", LISBON, {"n": 9}, server="other")
    tape = ToolTape.of_run(run_with(*exchanges, other), "recorded")
    assert [answer(tape, "look", LISBON)["n"] for _ in range(3)] == [1, 2, 3]
    assert [server for server, _ in tape.unused] == ["other"]
    assert answer(tape, "look", LISBON, server="other") == {"n": 9}
    assert (tape.answered, [*tape.unused], [*tape.missed]) == (4, [], [])
    assert answer(tape, "look", LISBON)["isError"]
    assert (tape.answered, tape.is_equal) == (4, False)


def test_other_requests_are_answered_in_order_and_the_last_again() -> None:
    lists = [exchange("tools/list", {"_meta": {"n": n}}, {"n": n}, at=n) for n in (1, 2)]
    hello = exchange("initialize", {"clientInfo": {"version": "1"}}, {"server": "x"})
    tape = ToolTape.of_run(run_with(hello, *lists), "recorded")
    newer = {"clientInfo": {"version": "2"}}
    assert tape.answer_mcp("travel", "initialize", newer) == {"result": {"server": "x"}}
    numbers = [tape.answer_mcp("travel", "tools/list", None)["result"] for _ in range(3)]
    assert numbers == [{"n": 1}, {"n": 2}, {"n": 2}]
    assert tape.is_equal


def test_a_server_that_was_not_recorded_diverges() -> None:
    tape = ToolTape.of_run(run_with(), "recorded")
    error: Any = tape.answer_mcp("travel", "initialize", {})["error"]
    assert error["message"] == "agentlog replay: not recorded of the server 'travel': initialize"
    assert not tape.is_equal


def test_a_call_that_had_no_answer_need_not_be_made() -> None:
    tape = ToolTape.of_run(run_with(call("look", LISBON, None)), "recorded")
    assert tape.is_equal


def test_a_fork_need_not_make_the_recorded_calls() -> None:
    run = run_with(call("look", LISBON, {}))
    assert ToolTape.of_run(run, "recorded", is_whole=False).is_equal


def test_all_calls_are_refused_by_their_names() -> None:
    tape = ToolTape("refuse", [RecordedCall("look", LISBON, 1)], [call("look", LISBON, {})])
    text = answer(tape, "look", PORTO)["content"][0]["text"]
    assert text == 'agentlog replay: tools are refused in this replay: look {"city":"Porto"}'
    with pytest.raises(CallRefused):
        tape.answer("look", LISBON)
    assert (tape.refused, tape.answered, tape.is_equal) == (2, 0, True)


def test_the_nearest_call_is_the_one_with_the_most_equal_arguments() -> None:
    calls = [
        RecordedCall("book", {**PORTO, "n": 1}, 0),
        RecordedCall("book", {**LISBON, "n": 2}, 0),
    ]
    with pytest.raises(CallNotRecorded) as caught:
        ToolTape("recorded", calls).answer("book", {**LISBON, "n": 3})
    assert str(caught.value) == (
        'not recorded, or used up: book {"city":"Lisbon","n":3}; the nearest that is recorded and '
        'unused: book {"city":"Lisbon","n":2}: n is 2 there, 3 here'
    )


def test_a_cassette_has_what_passed_with_servers() -> None:
    origin = run_with(call("look", PORTO, {}))
    run = run_with(call("look", LISBON, {"n": 1}), origin=origin)
    assert read_cassette(print_bytes(line) for line in cassette_lines(run)) == run


def asked(*calls: Call) -> list[Any]:
    """Return the exchanges of a model that asks for calls."""
    run, agent = Run(), Agent("", "chat")
    agent.items.append({"role": "user", "content": "go"})
    run.ask(agent, Answer(calls=calls))
    return run.exchanges


def test_hazards_are_calls_that_run_again_and_do_not_only_read() -> None:
    tools = [
        {"name": "forecast", "annotations": {"readOnlyHint": True}},
        {"name": "book", "annotations": {"readOnlyHint": False}},
    ]
    models = asked(
        Call("bash", {"command": "ls"}),
        Call("Read", {"path": "a"}),
        Call("mcp__travel__forecast", LISBON),
        Call("travel_book", LISBON),
        Call("rebook", LISBON),
    )
    run = run_with(
        exchange("tools/list", {}, {"tools": tools}),
        call("forecast", LISBON, {}),
        call("book", LISBON, {}),
        call("book", PORTO, {}),
        models=models,
    )
    mine = {"bash": 1, "rebook": 1}
    assert hazards(run) == {**mine, "travel_book": 1, "book": 1}
    assert hazards(run, "recorded") == hazards(run, "refuse") == mine


def test_a_tool_that_was_not_listed_is_a_hazard() -> None:
    run = run_with(call("forecast", LISBON, {}), models=asked(Call("forecast", LISBON)))
    assert hazards(run) == {"forecast": 1}
    assert hazards(run, "recorded") == {}
