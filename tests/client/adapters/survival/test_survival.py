"""Agents are killed in mid-run, the service is away, two share a session: it is whole after."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from tests.client.conftest import client_of
from tests.reliability.service import ServiceProcess, own_service

AWAY_SECONDS = 20


@pytest.fixture
def service(database_url: str) -> Iterator[ServiceProcess]:
    """A service that may be killed."""
    with own_service(database_url, AGENTLOG_PROJECTIONS="off") as service:
        yield service


ADK = "google_adk"


@pytest.fixture(params=["pydantic_ai", pytest.param(ADK, marks=pytest.mark.slow)])
def framework(request: pytest.FixtureRequest) -> str:
    """A framework whose agents can be started."""
    if request.param == ADK and "AGENTLOG_TEST_ADK" not in os.environ:
        pytest.skip("AGENTLOG_TEST_ADK does not name a Python; `make test-slow` does")
    return str(request.param)


@contextmanager
def agent(
    framework: str, service: ServiceProcess, writer: str, turns: int
) -> Iterator[subprocess.Popen[str]]:
    """Start an agent; it does not outlive the block."""
    python = os.environ["AGENTLOG_TEST_ADK"] if framework == ADK else sys.executable
    program = f"tests.client.adapters.survival.{framework}_agent"
    words = [python, "-m", program, service.address, writer, str(turns)]
    root = Path(__file__).parents[4]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        try:
            yield process
        finally:
            process.kill()


def until_calls(process: subprocess.Popen[str], count: int) -> list[str]:
    """Return the answers that an agent has kept before its next calls."""
    assert process.stdout is not None
    lines: list[str] = []
    while lines.count("calls\n") < count:
        lines.append(process.stdout.readline())
        assert lines[-1], "it ended"
    return answers_in(lines)


def rest_of(process: subprocess.Popen[str]) -> list[str]:
    """Return the answers that an agent keeps until it ends."""
    assert process.stdout is not None
    return answers_in(process.stdout.readlines())


def answers_in(lines: list[str]) -> list[str]:
    return [line[:-1] for line in lines if line.startswith("answer") and line.endswith("\n")]


def check(
    service: ServiceProcess, writer: str, turns: int, kept: list[str], *, whole: bool
) -> None:
    """All questions of a writer, and the answers that it kept, are there once and in order.

    Of `whole` runs so is each answer; a framework that keeps events as they come may be cut off.
    """
    with client_of(service.address) as client:
        (thread,) = client.threads()
        items = client.view(thread.thread_id, "openai").items
    questions, answers = (
        [
            item["content"]
            for item in items
            if item["role"] == role and str(item["content"]).startswith(f"{start}{writer}")
        ]
        for role, start in (("user", ""), ("assistant", "answer to "))
    )
    assert questions == [f"{writer} {n}" for n in range(turns)]
    assert [answer for answer in answers if answer in kept] == kept
    all_answers = [f"answer to {question}" for question in questions]
    assert answers == [answer for answer in all_answers if whole or answer in answers]


@pytest.mark.slow
def test_an_agent_that_is_killed_in_mid_run_goes_on(
    framework: str, service: ServiceProcess
) -> None:
    kept: list[str] = []
    for calls in (1, 3):
        with agent(framework, service, "a", 6) as process:
            kept += until_calls(process, calls)
            process.kill()
            kept += rest_of(process)
    with agent(framework, service, "a", 6) as process:
        kept += rest_of(process)
        assert process.wait() == 0
    assert kept
    check(service, "a", 6, kept, whole=framework != ADK)


@pytest.mark.slow
def test_an_agent_waits_for_a_service_that_is_away(framework: str, service: ServiceProcess) -> None:
    with agent(framework, service, "a", 9) as process:
        kept = until_calls(process, 3)
        service.end(signal.SIGKILL)
        time.sleep(AWAY_SECONDS)
        assert process.poll() is None
        service.start()
        kept += rest_of(process)
        assert process.wait() == 0
    check(service, "a", 9, kept, whole=True)


@pytest.mark.slow
def test_two_agents_of_one_session_lose_nothing(framework: str, service: ServiceProcess) -> None:
    with ExitStack() as stack:
        agents = {
            writer: stack.enter_context(agent(framework, service, writer, 6)) for writer in "ab"
        }
        kept = {writer: rest_of(process) for writer, process in agents.items()}
        assert [process.wait() for process in agents.values()] == [0, 0]
    for writer in "ab":
        check(service, writer, 6, kept[writer], whole=framework != ADK)
