"""The Agents SDK's session in OpenAI's Conversations, with the address of the service."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from agents import Agent, OpenAIConversationsSession, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from fastapi import FastAPI
from openai import AsyncOpenAI

from tests.api.servers import running
from tests.projections.openai_items import KINDS

KEYS: dict[str, set[str]] = {
    "message": set(KINDS["Message"].model_fields),
    "function_call": set(KINDS["ResponseFunctionToolCallItem"].model_fields),
    "function_call_output": set(KINDS["ResponseFunctionToolCallOutputItem"].model_fields),
}
"""Keys that OpenAI's items have, by their types."""


@pytest.fixture
def address(app: FastAPI) -> Iterator[str]:
    with running(app) as (_, url):
        yield f"{url}/openai/v1"


@function_tool
def track(parcel: int) -> str:
    """Say where a parcel is."""
    return f"{parcel} is in Hamburg"


def script() -> ScriptedModel:
    return ScriptedModel(
        [
            [function_call("track", {"parcel": 7}, call_id="call_1")],
            [assistant_message("In Hamburg.")],
            [assistant_message("You asked about 7.")],
        ]
    )


def test_an_agent_runs_twice_pops_and_clears(address: str) -> None:
    async def use() -> None:
        async with AsyncOpenAI(base_url=address, api_key="any") as openai:
            conversation = (await openai.conversations.create()).id
            session = OpenAIConversationsSession(conversation_id=conversation, openai_client=openai)
            model = script()
            agent = Agent(name="desk", instructions="Be brief.", model=model, tools=[track])
            untraced = RunConfig(tracing_disabled=True)
            for question in ("Where is 7?", "What did I ask?"):
                await Runner.run(agent, question, session=session, run_config=untraced)
            asked: Any = model.last_call.input
            kinds = [item.get("type", item.get("role")) for item in asked]
            assert kinds == [
                *["message", "function_call", "function_call_output"],
                *["message", "user"],
            ]
            for item in asked:
                assert item.keys() <= KEYS[item.get("type", "message")]
            before: Any = await session.get_items()
            popped: Any = await session.pop_item()
            assert popped == before[-1]
            assert popped["content"][0]["text"] == "You asked about 7."
            assert await session.get_items() == before[:-1]
            await session.add_items([{"role": "user", "content": f"{n}"} for n in range(45)])
            added: Any = await session.get_items(45)
            assert [item["content"][0]["text"] for item in added] == [f"{n}" for n in range(45)]
            await session.clear_session()
            assert await session.get_items() == []
            cleared = await openai.conversations.items.list(conversation)
            assert cleared.data == []
            past = openai.conversations.items.list(conversation, extra_query={"at": "7"})
            assert len([item async for item in past]) == 5

    asyncio.run(use())
