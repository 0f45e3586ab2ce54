"""What LangGraph brings: its agent, tasks in parallel, channels of differences."""

import operator
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph
from langgraph.prebuilt import create_react_agent
from langgraph.types import Send

from agentlog_client import Client
from agentlog_client.adapters.langgraph import AgentlogSaver
from tests.client.adapters.langgraph.graphs import call_of, config_of, contents, texts, weather


class Model(FakeMessagesListChatModel):
    """A model that takes tools."""

    def bind_tools(self, *_: Any, **__: Any) -> "Model":
        return self


def shown(client: Client) -> list[str]:
    return contents(client.view("graph", "openai").items)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_its_agent_of_tools(client: Client, saver: AgentlogSaver) -> None:
    two = AIMessage(
        "let me look",
        tool_calls=[
            *call_of("weather", city="Rome").tool_calls,
            *call_of("weather", city="Oslo").tool_calls,
        ],
    )
    agent = create_react_agent(
        Model(responses=[two, AIMessage("sunny")]), [weather], checkpointer=saver
    )
    result = agent.invoke({"messages": [("user", "weather?")]}, config_of())
    assert sorted(shown(client)) == sorted(
        ["weather?", "weather", "sunny in Rome", "sunny in Oslo", "sunny"]
    )
    assert client.thread("graph").anomalies == 0
    later = create_react_agent(Model(responses=[]), [weather], checkpointer=AgentlogSaver(client))
    assert later.get_state(config_of()).values["messages"] == result["messages"]


def test_many_tasks_at_once(client: Client, saver: AgentlogSaver) -> None:
    class State(TypedDict):
        words: Annotated[list[AnyMessage], operator.add]

    graph = StateGraph(State)
    graph.add_node("say", lambda number: {"words": [AIMessage(f"word {number % 3}")]})
    graph.add_conditional_edges(START, lambda _: [Send("say", n) for n in range(12)])
    graph.add_edge("say", END)
    compiled = graph.compile(checkpointer=saver)
    result = compiled.invoke({"words": []}, config_of())
    assert texts(result["words"]) == [f"word {n % 3}" for n in range(12)]
    assert sorted(shown(client)) == sorted(texts(result["words"]))
    result = compiled.invoke({"words": [HumanMessage("again")]}, config_of())
    assert len(result["words"]) == 25
    assert sorted(shown(client)) == sorted(texts(result["words"]))
    later = graph.compile(checkpointer=AgentlogSaver(client)).get_state(config_of())
    assert later.values == result


def test_channels_of_differences(client: Client, saver: AgentlogSaver) -> None:
    class State(TypedDict):
        messages: Annotated[
            list[AnyMessage],
            DeltaChannel(lambda known, writes: sum(writes, known), snapshot_frequency=4),
        ]

    graph = StateGraph(State)
    graph.add_node("say", lambda state: {"messages": [AIMessage(str(len(state["messages"])))]})
    graph.add_edge(START, "say")
    for turn in range(5):
        compiled = graph.compile(checkpointer=saver)
        compiled.invoke({"messages": [HumanMessage(f"turn {turn}")]}, config_of())
        if turn == 2:
            saver.prune(["graph"])
    conversation = [text for n in range(5) for text in (f"turn {n}", str(2 * n + 1))]
    later = graph.compile(checkpointer=AgentlogSaver(client)).get_state(config_of())
    assert texts(later.values["messages"]) == conversation
    assert shown(client) == conversation
