"""Interrupts that ask a person to allow calls are approvals of the thread."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from agentlog_client import Client
from agentlog_client.adapters.langgraph import AgentlogSaver
from tests.client.adapters.langgraph.graphs import Graph, call_of, config_of

CALLS = [call_of("pay", amount=10), call_of("pay", amount=20)]


def asking(saver: AgentlogSaver, request: Any) -> Graph:
    """Return a graph that asks whether it may do the calls of its model."""
    calls = [call for message in CALLS for call in message.tool_calls]
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda _: {"messages": [AIMessage("", tool_calls=calls)]})
    graph.add_node("ask", lambda _: {"messages": [AIMessage(f"told {interrupt(request)}")]})
    graph.add_edge(START, "model")
    graph.add_edge("model", "ask")
    return graph.compile(checkpointer=saver)


def approvals(client: Client) -> list[dict[str, Any]]:
    types = "type:approval_request or type:approval_response"
    dropped = {"id", "timestamp", "type"}
    return [
        {key: value for key, value in event.message.items() if key not in dropped}
        for event in client.messages("graph", filter=types)
    ]


REQUEST = {
    "action_requests": [
        {"name": "pay", "args": {"amount": 20}, "description": "It is a lot."},
        {"name": "pay", "args": {"amount": 10}},
    ],
    "review_configs": [],
}
OLDER = [
    {"action_request": {"action": "pay", "args": {"amount": 20}}, "description": "It is a lot."},
    {"action_request": {"action": "pay", "args": {"amount": 10}}},
]


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (REQUEST, {"decisions": [{"type": "reject", "message": "too much"}, {"type": "approve"}]}),
        (OLDER, [{"type": "response", "args": "too much"}, {"type": "accept", "args": None}]),
    ],
)
def test_calls_wait_for_a_person(
    client: Client, saver: AgentlogSaver, request_: Any, answer: Any
) -> None:
    graph = asking(saver, request_)
    graph.invoke({"messages": [HumanMessage("pay")]}, config_of())
    first, second = [message.tool_calls[0]["id"] for message in CALLS]
    requests = [
        {"callId": second, "tool": "pay", "args": {"amount": 20}, "reason": "It is a lot."},
        {"callId": first, "tool": "pay", "args": {"amount": 10}},
    ]
    assert approvals(client) == requests
    asking(AgentlogSaver(client), request_).invoke(Command(resume=answer), config_of())
    assert approvals(client) == [
        *requests,
        {"callId": second, "approved": False, "reason": "too much"},
        {"callId": first, "approved": True},
    ]
    assert client.thread("graph").anomalies == 0


@pytest.mark.parametrize("request_", ["may I?", {"action_requests": "odd"}, [1], None])
def test_other_interrupts_are_values(client: Client, saver: AgentlogSaver, request_: Any) -> None:
    graph = asking(saver, request_)
    graph.invoke({"messages": [HumanMessage("pay")]}, config_of())
    result = graph.invoke(Command(resume=[{"type": "approve"}]), config_of())
    assert result["messages"][-1].text == "told [{'type': 'approve'}]"
    assert approvals(client) == []
