"""Tests of ADK's session service, run by `test_service.py` in an environment that has ADK.

AGENTLOG_URL is the service; each test has an app of its own.
"""

import asyncio
import os
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from google.adk.agents import LlmAgent
from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.tools import ToolContext
from google.genai import types
from typing_extensions import override

from agentlog_client import Client, ServiceAway
from agentlog_client.adapters.google_adk import AgentlogSessionService
from agentlog_client.operation import metadata_terms
from tests.client.adapters.faults import Network, client_through

T = TypeVar("T")


def run(awaitable: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(awaitable)


@pytest.fixture
def network() -> Network:
    return Network()


@pytest.fixture
def client(network: Network) -> Iterator[Client]:
    with client_through(network, os.environ["AGENTLOG_URL"]) as opened:
        yield opened


@pytest.fixture
def service(client: Client) -> AgentlogSessionService:
    return AgentlogSessionService(client)


@pytest.fixture
def app() -> str:
    return f"app {uuid4()}"


def event(text: str, **delta: Any) -> Event:
    content = types.Content(role="user", parts=[types.Part(text=text)])
    actions = EventActions(state_delta=delta)
    return Event(invocation_id="i", author="user", content=content, actions=actions)


class Scripted(BaseLlm):  # type: ignore[misc] # ADK is not where types are checked
    """A model that calls the tool once, then answers."""

    @override
    async def generate_content_async(self, llm_request: Any, *_: Any, **__: Any) -> Any:
        last = llm_request.contents[-1].parts[-1]
        if last.function_response is None:
            part = types.Part(function_call=types.FunctionCall(name="track", args={"parcel": 7}))
        else:
            part = types.Part(text="In Hamburg.")
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=12)
        content = types.Content(role="model", parts=[part])
        yield LlmResponse(content=content, usage_metadata=usage, model_version="scripted-1")


def track(parcel: int, tool_context: ToolContext) -> dict[str, Any]:
    """Where a parcel is."""
    state = tool_context.state
    state["last"], state["user:seen"], state["app:calls"], state["temp:x"] = parcel, 1, 2, 3
    return {"at": "Hamburg"}


async def told(service: Any, app: str, *texts: str) -> Any:
    agent = LlmAgent(name="desk", model=Scripted(model="scripted"), tools=[track])
    runner = Runner(app_name=app, agent=agent, session_service=service)
    state = {"tone": "short", "user:lang": "de", "app:v": 1, "own:key": [1]}
    await service.create_session(app_name=app, user_id="ann", session_id="s", state=state)
    for text in texts:
        message = types.Content(role="user", parts=[types.Part(text=text)])
        async for _ in runner.run_async(user_id="ann", session_id="s", new_message=message):
            pass
    return await service.get_session(app_name=app, user_id="ann", session_id="s")


def test_runs_leave_what_they_leave_in_memory(client: Client, service: Any, app: str) -> None:
    kept = run(told(service, app, "Where is 7?", "And now?"))
    memory = run(told(InMemorySessionService(), app, "Where is 7?", "And now?"))
    assert kept.state == memory.state
    plain = [
        [
            (event.author, event.actions.state_delta, event.content.parts[0].text)
            for event in session.events
        ]
        for session in (kept, memory)
    ]
    assert plain[0] == plain[1]
    (thread,) = client.threads(filter=metadata_terms({"adkApp": app, "adkSession": "s"}))
    chat = client.view(thread.thread_id, "openai").items
    assert [item["role"] for item in chat[:4]] == ["user", "assistant", "tool", "assistant"]
    assert chat[3]["content"] == "In Hamburg."


def test_events_come_back_as_they_were(service: Any, app: str) -> None:
    session = run(service.create_session(app_name=app, user_id="ann"))
    events = [event("one", a=1), event("two", b={"c": [1.5, None]}), event("three")]
    for added in events:
        run(service.append_event(session, added))
    read = run(service.get_session(app_name=app, user_id="ann", session_id=session.id))
    assert read.events == events == session.events
    assert read.state == {"a": 1, "b": {"c": [1.5, None]}} == session.state
    assert read.last_update_time == events[-1].timestamp


def test_the_latest_events_are_chosen(service: Any, app: str) -> None:
    session = run(service.create_session(app_name=app, user_id="ann"))
    events = [event(str(n), a=n) for n in range(4)]
    for added in events:
        run(service.append_event(session, added))
    names = {"app_name": app, "user_id": "ann", "session_id": session.id}
    for config, count in (
        (GetSessionConfig(num_recent_events=2), 2),
        (GetSessionConfig(num_recent_events=0), 0),
        (GetSessionConfig(after_timestamp=events[1].timestamp), 3),
    ):
        read = run(service.get_session(**names, config=config))
        assert len(read.events) == count
        assert read.state == {"a": 3}


def test_states_of_apps_and_users_are_shared(service: Any, app: str) -> None:
    state = {"app:a": 1, "user:u": None, "temp:t": 1, "s": 1}
    run(service.create_session(app_name=app, user_id="ann", state=state))
    others = run(service.create_session(app_name=app, user_id="bob"))
    assert others.state == {"app:a": 1}
    hers = run(service.create_session(app_name=app, user_id="ann"))
    assert hers.state == {"app:a": 1, "user:u": None}
    run(service.append_event(hers, event("x", **{"app:a": 2, "user:u": 3, "temp:t": 4})))
    assert run(service.get_user_state(app_name=app, user_id="ann")) == {"u": 3}
    assert hers.state["temp:t"] == 4
    again = run(service.get_session(app_name=app, user_id="bob", session_id=others.id))
    assert again.state == {"app:a": 2}


def test_a_session_is_made_once(service: Any, app: str) -> None:
    names = {"app_name": app, "user_id": "ann", "session_id": "s"}
    run(service.create_session(**names))
    with pytest.raises(AlreadyExistsError):
        run(service.create_session(**names))
    assert run(service.get_session(**{**names, "session_id": "other"})) is None


def test_a_deleted_session_is_gone_and_may_come_again(
    client: Client, service: Any, app: str
) -> None:
    names = {"app_name": app, "user_id": "ann", "session_id": "s"}
    run(service.delete_session(**names))
    session = run(service.create_session(**names, state={"a": 1}))
    run(service.append_event(session, event("one", b=2)))
    run(service.delete_session(**names))
    assert run(service.get_session(**names)) is None
    assert run(service.list_sessions(app_name=app)).sessions == []
    with pytest.raises(SessionNotFoundError):
        run(service.append_event(session, event("two")))
    again = run(service.create_session(**names, state={"c": 3}))
    assert (again.state, again.events) == ({"c": 3}, [])
    run(service.append_event(again, event("three")))
    (thread,) = client.threads(filter=metadata_terms({"adkApp": app, "adkSession": "s"}))
    chat = client.view(thread.thread_id, "openai").items
    assert [item["content"] for item in chat] == ["one", "three"]


def test_sessions_are_listed_the_latest_at_the_end(service: Any, app: str) -> None:
    for user, name in (("ann", "1"), ("bob", "2"), ("ann", "3")):
        run(service.create_session(app_name=app, user_id=user, session_id=name))
    first = run(service.get_session(app_name=app, user_id="ann", session_id="1"))
    run(service.append_event(first, event("one")))
    listed = run(service.list_sessions(app_name=app, user_id="ann")).sessions
    assert [session.id for session in listed] == ["3", "1"]
    assert len(run(service.list_sessions(app_name=app)).sessions) == 3


def test_the_second_of_two_writers_is_stale(service: Any, app: str) -> None:
    names = {"app_name": app, "user_id": "ann", "session_id": "s"}
    one = run(service.create_session(**names))
    other = run(service.get_session(**names))
    run(service.append_event(one, event("one")))
    with pytest.raises(StaleSessionError):
        run(service.append_event(other, event("two", **{"app:a": 1})))
    assert other.events == []
    read = run(service.get_session(**names))
    assert len(read.events) == 1
    assert "app:a" not in read.state
    run(service.append_event(read, event("two")))


def test_a_lost_answer_and_a_service_that_is_away_lose_nothing(
    network: Network, service: Any, app: str
) -> None:
    names = {"app_name": app, "user_id": "ann", "session_id": "s"}
    session = run(service.create_session(**names))
    one = event("one", a=1)
    network.lost = 1
    with pytest.raises(ServiceAway):
        run(service.append_event(session, one))
    network.away = True
    with pytest.raises(ServiceAway):
        run(service.append_event(session, one))
    network.away = False
    run(service.append_event(session, one))
    run(service.append_event(session, one))
    run(service.append_event(session, event("two")))
    assert len(run(service.get_session(**names)).events) == 2 == len(session.events)
