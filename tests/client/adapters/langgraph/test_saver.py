"""Graphs keep their state in agentlog, and their conversation reads in every view."""

import asyncio
from typing import Any

import httpx2
import pytest
from langchain_core.messages import AIMessage, ChatMessage, HumanMessage, RemoveMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command

from agentlog_client import Client
from agentlog_client.adapters.langgraph import AgentlogSaver
from tests.client.adapters.langgraph.graphs import (
    agent,
    asking,
    call_of,
    config_of,
    contents,
    nested,
    texts,
)
from tests.clients import TLS

QUESTION = {"messages": [{"role": "user", "content": "how is the weather?"}]}


def shown(client: Client, thread_id: str = "graph") -> list[str]:
    """Return what the messages of a thread say in the view openai."""
    return contents(client.view(thread_id, "openai").items)


def test_an_agent_with_tools_reads_in_the_views(client: Client, saver: AgentlogSaver) -> None:
    graph = agent(saver, [call_of("weather", city="Rome"), call_of("weather", city="Oslo")])
    result = graph.invoke(QUESTION, config_of())
    conversation = ["how is the weather?", "weather", "sunny in Rome", "weather", "sunny in Oslo"]
    assert texts(result["messages"]) == [*conversation, "done after 3"]
    assert shown(client) == [*conversation, "done after 3"]
    assert client.thread("graph").anomalies == 0
    usages = [
        event.message["usage"]["totalTokens"]
        for event in client.messages("graph", filter="type:llm_response")
    ]
    assert usages == [15, 15]
    state = client.view("graph", "agent-state").state
    assert [item["role"] for item in state["history"]][:3] == ["user", "assistant", "tool"]


def test_state_is_the_same_as_in_memory_and_in_another_process(
    client: Client, saver: AgentlogSaver
) -> None:
    answers = [call_of("weather", city="Rome"), AIMessage("fine", id="fine")]
    histories = []
    for checkpointer in (saver, InMemorySaver()):
        graph = agent(checkpointer, answers)
        graph.invoke({"messages": [HumanMessage("hi", id="hi")]}, config_of())
        graph.invoke({"messages": [HumanMessage("again", id="again")]}, config_of())
        histories.append(graph.get_state_history(config_of()))
    later = agent(AgentlogSaver(client), []).get_state_history(config_of())
    ours, theirs, read = ([_state(item) for item in history] for history in (*histories, later))
    assert ours == read
    assert [_without_ids(state) for state in ours] == [_without_ids(state) for state in theirs]


def _state(snapshot: Any) -> dict[str, Any]:
    return {
        "values": snapshot.values,
        "next": snapshot.next,
        "step": snapshot.metadata["step"],
        "source": snapshot.metadata["source"],
        "writes": [task.result for task in snapshot.tasks],
    }


def _without_ids(state: dict[str, Any]) -> dict[str, Any]:
    """Return a state without the ids that LangGraph draws."""
    messages = [
        message.model_copy(update={"id": None}) for message in state["values"].get("messages", [])
    ]
    return {
        **state,
        "values": {**state["values"], "messages": messages},
        "writes": len(state["writes"]),
    }


def test_an_interrupted_graph_goes_on_in_another_process(
    client: Client, saver: AgentlogSaver
) -> None:
    asking(saver).invoke(QUESTION, config_of())
    graph = asking(AgentlogSaver(client))
    (waiting,) = graph.get_state(config_of()).interrupts
    assert waiting.value == {"question": "may I?"}
    graph.invoke(Command(resume="yes"), config_of())
    assert shown(client) == ["how is the weather?", "a person said yes"]


def test_a_subgraph_has_a_thread_with_what_is_its_own(client: Client, saver: AgentlogSaver) -> None:
    graph = nested(saver)
    graph.invoke(QUESTION, config_of())
    result = graph.invoke(QUESTION, config_of())
    assert texts(result["messages"])[1::2] == [
        "answered after thought about 1",
        "answered after thought about 3",
    ]
    assert shown(client) == texts(result["messages"])
    inner = [head.thread_id for head in client.threads(filter="parent:graph")]
    assert [shown(client, thread_id) for thread_id in reversed(inner)] == [
        ["thought about 1", "answered after thought about 1"],
        ["thought about 3", "answered after thought about 3"],
    ]
    saved = list(AgentlogSaver(client).list(config_of()))
    inside = [item for item in saved if item.config["configurable"]["checkpoint_ns"]]
    assert texts(inside[0].checkpoint["channel_values"]["messages"]) == texts(result["messages"])


def test_a_fork_of_a_graph_is_a_fork_of_ours_and_nothing_leaks(
    client: Client, saver: AgentlogSaver
) -> None:
    graph = agent(saver, [AIMessage("first"), AIMessage("second"), AIMessage("other")])
    graph.invoke(QUESTION, config_of())
    graph.invoke({"messages": [HumanMessage("go on")]}, config_of())
    before = next(
        snapshot
        for snapshot in graph.get_state_history(config_of())
        if texts(snapshot.values.get("messages", [])) == ["how is the weather?", "first"]
    )
    forked = graph.update_state(before.config, {"messages": [HumanMessage("what if")]}, START)
    graph.invoke(None, forked)
    main = ["how is the weather?", "first", "go on", "second"]
    branch = ["how is the weather?", "first", "what if", "other"]
    assert texts(graph.get_state(config_of()).values["messages"]) == branch
    assert shown(client) == main
    (fork,) = [head for head in client.threads() if head.forked_from]
    assert fork.forked_from
    assert fork.forked_from.thread == "graph"
    assert shown(client, fork.thread_id) == branch
    later = agent(AgentlogSaver(client), [])
    assert texts(later.get_state(config_of()).values["messages"]) == branch
    assert _states(later) == _states(graph)


def _states(graph: Any) -> list[Any]:
    return [
        (item.config["configurable"]["checkpoint_id"], texts(item.values.get("messages", [])))
        for item in graph.get_state_history(config_of())
    ]


def test_what_was_pruned_does_not_come_back_by_a_fork(client: Client, saver: AgentlogSaver) -> None:
    graph = agent(saver, [AIMessage("first"), AIMessage("second")])
    graph.invoke(QUESTION, config_of())
    last = graph.get_state(config_of())
    saver.prune(["graph"])
    for text in ("go on", "what if"):
        graph.update_state(last.config, {"messages": [HumanMessage(text)]})
    assert [
        texts(state.values["messages"])[2:] for state in graph.get_state_history(config_of())
    ] == [
        ["what if"],
        ["go on"],
        [],
    ]
    assert _states(agent(AgentlogSaver(client), [])) == _states(graph)


def test_messages_that_a_graph_removes_or_replaces_stay_in_the_log(
    client: Client, saver: AgentlogSaver
) -> None:
    graph = agent(saver, [AIMessage("first", id="a"), AIMessage("second", id="b")])
    graph.invoke({"messages": [HumanMessage("hi", id="hi")]}, config_of())
    graph.update_state(
        config_of(), {"messages": [RemoveMessage("a"), HumanMessage("bye", id="hi")]}
    )
    read = agent(AgentlogSaver(client), [])
    assert texts(read.get_state(config_of()).values["messages"]) == ["bye"]
    assert shown(client) == ["hi", "first", "bye"]


def test_a_message_written_beside_a_removal_stands_in_the_log_once(
    client: Client, saver: AgentlogSaver
) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("tidy", lambda _: {"messages": [AIMessage("tidy"), RemoveMessage("hi")]})
    graph.add_edge(START, "tidy")
    compiled = graph.compile(checkpointer=saver)
    compiled.invoke({"messages": [HumanMessage("hi", id="hi")]}, config_of())
    assert texts(compiled.get_state(config_of()).values["messages"]) == ["tidy"]
    assert shown(client) == ["hi", "tidy"]


def test_messages_of_other_classes_are_kept(client: Client, saver: AgentlogSaver) -> None:
    graph = agent(saver, [])
    critic = ChatMessage(content="of a role", role="critic", id="critic")
    graph.update_state(config_of(), {"messages": [critic]}, START)
    later = agent(AgentlogSaver(client), []).get_state(config_of())
    assert later.values["messages"] == [critic]


def test_a_state_that_was_read_is_asked_for_what_is_new_alone(url: str, client: Client) -> None:
    asked: list[str] = []
    http = httpx2.Client(
        verify=TLS,
        trust_env=False,
        event_hooks={"request": [lambda request: asked.append(request.url.path)]},
    )
    with Client(url, http=http) as counted:
        saver = AgentlogSaver(counted)
        graph = agent(saver, [])
        for _ in range(5):
            graph.invoke({"messages": [HumanMessage("hi")]}, config_of())
        asked.clear()
        saver.get_tuple(config_of())
        assert asked == ["/v1/threads"]
        agent(AgentlogSaver(client), []).invoke({"messages": [HumanMessage("hi")]}, config_of())
        asked.clear()
        read = saver.get_tuple(config_of())
        assert asked == ["/v1/threads", "/v1/threads/graph/messages"]
    assert read
    assert len(read.checkpoint["channel_values"]["messages"]) == 12


def test_an_awaited_graph_with_any_thread_id(client: Client) -> None:
    saver = AgentlogSaver(client)
    thread_id = "a/b c\x00é" * 200

    async def run() -> Any:
        graph = agent(saver, [call_of("weather", city="Rome")])
        await graph.ainvoke(QUESTION, config_of(thread_id))
        return await graph.aget_state(config_of(thread_id))

    state = asyncio.run(run())
    (head,) = client.threads(filter="metadata.framework:langgraph")
    assert head.metadata["langgraphThreadId"] == thread_id
    assert shown(client, head.thread_id) == texts(state.values["messages"])
    read = asyncio.run(agent(AgentlogSaver(client), []).aget_state(config_of(thread_id)))
    assert read.values == state.values


@pytest.mark.parametrize("delete", ["delete_thread", "prune"])
def test_what_a_graph_deletes_stays_in_the_log(
    client: Client, saver: AgentlogSaver, delete: str
) -> None:
    graph = agent(saver, [AIMessage("first"), AIMessage("anew")])
    graph.invoke(QUESTION, config_of())
    if delete == "prune":
        saver.prune(["graph"], strategy="delete")
    else:
        saver.delete_thread("graph")
    assert graph.get_state(config_of()).values == {}
    assert shown(client) == ["how is the weather?", "first"]
    graph.invoke({"messages": [HumanMessage("hello")]}, config_of())
    assert texts(graph.get_state(config_of()).values["messages"]) == ["hello", "anew"]
    assert shown(client) == ["how is the weather?", "first"]
