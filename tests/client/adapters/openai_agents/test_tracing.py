"""Traces of the Agents SDK beside its sessions: usage, errors, handoffs; an agent never stops."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, OpenAIResponsesModel, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tracing import set_trace_processors
from openai import AsyncOpenAI

from agentlog_client import Client
from agentlog_client.adapters.openai_agents import AgentlogSession, AgentlogTracingProcessor
from tests.providers.script import Answer, Call, Turn
from tests.providers.server import ScriptedProvider

TRACED = RunConfig(workflow_name="desk", group_id="parcel")


@pytest.fixture
def processor(url: str, tmp_path: Path) -> Iterator[AgentlogTracingProcessor]:
    """A processor, alone in the SDK until the test ends."""
    processor = AgentlogTracingProcessor(url=url, spool=tmp_path)
    set_trace_processors([processor])
    yield processor
    set_trace_processors([])
    processor.shutdown()


@function_tool(failure_error_function=None)
def track(parcel: int) -> str:
    """Where a parcel is."""
    if parcel == 0:
        raise ValueError("no such parcel")
    return "Hamburg"


def of_type(client: Client, name: str) -> list[Any]:
    return [event.message for event in client.messages("parcel", filter=f"type:{name}")]


def test_a_run_has_its_usage_beside_the_items_of_its_session(
    client: Client, processor: AgentlogTracingProcessor
) -> None:
    session = AgentlogSession("parcel", client)

    async def main(url: str) -> None:
        async with AsyncOpenAI(base_url=f"{url}/v1", api_key="none") as provider:
            model = OpenAIResponsesModel("model-1", provider)
            agent = Agent(name="desk", model=model, tools=[track])
            await Runner.run(agent, "Where?", session=session, run_config=TRACED)

    def script(turn: Turn) -> Answer:
        return (
            Answer("In Hamburg.") if turn.results else Answer(calls=[Call("track", {"parcel": 7})])
        )

    with ScriptedProvider(script) as provider:
        asyncio.run(main(provider.url))
    processor.force_flush()
    first, second = of_type(client, "llm_response")
    assert first["usage"]["inputTokens"] == 10
    assert first["usage"]["outputTokens"] == 5
    assert (first["model"], second["latencyMs"] >= 0) == ("model-1", True)
    assert len(asyncio.run(session.get_items())) == 4


def test_errors_and_handoffs_are_recorded(
    client: Client, processor: AgentlogTracingProcessor
) -> None:
    other = Agent(
        name="other",
        model=ScriptedModel([[function_call("track", {"parcel": 0}, call_id="c")]]),
        tools=[track],
    )
    handoff = function_call("transfer_to_other", {}, call_id="h")
    agent = Agent(name="desk", model=ScriptedModel([[handoff]]), handoffs=[other])
    with pytest.raises(Exception, match="no such parcel"):
        asyncio.run(Runner.run(agent, "Where?", run_config=TRACED))
    processor.force_flush()
    (handed,) = of_type(client, "agents.handoff")
    assert handed["payload"] == {"from": "desk", "to": "other"}
    assert "no such parcel" in str(of_type(client, "runtime_error"))


def test_a_service_that_is_away_stops_no_agent(tmp_path: Path) -> None:
    processor = AgentlogTracingProcessor(url="http://127.0.0.1:9", spool=tmp_path)
    set_trace_processors([processor])
    agent = Agent(name="desk", model=ScriptedModel([[assistant_message("In Hamburg.")]]))
    result = asyncio.run(Runner.run(agent, "Where?", run_config=TRACED))
    set_trace_processors([])
    processor.shutdown()
    assert result.final_output == "In Hamburg."
    assert list(tmp_path.iterdir())
