"""Histories of Pydantic AI: they come back byte for byte, and read in every view."""

import asyncio
from typing import Any

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from agentlog_client import Client, ServiceAway
from agentlog_client.adapters.pydantic_ai import AgentlogHistory
from tests.client.adapters.faults import Network, client_through
from tests.projections.views.test_source import FILES

dumped = ModelMessagesTypeAdapter.dump_json


@pytest.fixture
def history(client: Client) -> AgentlogHistory:
    """A history of which nothing is known yet."""
    return AgentlogHistory("parcel", client)


def said(text: str) -> list[ModelMessage]:
    return [ModelRequest([UserPromptPart(text)]), ModelResponse([TextPart(f"{text}?")])]


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Call the tool once, then answer."""
    del info
    if any(part.part_kind == "tool-return" for part in messages[-1].parts):
        return ModelResponse([ThinkingPart("It is there.", signature="s"), TextPart("In Hamburg.")])
    return ModelResponse([ToolCallPart("track", {"parcel": 4711}, "call_1")])


def test_a_run_goes_on_with_the_history_of_another(
    client: Client, history: AgentlogHistory
) -> None:
    agent = Agent(FunctionModel(answer), instructions="Be brief.")

    @agent.tool_plain
    def track(parcel: int) -> dict[str, Any]:
        return {"parcel": parcel, "at": "Hamburg"}

    assert history.load() == []
    first = asyncio.run(agent.run("Where is 4711?", message_history=history.load()))
    history.save(first.new_messages())
    again = AgentlogHistory("parcel", client)
    second = asyncio.run(agent.run("And now?", message_history=again.load()))
    again.save(second.new_messages())
    assert dumped(history.load()) == dumped(second.all_messages())
    chat = client.view("parcel", "openai").items
    assert [item["role"] for item in chat[:5]] == [
        *("system", "user", "assistant", "tool", "assistant"),
    ]
    assert chat[4]["content"] == "In Hamburg."
    assert dumped(history.load(at=client.thread("parcel").version)) == dumped(again.load())


def test_messages_of_every_kind_come_back_byte_for_byte(history: AgentlogHistory) -> None:
    messages = ModelMessagesTypeAdapter.validate_json(FILES["pydantic-ai"].read_bytes())
    picture = BinaryContent(b"\x89PNG\xff", media_type="image/png")
    messages.append(ModelRequest([UserPromptPart(["What is it?", picture])]))
    history.save(messages)
    assert dumped(history.load()) == dumped(messages)


def test_a_lost_answer_and_a_service_that_is_away_lose_nothing(
    url: str, history: AgentlogHistory
) -> None:
    network = Network()
    with client_through(network, url) as client:
        unlucky = AgentlogHistory("parcel", client)
        unlucky.save(said("one"))
        network.lost = 1
        two = said("two")
        with pytest.raises(ServiceAway):
            unlucky.save(two)
        network.away = True
        with pytest.raises(ServiceAway):
            unlucky.save(two)
        network.away = False
        unlucky.save(two)
    assert len(history.load()) == 4


def test_two_histories_of_a_name_are_one(client: Client, history: AgentlogHistory) -> None:
    other = AgentlogHistory("parcel", client)
    one, two, three = said("one"), said("two"), said("three")
    history.save(one)
    other.save(two)
    history.save(three)
    assert dumped(other.load()) == dumped([*one, *two, *three])


def test_any_name_names_a_thread(client: Client) -> None:
    AgentlogHistory("user 7/chat", client).save(said("hi"))
    assert len(AgentlogHistory("user 7/chat", client).load()) == 2
    (thread,) = client.threads(filter='metadata.source:"user 7/chat"')
    assert thread.policy == "record"
