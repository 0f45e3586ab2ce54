"""Recorded answers found for the requests of another run."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, get_args

import pytest

from agentlog.extensions.runs.projections.tapes.cassette import RecordedRun
from agentlog.extensions.runs.projections.tapes.tape import Answered, Difference, Tape
from agentlog.projections.exchanges.exchange import Exchange, payload_of
from agentlog.projections.exchanges.requests import Api
from tests.extensions.runs.projections.recordings.test_recording import Run, echo
from tests.providers.agent import Agent
from tests.providers.script import Answer, Call

HERE, THERE = {"cwd": "/home/a/one", "user": "ann"}, {"cwd": "/srv/b2", "user": "bob"}


def run_of(
    exchanges: Sequence[Exchange], values: dict[str, str] | None = None, **more: Any
) -> RecordedRun:
    """Return a recorded run, as the log has it."""
    payloads = [payload_of(exchange, "run") for exchange in exchanges]
    return RecordedRun("run", payloads, values or {}, **more)


def tape_of(exchanges: Sequence[Exchange], values: dict[str, str] | None = None) -> Tape:
    return Tape(run_of(exchanges, values))


def asked(agent: Agent, body: Any = None) -> Exchange:
    """Return the next request of an agent, without an answer."""
    run = Run()
    run.ask(agent, None, body=body)
    return run.exchanges[0]


def answered(tape: Tape, agent: Agent, body: Any = None) -> str:
    """Return the text that a tape answers, or how the request differs."""
    answer = tape.answer(asked(agent, body), THERE)
    return answer.exchange.response.decode() if isinstance(answer, Answered) else str(answer)


def recorded(api: Api, *texts: str) -> tuple[Run, Agent]:
    """Return a run of one agent with these answers."""
    run, agent = Run(), Agent("", api)
    agent.say("in /home/a/one on 2026-11-25: do it")
    for text in texts:
        whole = run.ask(agent, Answer(text, [Call("shell", {"n": 1}), Call("shell", {"n": 2})]))
        agent.items += echo(api, whole)
    return run, agent


def test_of_a_run_whose_machine_is_not_known_no_texts_of_one_are_replaced() -> None:
    run, agent = Run(), Agent("", "chat")
    agent.say(f"look into {THERE['cwd']}, on 2026-11-25")
    run.ask(agent, Answer("yes"))
    agent.items.clear()
    agent.say(f"look into {THERE['cwd']}, on 2026-11-26")
    tape = tape_of(run.exchanges)
    assert "yes" in answered(tape, agent)
    assert tape.report.rungs["normalised"] == 1


def results(api: Api, ids: list[str], outputs: list[str]) -> list[Any]:
    """Return the results of calls, in this order, as the API has them."""
    pairs = list(zip(ids, outputs, strict=True))
    if api == "chat":
        return [{"role": "tool", "tool_call_id": i, "content": out} for i, out in pairs]
    if api == "responses":
        return [{"type": "function_call_output", "call_id": i, "output": out} for i, out in pairs]
    if api == "gemini":
        own = [{"id": i, "name": "shell", "response": {"output": out}} for i, out in pairs]
        return [{"role": "user", "parts": [{"functionResponse": result} for result in own]}]
    blocks = [{"type": "tool_result", "tool_use_id": i, "content": out} for i, out in pairs]
    return [{"role": "user", "content": blocks}]


def ids_of(api: Api, whole: Any) -> list[str]:
    """Return the ids of the calls of an answer."""
    if api == "chat":
        return [call["id"] for call in whole["choices"][0]["message"]["tool_calls"]]
    if api == "responses":
        return [item["call_id"] for item in whole["output"] if item["type"] == "function_call"]
    if api == "gemini":
        parts = echo(api, whole)[0]["parts"]
        return [part["functionCall"]["id"] for part in parts if "functionCall" in part]
    return [block["id"] for block in whole["content"] if block["type"] == "tool_use"]


@pytest.mark.parametrize("api", get_args(Api))
def test_the_same_run_is_answered_exactly(api: Api) -> None:
    run, agent = recorded(api, "first", "second")
    tape = tape_of(run.exchanges, HERE)
    for exchange in run.exchanges:
        answer = tape.answer(exchange, HERE)
        assert isinstance(answer, Answered)
        assert answer.by == "exact"
        assert answer.exchange.response == exchange.response
    report = tape.finish()
    assert [answer.difference for answer in report.answers] == [None, None]
    assert report.rungs == {"exact": 2, "normalised": 0, "outputs": 0}
    assert report.is_equal
    assert agent.items


@pytest.mark.parametrize("api", get_args(Api))
def test_results_in_another_order_and_other_ids_are_the_same_request(api: Api) -> None:
    def turn(rename: Callable[[str], str], order: list[int]) -> Exchange:
        run, agent = Run(), Agent("", api)
        agent.say("do it")
        whole = run.ask(agent, Answer(calls=[Call("shell", {"n": 1}), Call("shell", {"n": 2})]))
        text = json.dumps(echo(api, whole))
        ids = ids_of(api, whole)
        for call_id in ids:
            text = text.replace(f'"{call_id}"', f'"{rename(call_id)}"')
        agent.items += json.loads(text)
        outputs = ["one", "two"]
        agent.items += results(api, [rename(ids[n]) for n in order], [outputs[n] for n in order])
        return asked(agent)

    tape = tape_of([turn(str, [0, 1])])
    assert isinstance(tape.answer(turn(lambda call: f"other-{call}", [1, 0]), {}), Answered)
    assert tape.report.rungs["exact"] == 1


@pytest.mark.parametrize("api", get_args(Api))
def test_another_folder_user_and_day_are_normalised(api: Api) -> None:
    run, _ = recorded(api, "first")
    agent = Agent("", api)
    agent.say("in /srv/b2 on 2026-11-26: do it")
    tape = tape_of(run.exchanges, HERE)
    assert "first" in answered(tape, agent)
    assert tape.report.rungs["normalised"] == 1
    difference = tape.report.answers[0].difference
    assert difference is not None
    assert difference.place == f"items[{int(api == 'chat')}]"
    assert "in /home/a/one on 2026-11-25: do it" in difference.recorded
    assert "in /srv/b2 on 2026-11-26: do it" in difference.asked


def test_a_day_in_words_is_normalised() -> None:
    run, agent = Run(), Agent("", "gemini")
    agent.say("Today's date is Wednesday, November 25, 2026 (formatted …)")
    run.ask(agent, Answer("first"))
    other = Agent("", "gemini")
    other.say("Today's date is Thursday, November 26, 2026 (formatted …)")
    tape = tape_of(run.exchanges)
    assert "first" in answered(tape, other)
    assert tape.report.rungs["normalised"] == 1


def test_a_function_of_gemini_that_changed_is_named() -> None:
    run, agent = recorded("gemini", "first")
    body = {**agent.body(), "contents": agent.items[:1]}
    declared = {**body["tools"][0]["functionDeclarations"][0], "name": "a-tool"}
    more = [{"functionDeclarations": [*body["tools"][0]["functionDeclarations"], declared]}]
    difference = tape_of(run.exchanges).answer(asked(agent, {**body, "tools": more}), HERE)
    assert isinstance(difference, Difference)
    assert difference.place == "tools[0]"


def test_whole_and_streamed_answers_are_not_taken_for_each_other() -> None:
    run, _ = recorded("gemini", "first")
    agent = Agent("", "gemini", stream=True)
    agent.say("in /home/a/one on 2026-11-25: do it")
    difference = tape_of(run.exchanges, HERE).answer(asked(agent), HERE)
    assert isinstance(difference, Difference)
    assert difference.place == "stream"


def test_folders_are_the_same_as_claude_code_names_its_own_after_them() -> None:
    run, agent = Run(), Agent("", "messages")
    agent.say("notes are in projects/-home-a-my-work-v1-2")
    run.ask(agent, Answer("first"))
    tape = tape_of(run.exchanges, {"cwd": "/home/a/my_work v1.2"})
    agent.items[0]["content"] = "notes are in projects/-srv-b2"
    assert "first" in answered(tape, agent)


def test_what_claude_code_says_of_a_sub_agent_is_the_same_but_for_its_id_and_time() -> None:
    def output(agent_id: str, ms: int) -> str:
        return (
            f"agentId: {agent_id} (use SendMessage with to: '{agent_id}', summary: '…')\n"
            f"<usage>subagent_tokens: 15\nduration_ms: {ms}</usage>"
        )

    run, agent = Run(), Agent("", "messages")
    agent.items = results("messages", ["call"], [output("a0ee4409081d056d4", 327)])
    run.ask(agent, Answer("first"))
    agent.items = results("messages", ["call"], [output("a5d1d43e964025bf2", 700)])
    tape = tape_of(run.exchanges, {})
    assert "first" in answered(tape, agent)
    assert tape.report.rungs == {"exact": 0, "normalised": 1, "outputs": 0}


@pytest.mark.parametrize("api", get_args(Api))
def test_a_tool_that_says_something_else_is_named_so(api: Api) -> None:
    run, agent = Run(), Agent("", api)
    agent.say("do it")
    whole = run.ask(agent, Answer(calls=[Call("shell", {"n": 1})]))
    before = [*agent.items, *echo(api, whole)]
    ids = ids_of(api, whole)
    agent.items = [*before, *results(api, ids, ["it is 10:01"])]
    run.ask(agent, Answer("done"))
    agent.items = [*before, *results(api, ids, ["it is 10:02"])]
    tape = tape_of(run.exchanges)
    assert "done" in answered(tape, agent)
    assert tape.report.rungs["outputs"] == 1
    (answer,) = tape.report.answers
    assert (answer.request, answer.by, answer.run, answer.attempt) == (1, "outputs", "run", 2)
    assert answer.difference is not None
    assert "it is 10:01" in answer.difference.recorded
    assert "it is 10:02" in answer.difference.asked


def test_equal_requests_get_their_answers_in_the_recorded_order() -> None:
    run, agent = Run(), Agent("", "chat")
    agent.say("again")
    for text in ("first", "second", "third"):
        run.ask(agent, Answer(text))
    tape = tape_of(run.exchanges)
    for text in ("first", "second", "third"):
        assert text in answered(tape, agent)
    assert tape.answer(asked(agent), {}) is None


def test_requests_of_one_template_each_get_their_own_answer() -> None:
    run, agents = Run(), []
    for n in range(30):
        agent = Agent("", "chat")
        agent.items.append(
            {"role": "user", "content": f"Sum up document {n} of 2026-01-{n + 1:02}"}
        )
        run.ask(agent, Answer(f"about {n}."))
        agents.append(agent)
    tape = tape_of(run.exchanges)
    for n in reversed(range(30)):
        assert f"about {n}." in answered(tape, agents[n])
    assert tape.finish().rungs["exact"] == 30


def test_what_differs_is_named() -> None:
    run, _ = recorded("chat", "first")
    agent = Agent("", "chat")
    agent.say("in /home/a/one on 2026-11-25: do it")
    tape = tape_of(run.exchanges, HERE)
    body = agent.body()
    places = {
        "model": {**body, "model": "model-2"},
        "tools[0]": {**body, "tools": [{**body["tools"][0], "extra": 1}]},
        "items[1]": {**body, "messages": [body["messages"][0], {"role": "user", "content": "no"}]},
        "temperature": {**body, "temperature": 1},
    }
    for place, changed in places.items():
        difference = tape.answer(asked(agent, changed), HERE)
        assert isinstance(difference, Difference)
        assert (difference.place, difference.attempt) == (place, 1)
    report = tape.finish()
    assert not report.is_equal
    assert len(report.unmatched) == 4
    assert [exchange.attempt for exchange in report.unused] == [1]


def test_requests_that_ask_no_model_are_answered_as_often_as_they_come() -> None:
    probe = Exchange(1, "HEAD", "/", b"", "complete", 5, status=200)
    tape = tape_of([probe])
    for _ in range(3):
        assert tape.answer(probe, {}) == Answered(replace(probe, chunks=[]), "other")
    assert tape.finish().is_equal
    assert tape.report.others == 3
