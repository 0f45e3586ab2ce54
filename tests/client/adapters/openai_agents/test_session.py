"""Sessions of the Agents SDK: what runs keep, what they take back, and what faults leave."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from agents import (
    Agent,
    ModelRetrySettings,
    ModelSettings,
    RunConfig,
    Runner,
    SessionSettings,
    function_tool,
)
from agents.memory import Session
from agents.retry import ModelRetryAdvice, retry_policies
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

from agentlog_client import Client, ServiceAway
from agentlog_client.adapters.openai_agents import AgentlogSession
from tests.client.adapters.faults import Network, client_through
from tests.waiting import WAIT_SECONDS

T = TypeVar("T")
QUIET = RunConfig(tracing_disabled=True)


@pytest.fixture
def session(client: Client) -> AgentlogSession:
    """A session of which nothing is known yet."""
    return AgentlogSession("parcel", client)


def run(awaitable: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(awaitable)


def user(text: str) -> Any:
    return {"role": "user", "content": text}


def texts(items: Sequence[Any]) -> list[str]:
    return [item["content"] for item in items]


@function_tool
def track(parcel: int) -> str:
    """Where a parcel is."""
    return f"{parcel} is in Hamburg"


def desk(*script: Any, **settings: Any) -> Agent[Any]:
    model = ScriptedModel(list(script))
    return Agent(name="desk", model=model, tools=[track], model_settings=ModelSettings(**settings))


CALL = [function_call("track", {"parcel": 4711}, call_id="call_1")]
ANSWER = [assistant_message("In Hamburg.")]


def test_it_is_a_session_of_the_sdk(session: AgentlogSession) -> None:
    assert isinstance(session, Session)


def test_two_runs_are_one_conversation(client: Client, session: AgentlogSession) -> None:
    agent = desk(CALL, ANSWER, [assistant_message("You asked about 4711.")])
    run(Runner.run(agent, "Where is 4711?", session=session, run_config=QUIET))
    kept = run(session.get_items())
    run(Runner.run(agent, "What did I ask?", session=session, run_config=QUIET))
    model = agent.model
    assert isinstance(model, ScriptedModel)
    assert model.last_call is not None
    sent = list(model.last_call.input)
    assert sent == [*kept, user("What did I ask?")]
    chat = client.view("parcel", "openai").items
    roles = [item["role"] for item in chat]
    assert roles == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert chat[2]["content"] == "4711 is in Hamburg"


def test_items_come_back_as_they_were_and_the_latest_of_them(session: AgentlogSession) -> None:
    items = [user(str(n)) for n in range(45)]
    run(session.add_items(items))
    assert run(session.get_items()) == items
    assert run(session.get_items(3)) == items[-3:]
    assert run(session.get_items(0)) == []
    assert run(session.get_items(100)) == items
    session.session_settings = SessionSettings(limit=2)
    assert run(session.get_items()) == items[-2:]


def test_what_is_popped_and_cleared_is_in_the_log(client: Client, session: AgentlogSession) -> None:
    assert run(session.pop_item()) is None
    run(session.clear_session())
    assert not list(client.threads())
    run(session.add_items([user("one"), user("two")]))
    before = client.thread("parcel").version
    assert run(session.pop_item()) == user("two")
    run(session.add_items([user("two")]))
    run(session.clear_session())
    run(session.add_items([user("three")]))
    assert run(session.get_items()) == [user("three")]
    assert run(session.get_items(at=before)) == [user("one"), user("two")]
    assert texts(client.view("parcel", "openai").items) == ["one", "two", "two", "three"]


def test_a_session_goes_on_with_a_thread_whose_past_stays(client: Client) -> None:
    client.append("recorded", {"type": "input", "text": "Hello?"})
    session = AgentlogSession("recorded", client)
    (before,) = run(session.get_items())
    run(session.add_items([user("one")]))
    assert run(session.pop_item()) == user("one")
    assert run(session.pop_item()) is None
    run(session.clear_session())
    assert run(AgentlogSession("recorded", client).get_items()) == [before]


def test_what_another_session_did_is_seen(client: Client, session: AgentlogSession) -> None:
    other = AgentlogSession("parcel", client)
    run(session.add_items([user("one")]))
    assert run(session.get_items()) == [user("one")]
    run(other.add_items([user("two")]))
    run(session.add_items([user("three")]))
    assert (
        texts(run(session.get_items()))
        == texts(run(other.get_items()))
        == [
            *("one", "two", "three"),
        ]
    )
    assert run(other.pop_item()) == user("three")
    assert run(session.pop_item()) == user("two")
    run(other.clear_session())
    assert run(session.get_items()) == []


def test_a_run_that_is_tried_again_leaves_no_item_twice(session: AgentlogSession) -> None:
    advice = ModelRetryAdvice(suggested=True, replay_safety="safe")
    failing = ModelStep.raise_error(RuntimeError("busy"), retry_advice=advice)
    settings = ModelRetrySettings(max_retries=2, policy=retry_policies.provider_suggested())
    agent = desk(CALL, failing, ANSWER, retry=settings)
    run(Runner.run(agent, "Where is 4711?", session=session, run_config=QUIET))
    kept: list[Any] = run(session.get_items())
    kinds = [item.get("type", item.get("role")) for item in kept]
    assert kinds == ["user", "function_call", "function_call_output", "message"]


def test_a_thread_is_named_by_any_session(client: Client) -> None:
    run(AgentlogSession("user 7/chat", client).add_items([user("hi")]))
    (thread,) = client.threads(filter='metadata.source:"user 7/chat"')
    assert run(AgentlogSession("user 7/chat", client).get_items()) == [user("hi")]
    assert thread.policy == "record"


def test_a_lost_answer_and_a_service_that_is_away_lose_nothing(
    url: str, session: AgentlogSession
) -> None:
    network = Network()
    with client_through(network, url) as client:
        unlucky = AgentlogSession("parcel", client)
        run(unlucky.add_items([user("one")]))
        network.lost = 1
        with pytest.raises(ServiceAway):
            run(unlucky.add_items([user("two"), user("three")]))
        network.away = True
        with pytest.raises(ServiceAway):
            run(unlucky.add_items([user("two"), user("three")]))
        network.away = False
        run(unlucky.add_items([user("two"), user("three")]))
        assert run(unlucky.pop_item()) == user("three")
        run(unlucky.add_items([user("three")]))
    assert texts(run(session.get_items())) == ["one", "two", "three"]


def test_items_that_were_taken_back_after_a_lost_answer_may_come_again(
    url: str, session: AgentlogSession
) -> None:
    network = Network()
    with client_through(network, url) as client:
        unlucky = AgentlogSession("parcel", client)
        run(unlucky.add_items([user("one")]))
        network.lost = 1
        with pytest.raises(ServiceAway):
            run(unlucky.add_items([user("two")]))
        assert run(unlucky.pop_item()) == user("two")
        run(unlucky.add_items([user("two")]))
    assert texts(run(session.get_items())) == ["one", "two"]


def test_two_writers_keep_their_order_and_pop_each_item_once(client: Client) -> None:
    sessions = [AgentlogSession("parcel", client) for _ in range(2)]

    def write(number: int) -> None:
        for n in range(10):
            run(sessions[number].add_items([user(f"{number} {n} a"), user(f"{number} {n} b")]))

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, range(2)))
    items = texts(run(sessions[0].get_items()))
    assert len(items) == 40
    for number in range(2):
        own = [text for text in items if text.startswith(f"{number} ")]
        assert own == [f"{number} {n} {part}" for n in range(10) for part in "ab"]
    assert all(items[n][:-1] == items[n + 1][:-1] for n in range(0, 40, 2))  # no batch is torn

    def pop(number: int) -> list[Any]:
        return [run(sessions[number].pop_item()) for _ in range(10)]

    with ThreadPoolExecutor() as pool:
        popped = [item["content"] for own in pool.map(pop, range(2)) for item in own]
    assert sorted(popped) == sorted(items[20:])
    assert texts(run(sessions[0].get_items())) == items[:20]


def test_a_cancelled_run_waits_for_what_it_writes(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, sending, may_send = AgentlogSession("parcel", client), *_events()
    append_items = client.append_items

    def slowly(*args: Any, **more: Any) -> Any:
        sending.set()
        assert may_send.wait(WAIT_SECONDS)
        return append_items(*args, **more)

    monkeypatch.setattr(client, "append_items", slowly)

    async def main() -> None:
        task = asyncio.ensure_future(session.add_items([user("one")]))
        await asyncio.to_thread(sending.wait, 20)
        for _ in range(3):
            task.cancel()
            await asyncio.sleep(0)
        assert not task.done()
        may_send.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await session.get_items() == [user("one")]

    run(main())


def _events() -> tuple[threading.Event, threading.Event]:
    return threading.Event(), threading.Event()


PROGRAM = """
import asyncio, sys
from agentlog_client.adapters.openai_agents import AgentlogSession
from tests.client.adapters.openai_agents.test_session import user
from tests.client.conftest import client_of
session = AgentlogSession("parcel", client_of(sys.argv[1]))
for n in range(1000):
    asyncio.run(session.add_items([user(f"{n} a"), user(f"{n} b")]))
    print(n, flush=True)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_whole_batches(url: str, session: AgentlogSession) -> None:
    words = [sys.executable, "-c", PROGRAM, url]
    root = Path(__file__).parents[4]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        for _ in range(5):
            process.stdout.readline()
        process.kill()
    items = texts(run(session.get_items()))
    assert len(items) >= 10
    assert items == [f"{n} {part}" for n in range(len(items) // 2) for part in "ab"]
