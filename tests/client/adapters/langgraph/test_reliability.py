"""Processes die, answers get lost, the service is away, two write at once: the state is whole."""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage

from agentlog_client import Client, Retries, ServiceAway
from agentlog_client.adapters.langgraph import AgentlogSaver
from agentlog_client.identifiers import new_id
from agentlog_client.operation import metadata_terms
from tests.api.servers import running
from tests.client.adapters.langgraph.graphs import config_of, contents, counting, texts
from tests.client.conftest import client_of
from tests.clients import TLS
from tests.waiting import until

STEPS = 8


def shown(client: Client, thread_id: str) -> list[str]:
    return contents(client.view(thread_id, "openai").items)


def numbers(upto: int) -> list[str]:
    return ["count", *map(str, range(1, upto + 1))]


PROGRAM = """
import sys
from langchain_core.messages import HumanMessage
from tests.client.adapters.langgraph.graphs import config_of, counting
from agentlog_client import Client
from agentlog_client.adapters.langgraph import AgentlogSaver

graph = counting(AgentlogSaver(Client(sys.argv[1])), 500, lambda n: print(n, flush=True))
graph.invoke({"messages": [HumanMessage("count")]},
             {**config_of(), "recursion_limit": 1000}, durability=sys.argv[2])
"""


@pytest.mark.parametrize("durability", ["sync", pytest.param("async", marks=pytest.mark.slow)])
def test_a_graph_goes_on_after_its_process_was_killed(
    url: str, client: Client, durability: str
) -> None:
    def steps() -> int:
        known = AgentlogSaver(client).get_tuple(config_of())
        return known.checkpoint["channel_values"].get("steps", 0) if known else 0

    command = [sys.executable, "-c", PROGRAM, url, durability]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        until(lambda: steps() >= STEPS, seconds=90)
        process.kill()
        assert process.stdout is not None
        begun = [int(line) for line in process.stdout][-1]
    kept = steps()
    if durability == "sync":
        assert kept >= begun - 1
    graph = counting(AgentlogSaver(client), kept + 3)
    graph.invoke(None, config_of())
    assert texts(graph.get_state(config_of()).values["messages"]) == numbers(kept + 3)
    # what it sent last may have come in only now, beside this process: then there is a fork
    branches = client.threads(filter="metadata.langgraphThread:graph")
    assert numbers(kept + 3) in [shown(client, branch.thread_id) for branch in branches]


class Unreliable(httpx2.HTTPTransport):
    """Loses requests before they are sent, or their answers after."""

    def __init__(self, losses: Iterator[str]) -> None:
        super().__init__(verify=TLS)
        self.losses = losses

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        loss = next(self.losses, "none")
        if loss == "request":
            raise httpx2.ConnectError("lost")
        response = super().handle_request(request)
        if loss == "answer":
            response.read()
            response.close()
            raise httpx2.ReadError("lost")
        return response


def unreliable(url: str, losses: list[str], attempts: int) -> Client:
    http = httpx2.Client(transport=Unreliable(iter(losses)), trust_env=False, timeout=60)
    return Client(url, http=http, retries=Retries(attempts, first=0.0, longest=0.0))


_LOSSES = st.lists(st.sampled_from(["none", "none", "request", "answer"]), max_size=60)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(losses=_LOSSES)
def test_lost_requests_and_answers_lose_nothing_and_double_nothing(
    url: str, client: Client, losses: list[str]
) -> None:
    thread = new_id()
    with unreliable(url, losses, attempts=100) as lossy:
        result = counting(AgentlogSaver(lossy), STEPS, lambda _: None).invoke(
            {"messages": [HumanMessage("count")]}, config_of(thread)
        )
    assert texts(result["messages"]) == numbers(STEPS)
    assert shown(client, thread) == numbers(STEPS)
    (head,) = client.threads(filter=metadata_terms({"langgraphThread": thread}))
    history = counting(AgentlogSaver(client), STEPS).get_state_history(config_of(thread))
    steps = [snapshot.metadata["step"] for snapshot in history if snapshot.metadata]
    assert steps == list(range(STEPS, -2, -1))
    assert head.forked_from is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(losses=_LOSSES)
def test_a_graph_whose_state_cannot_be_kept_stops_and_goes_on_later(
    url: str, client: Client, losses: list[str]
) -> None:
    thread = new_id()
    left: Any = {"messages": [HumanMessage("count", id="first")]}
    with unreliable(url, losses, attempts=1) as lossy:
        graph = counting(AgentlogSaver(lossy), STEPS, lambda _: None)
        while True:  # each try uses some of the losses up
            with suppress(ServiceAway):
                result = graph.invoke(left, config_of(thread))
                break
            left = None if AgentlogSaver(client).get_tuple(config_of(thread)) else left
    assert texts(result["messages"]) == numbers(STEPS)
    read = counting(AgentlogSaver(client), STEPS).get_state(config_of(thread)).values
    assert texts(read["messages"]) == numbers(STEPS)


def test_a_graph_goes_on_when_the_service_is_back(app: FastAPI) -> None:
    with ExitStack() as opened:
        with running(app) as (_, url):
            saver = AgentlogSaver(opened.enter_context(client_of(url, attempts=1)))
            counting(saver, 2).invoke({"messages": [HumanMessage("count")]}, config_of())
        with pytest.raises(ServiceAway):
            counting(saver, 4).invoke({"messages": [HumanMessage("more")]}, config_of())
    with running(app) as (_, url), client_of(url) as client:
        graph = counting(AgentlogSaver(client), 4)
        result = graph.invoke({"messages": [HumanMessage("more")]}, config_of())
        assert texts(result["messages"]) == ["count", "1", "2", "more", "3", "4"]
        assert shown(client, "graph") == ["count", "1", "2", "more", "3", "4"]


@contextmanager
def together(*work: Callable[[], object]) -> Iterator[None]:
    """Do several things at once, and raise what one raises."""
    errors: list[BaseException] = []

    def done(of: Callable[[], object]) -> None:
        try:
            of()
        except BaseException as error:  # noqa: BLE001 - raised below
            errors.append(error)

    threads = [threading.Thread(target=done, args=[of]) for of in work]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join()
    assert errors == []


def test_two_writers_of_one_thread_lose_nothing_and_do_not_mix(url: str, client: Client) -> None:
    met = threading.Barrier(2)

    def write(name: str) -> None:
        with client_of(url) as own:
            for turn in range(6):
                counting(AgentlogSaver(own), 1, lambda _: met.wait(60)).invoke(
                    {"messages": [HumanMessage(f"{name}{turn}")], "steps": 0}, config_of()
                )

    with together(lambda: write("a"), lambda: write("b")):
        pass
    reader = AgentlogSaver(client)
    branches = list(client.threads(filter="metadata.langgraphThread:graph"))
    assert len(branches) > 1
    tips = {
        tuple(texts(item.checkpoint["channel_values"].get("messages", [])))
        for item in reader.list(config_of())
    }
    questions = {f"{name}{turn}" for name in "ab" for turn in range(6)}
    assert questions <= {text for tip in tips for text in tip}
    for branch in branches:
        assert tuple(shown(client, branch.thread_id)) in tips
