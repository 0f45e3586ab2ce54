"""What is erased from the log is gone from the graph's state, which still reads."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from agentlog_client import Client
from agentlog_client.adapters.langgraph import AgentlogSaver
from tests.client.adapters.langgraph.graphs import agent, call_of, config_of, texts

PRIVATE = "what nobody has to know of the house and its people"


@pytest.mark.parametrize("knows", [True, False])
def test_state_reads_without_what_was_erased(
    client: Client, saver: AgentlogSaver, *, knows: bool
) -> None:
    blocks: list[Any] = [{"type": "text", "text": PRIVATE}, {"type": "text", "text": "and more"}]
    answers = [call_of("weather", city=PRIVATE), AIMessage([{"type": "text", "text": PRIVATE}])]
    graph = agent(saver, answers)
    graph.invoke({"messages": [HumanMessage(blocks, name="one")]}, config_of())
    for event in list(client.messages("graph")):
        if event.type in {"input", "tool_calls", "tool_results", "reply"}:
            client.redact_message("graph", event.message["id"], reason="asked")
    read = agent(saver if knows else AgentlogSaver(client), [])
    messages = read.get_state(config_of()).values["messages"]
    assert [type(message) for message in messages] == [
        HumanMessage,
        AIMessage,
        ToolMessage,
        AIMessage,
    ]
    assert PRIVATE not in str(messages)
    assert PRIVATE not in str(list(client.messages("graph")))
    count = client.thread("graph").version
    read.invoke({"messages": [HumanMessage("go on")]}, config_of())
    after = read.get_state(config_of()).values["messages"]
    assert after[:4] == messages
    assert texts(after[4:]) == ["go on", "done after 3"]
    new = client.messages("graph", after=count)
    assert [event.message["text"] for event in new if event.type in {"input", "reply"}] == [
        "go on",
        "done after 3",
    ]
