"""Runs of many clients at once, recorded by the proxy and answered by the replayer."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from google import genai
from google.genai.errors import ClientError
from google.genai.types import HttpOptions

from agentlog.extensions.runs.api.gateway.replayer import replaying
from agentlog.extensions.runs.projections.tapes.tape import Tape
from agentlog.extensions.runs.projections.tapes.tool_tape import ToolTape
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.requests import Api
from tests.extensions.runs.api.gateway.test_proxy import gateway
from tests.extensions.runs.projections.tapes.test_tape import tape_of
from tests.providers.agent import NO_TLS, Agent
from tests.providers.script import Answer, Call, InOrder, Script, ShellCalls, Turn
from tests.providers.server import Fault, ScriptedProvider

HERE, THERE = {"cwd": "/home/ann/one"}, {"cwd": "/srv/two"}


def recorded(
    folder: Path, script: Script, run: Callable[[str], object], *, fault: Fault | None = None
) -> list[Exchange]:
    """Return the exchanges of clients that run at the proxy's URL."""
    with (
        ScriptedProvider(script) as provider,
        gateway(folder / "spool", provider.url) as proxy,
    ):
        provider.fail(fault)
        run(proxy.url)
        return proxy.recorded(len(provider.requests))


@contextmanager
def tape_at(exchanges: Sequence[Exchange]) -> Iterator[tuple[Tape, str]]:
    tape = tape_of(exchanges, HERE)
    with replaying(tape, ToolTape("live"), THERE, names={"p"}) as replay:
        yield tape, f"{replay.url}/p"


def ask(url: str, text: str, **more: Any) -> httpx2.Response:
    body = {"model": "m", "messages": [{"role": "user", "content": text}], **more}
    return httpx2.post(f"{url}/v1/messages", json=body, timeout=60, verify=NO_TLS)


def text_of(response: httpx2.Response) -> str:
    text: str = response.raise_for_status().json()["content"][0]["text"]
    return text


def echo(turn: Turn) -> Answer:
    return Answer(f"about {turn.body['messages'][0]['content']}")


def test_requests_of_one_template_at_once_each_get_their_own_answer(tmp_path: Path) -> None:
    texts = [f"Sum up document {n} of 2026-01-{n + 1:02} in three lines." for n in range(30)]

    def run(url: str) -> list[str]:
        drawn = random.sample(texts, len(texts))
        with ThreadPoolExecutor(30) as pool:
            answers = [text_of(response) for response in pool.map(ask, [url] * 30, drawn)]
        assert answers == [f"about {text}" for text in drawn]
        return answers

    with tape_at(recorded(tmp_path, echo, run)) as (tape, url):
        run(url)
    assert tape.finish().is_equal
    assert tape.report.rungs == {"exact": 30, "normalised": 0, "outputs": 0}


def test_the_same_request_gets_its_answers_in_the_recorded_order(tmp_path: Path) -> None:
    script = InOrder([Answer("pending"), Answer("pending"), Answer("done")])

    def run(url: str) -> list[str]:
        return [text_of(ask(url, "is it done?")) for _ in range(3)]

    with tape_at(recorded(tmp_path, script, run)) as (tape, url):
        assert run(url) == ["pending", "pending", "done"]
        assert ask(url, "is it done?").status_code == 400
    assert len(tape.report.unmatched) == 1


def test_sub_agents_at_once_are_replayed_twenty_times(tmp_path: Path) -> None:
    def script(turn: Turn) -> Answer:
        task = turn.body["messages"][0]["content"]
        if turn.results < 2:
            return Answer(calls=[Call("shell", {"command": f"{task} {turn.results}"})])
        return Answer(f"{task} is done")

    def sub_agent(url: str, number: int) -> str:
        names = {"x-claude-code-session-id": "s", "x-claude-code-agent-id": f"agent-{number}"}
        return Agent(url, "messages", stream=True, headers=names).run(f"task {number % 2}")

    def run(url: str) -> list[str]:
        with ThreadPoolExecutor(4) as pool:  # two of each task
            return list(pool.map(sub_agent, [url] * 4, range(4)))

    exchanges = recorded(tmp_path, script, run)
    assert Counter(exchange.agent for exchange in exchanges) == {f"agent-{n}": 3 for n in range(4)}
    for _ in range(20):
        with tape_at(exchanges) as (tape, url):
            assert run(url) == ["task 0 is done", "task 1 is done"] * 2
        assert tape.finish().is_equal
        assert tape.report.rungs == {"exact": 12, "normalised": 0, "outputs": 0}


@pytest.mark.parametrize(
    ("first", "second", "rung"),
    [
        ("It is 2026-11-25 in /home/ann/one", "It is 2026-11-26 in /srv/two", "normalised"),
        ("It is a Tuesday", "It is a Wednesday", None),
    ],
)
def test_a_day_later_only_what_is_written_as_a_date_is_the_same(
    tmp_path: Path, first: str, second: str, rung: str | None
) -> None:
    exchanges = recorded(tmp_path, echo, lambda url: ask(url, first))
    with tape_at(exchanges) as (tape, url):
        answer = ask(url, second)
    assert answer.status_code == (400 if rung is None else 200)
    rungs = {"exact": 0, "normalised": 0, "outputs": 0}
    assert tape.report.rungs == rungs | ({} if rung is None else {rung: 1})


def test_a_changed_tool_is_named_where_it_is_refused(tmp_path: Path) -> None:
    def run(url: str, kind: str = "string") -> httpx2.Response:
        schema = {"type": "object", "properties": {"command": {"type": kind}}}
        return ask(url, "do it", tools=[{"name": "shell", "input_schema": schema}])

    with tape_at(recorded(tmp_path, echo, run)) as (_, url):
        answer = run(url, "integer")
    assert answer.status_code == 400
    assert answer.headers["x-should-retry"] == "false"
    message = answer.json()["error"]["message"]
    assert "tools[0] differs from that of exchange 1" in message
    assert '"type":"string"' in message
    assert '"type":"integer"' in message


def test_a_stream_breaks_again_where_it_broke(tmp_path: Path) -> None:
    def run(url: str) -> bytes:
        body = {"model": "m", "messages": [{"role": "user", "content": "go"}], "stream": True}
        came = b""
        try:
            with httpx2.stream("POST", f"{url}/v1/messages", json=body, timeout=60) as response:
                for chunk in response.iter_raw():
                    came += chunk
        except httpx2.RemoteProtocolError:
            return came
        pytest.fail("it ended in order")

    exchanges = recorded(tmp_path, echo, run, fault=Fault("cut", 4))
    with tape_at(exchanges) as (_, url):
        assert run(url) == exchanges[0].response
    assert exchanges[0].response.count(b"\n\n") == 4


@pytest.mark.parametrize("query", ["?alt=sse", ""])
def test_a_stream_of_gemini_breaks_again_where_it_broke(tmp_path: Path, query: str) -> None:
    def run(url: str) -> bytes:
        body = {"contents": [{"parts": [{"text": "a task of some words"}]}]}
        path, came = f"/v1beta/models/m:streamGenerateContent{query}", b""
        try:
            with httpx2.stream("POST", url + path, json=body, timeout=60) as response:
                for chunk in response.iter_raw():
                    came += chunk
        except httpx2.RemoteProtocolError:
            return came
        pytest.fail("it ended in order")

    exchanges = recorded(tmp_path, ShellCalls(), run, fault=Fault("cut", 3))
    with tape_at(exchanges) as (_, url):
        assert run(url) == exchanges[0].response
    answer: Any = exchanges[0].answer
    assert answer["candidates"][0]["content"]["parts"] == [{"text": "Done after 0 "}]


def test_google_s_client_is_refused_once_and_told_why(tmp_path: Path) -> None:
    def run(url: str, text: str) -> str | None:
        options = HttpOptions(base_url=url)
        with genai.Client(api_key="none", http_options=options) as client:
            return client.models.generate_content(model="m", contents=text).text

    script = InOrder([Answer("first")])
    with tape_at(recorded(tmp_path, script, lambda url: run(url, "this"))) as (tape, url):
        with pytest.raises(
            ClientError, match=r"items\[0\] differs from that of exchange 1"
        ) as refused:
            run(url, "that")
        assert run(url, "this") == "first"
    assert refused.value.code == 400
    assert len(tape.report.unmatched) == 1


def test_what_a_client_did_not_wait_for_is_not_on_the_tape(tmp_path: Path) -> None:
    def run(url: str) -> None:
        body = {"model": "m", "messages": [{"role": "user", "content": "go"}], "stream": True}
        with httpx2.stream("POST", f"{url}/v1/messages", json=body, timeout=60) as response:
            next(response.iter_raw())
        assert "about go" in text_of(ask(url, "go"))

    exchanges = recorded(tmp_path, echo, run, fault=Fault("stall", 3, only=1))
    assert {exchange.end for exchange in exchanges} == {"client_left", "complete"}
    with tape_at(exchanges) as (tape, url):
        assert text_of(ask(url, "go")) == "about go"
    assert tape.finish().is_equal


@pytest.mark.parametrize(
    ("api", "last"),
    [
        ("chat", b"[DONE]"),
        ("responses", b"response.completed"),
        ("messages", b"message_stop"),
        ("gemini", b"finishReason"),
    ],
)
def test_a_client_that_leaves_at_the_last_event_is_answered(
    tmp_path: Path, api: Api, last: bytes
) -> None:
    """OpenAI's client closes at [DONE], which may be before the stream's end has come."""

    def run(url: str) -> None:
        agent = Agent(url, api, stream=True)
        agent.say("go")
        path, came = url + agent.path, b""
        with httpx2.stream("POST", path, json=agent.body(), timeout=60) as response:
            for chunk in response.iter_raw():
                came += chunk
                if last in came and came.endswith(b"\n\n"):
                    return
        pytest.fail("the last event did not come")

    script = InOrder([Answer("some words that come in pieces")])
    exchanges = recorded(tmp_path, script, run, fault=Fault("stall", 1000))
    assert [exchange.end for exchange in exchanges] == ["client_left"]
    with tape_at(exchanges) as (tape, url):
        run(url)
    assert tape.finish().is_equal
    assert tape.report.rungs["exact"] == 1


def test_without_the_token_nothing_is_there(tmp_path: Path) -> None:
    with tape_at(recorded(tmp_path, echo, lambda url: ask(url, "hi"))) as (tape, url):
        *_, token, _ = url.split("/")
        assert ask(url.replace(token, "other"), "hi").status_code == 404
        assert ask(url.replace(f"/{token}", ""), "hi").status_code == 404
        response = httpx2.post(f"{url}/v1/messages", json={}, headers={"host": "evil.test"})
        assert response.status_code == 404
        assert not any(tape.report.rungs.values())
        assert text_of(ask(url, "hi")) == "about hi"
