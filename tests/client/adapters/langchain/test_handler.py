"""The callback handler records what models and tools say, each message once."""

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListLLM
from langchain_core.language_models.fake_chat_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from pydantic import SecretStr

from agentlog_client import Client
from agentlog_client.adapters.langchain import AgentlogCallbackHandler
from tests.client.adapters.langgraph.graphs import asking, call_of, contents, weather
from tests.providers.script import Answer, Call
from tests.providers.server import ScriptedProvider


@pytest.fixture
def handler(url: str, tmp_path: Path) -> Iterator[AgentlogCallbackHandler]:
    """A handler that records into the service."""
    handler = AgentlogCallbackHandler(url, spool=tmp_path)
    yield handler
    assert handler.flush()
    handler.close()


def shown(client: Client, handler: AgentlogCallbackHandler, thread_id: str) -> list[str]:
    assert handler.flush()
    return contents(client.view(thread_id, "openai").items)


def config_of(handler: AgentlogCallbackHandler, thread_id: str = "chain") -> RunnableConfig:
    return {"callbacks": [handler], "metadata": {"thread_id": thread_id}}


def model_of(*answers: AIMessage) -> FakeMessagesListChatModel:
    return FakeMessagesListChatModel(responses=list(answers))


def agent(answers: Sequence[AIMessage]) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Return an agent with a tool, whose model gives these answers."""
    model = model_of(*answers)

    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke([SystemMessage("be brief"), *state["messages"]])]}

    def goes_on(state: MessagesState) -> str:
        last = state["messages"][-1]
        return "tools" if isinstance(last, AIMessage) and last.tool_calls else END

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode([weather]))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", goes_on)
    graph.add_edge("tools", "ask")
    return graph.compile()


def test_each_message_of_a_conversation_is_recorded_once(
    client: Client, handler: AgentlogCallbackHandler
) -> None:
    model = model_of(AIMessage("hello"), AIMessage("hello"))
    history = [SystemMessage("be kind"), HumanMessage("hi")]
    history.append(model.invoke(history, config_of(handler)))
    history.append(HumanMessage("hi"))
    model.invoke(history, config_of(handler))
    assert shown(client, handler, "chain") == ["be kind", "hi", "hello", "hi", "hello"]
    types = [event.type for event in client.messages("chain")]
    assert types.count("llm_request") == types.count("llm_response") == 2


def test_an_agent_with_tools_and_its_figures(
    client: Client, handler: AgentlogCallbackHandler
) -> None:
    graph = agent([call_of("weather", city="Rome"), AIMessage("It is sunny.")])
    graph.invoke({"messages": [("user", "weather?")]}, config_of(handler))
    conversation = ["be brief", "weather?", "weather", "sunny in Rome", "It is sunny."]
    assert shown(client, handler, "chain") == conversation
    assert client.thread("chain").anomalies == 0
    first, _ = client.messages("chain", filter="type:llm_response")
    assert first.message["usage"]["totalTokens"] == 15
    assert first.message["latencyMs"] >= 0


def test_a_program_that_starts_again_records_nothing_twice(
    client: Client, handler: AgentlogCallbackHandler, url: str, tmp_path: Path
) -> None:
    answers = [call_of("weather", city="Rome"), AIMessage("It is sunny.", id="sunny")]
    question = {"messages": [HumanMessage("weather?", id="question")]}
    state = agent(answers).invoke(question, config_of(handler))
    assert handler.flush()
    again = AgentlogCallbackHandler(url, spool=tmp_path / "other")
    more = {"messages": [*state["messages"], HumanMessage("and Oslo?")]}
    agent([AIMessage("Rain.")]).invoke(more, config_of(again))
    conversation = ["be brief", "weather?", "weather", "sunny in Rome", "It is sunny."]
    assert shown(client, again, "chain") == [*conversation, "and Oslo?", "Rain."]
    again.close()


def test_awaited_runs_without_a_thread_have_one_of_their_own(
    client: Client, handler: AgentlogCallbackHandler
) -> None:
    chain = ChatPromptTemplate.from_messages([("user", "say {word}")]) | model_of(AIMessage("yes"))

    async def run() -> None:
        config: RunnableConfig = {"callbacks": [handler]}
        await asyncio.gather(*(chain.ainvoke({"word": word}, config) for word in "abc"))

    asyncio.run(run())
    assert handler.flush()
    threads = [contents(client.view(t.thread_id, "openai").items) for t in client.threads()]
    assert sorted(threads) == [[f"say {word}", "yes"] for word in "abc"]


def test_errors_are_recorded_once_and_raised(
    client: Client, handler: AgentlogCallbackHandler
) -> None:
    def fail(_: object) -> None:
        raise ValueError("no such thing")

    chain = RunnableLambda(lambda text: text) | RunnableLambda(fail)
    with pytest.raises(ValueError, match="no such thing"):
        chain.invoke("hi", config_of(handler))
    with pytest.raises(IndexError):
        model_of().invoke("hi", config_of(handler))
    assert shown(client, handler, "chain") == ["hi"]
    errors = [
        event.message["error"] for event in client.messages("chain", filter="type:runtime_error")
    ]
    assert len(errors) == 2
    assert "no such thing" in errors[0]


def test_a_graph_that_waits_for_a_person_has_not_failed(
    client: Client, handler: AgentlogCallbackHandler
) -> None:
    graph = asking(InMemorySaver())
    config: RunnableConfig = {"callbacks": [handler], "configurable": {"thread_id": "chain"}}
    graph.invoke({"messages": [HumanMessage("hi")]}, config)
    model_of(AIMessage("hello")).invoke("hi", config_of(handler))
    assert shown(client, handler, "chain") == ["hi", "hello"]
    assert list(client.messages("chain", filter="type:runtime_error")) == []


def test_a_tool_that_no_model_called_and_one_that_fails(
    client: Client, handler: AgentlogCallbackHandler
) -> None:
    weather.invoke({"city": "Rome"}, config_of(handler))
    with pytest.raises(ValueError, match="city"):
        weather.invoke({"town": "Rome"}, config_of(handler))
    assert shown(client, handler, "chain")[:2] == ["weather", "sunny in Rome"]
    last = list(client.messages("chain", filter="type:tool_results"))[-1].message["results"][0]
    assert last["error"]


def test_a_subgraph_has_a_thread_of_its_own(
    client: Client, handler: AgentlogCallbackHandler
) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("inner", agent([AIMessage("from within")]))
    graph.add_node(
        "outer",
        lambda state: {"messages": [model_of(AIMessage("from without")).invoke(state["messages"])]},
    )
    graph.add_edge(START, "inner")
    graph.add_edge("inner", "outer")
    graph.compile().invoke({"messages": [HumanMessage("hi")]}, config_of(handler))
    assert shown(client, handler, "chain") == ["hi", "from within", "from without"]
    (inner,) = client.threads(filter="parent:chain")
    assert shown(client, handler, inner.thread_id) == ["be brief", "hi", "from within"]


def test_a_model_of_completions(client: Client, handler: AgentlogCallbackHandler) -> None:
    FakeListLLM(responses=["four"]).invoke("two and two", config_of(handler))
    assert shown(client, handler, "chain") == ["two and two", "four"]


def test_an_agent_goes_on_where_no_service_is(tmp_path: Path) -> None:
    handler = AgentlogCallbackHandler("http://127.0.0.1:1", spool=tmp_path)
    assert model_of(AIMessage("hello")).invoke("hi", config_of(handler)).content == "hello"
    assert not handler.flush(0)
    handler.close(0)


@pytest.mark.parametrize("streaming", [True, False])
def test_a_real_model_of_openai(
    client: Client, handler: AgentlogCallbackHandler, *, streaming: bool
) -> None:
    answer = Answer("I will look.", [Call("weather", {"city": "Rome"})])
    with ScriptedProvider(lambda _: answer) as provider:
        model = ChatOpenAI(
            model="gpt-4o-mini",
            base_url=f"{provider.url}/v1",
            api_key=SecretStr("any"),
            temperature=0.5,
            streaming=streaming,
            stream_usage=True,
        )
        model.bind_tools([weather]).invoke("weather?", config_of(handler))
    assert shown(client, handler, "chain")[:2] == ["weather?", "weather"]
    request = client.view("chain", "request").state
    assert request["model"] == "gpt-4o-mini"
    assert [tool["function"]["name"] for tool in request["tools"]] == ["weather"]
    (response,) = client.messages("chain", filter="type:llm_response")
    assert response.message["usage"]["totalTokens"] > 0
    assert response.message["model"].startswith("gpt-4o-mini")
