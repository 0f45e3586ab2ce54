"""Graphs as people build them, with a model that says what it is told to."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypedDict
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import add_messages
from langgraph.graph.state import CompiledStateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import interrupt

Graph = CompiledStateGraph[Any, Any, Any, Any]


class State(TypedDict):
    """Messages, and values beside."""

    messages: Annotated[list[AnyMessage], add_messages]
    steps: int


def config_of(thread_id: str = "graph", **more: str) -> RunnableConfig:
    """Return the configuration of a thread."""
    return {"configurable": {"thread_id": thread_id, **more}}


def call_of(name: str, **args: Any) -> AIMessage:
    """Return an answer that calls a tool."""
    call = {"name": name, "args": args, "id": f"call-{uuid4()}"}
    usage = {"input_tokens": 12, "output_tokens": 3, "total_tokens": 15}
    return AIMessage("", tool_calls=[call], usage_metadata=usage, id=str(uuid4()))


@tool
def weather(city: str) -> str:
    """Tell the weather."""
    return f"sunny in {city}"


def agent(saver: BaseCheckpointSaver[Any], answers: Sequence[AIMessage]) -> Graph:
    """Return an agent with a tool whose model gives these answers, then says how many steps."""
    left = list(answers)

    def model(state: State) -> dict[str, Any]:
        steps = state.get("steps", 0) + 1
        answer = left.pop(0) if left else AIMessage(f"done after {steps}")
        return {"messages": [answer], "steps": steps}

    def goes_on(state: State) -> str:
        last = state["messages"][-1]
        return "tools" if isinstance(last, AIMessage) and last.tool_calls else END

    graph = StateGraph(State)
    graph.add_node("model", model)
    graph.add_node("tools", ToolNode([weather]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", goes_on)
    graph.add_edge("tools", "model")
    return graph.compile(checkpointer=saver)


def counting(
    saver: BaseCheckpointSaver[Any], steps: int, said: Callable[[int], None] = print
) -> Graph:
    """Return a graph that counts in messages up to a number of steps."""

    def step(state: State) -> dict[str, Any]:
        number = state.get("steps", 0) + 1
        said(number)
        return {"messages": [AIMessage(str(number))], "steps": number}

    graph = StateGraph(State)
    graph.add_node("step", step)
    graph.add_edge(START, "step")
    graph.add_conditional_edges("step", lambda state: END if state["steps"] >= steps else "step")
    return graph.compile(checkpointer=saver)


def asking(saver: BaseCheckpointSaver[Any]) -> Graph:
    """Return a graph that asks a person before it answers."""

    def ask(state: MessagesState) -> dict[str, Any]:
        del state
        return {"messages": [AIMessage(f"a person said {interrupt({'question': 'may I?'})}")]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_edge(START, "ask")
    return graph.compile(checkpointer=saver)


def nested(saver: BaseCheckpointSaver[Any]) -> Graph:
    """Return a graph whose node is a graph that shares its messages and has some of its own."""

    class Inner(State):
        thoughts: Annotated[list[AnyMessage], add_messages]

    def think(state: Inner) -> dict[str, Any]:
        return {"thoughts": [AIMessage(f"thought about {len(state['messages'])}")]}

    def answer(state: Inner) -> dict[str, Any]:
        return {"messages": [AIMessage(f"answered after {state['thoughts'][-1].text}")]}

    inner = StateGraph(Inner)
    inner.add_node("think", think)
    inner.add_node("answer", answer)
    inner.add_edge(START, "think")
    inner.add_edge("think", "answer")
    outer = StateGraph(State)
    outer.add_node("inner", inner.compile())
    outer.add_edge(START, "inner")
    return outer.compile(checkpointer=saver)


def texts(messages: Sequence[BaseMessage]) -> list[str]:
    """Return what messages say."""
    return [
        message.tool_calls[0]["name"]
        if isinstance(message, AIMessage) and message.tool_calls
        else str(message.text)
        for message in messages
    ]


def contents(messages: Sequence[dict[str, Any]]) -> list[str]:
    """Return what messages of the view openai say."""
    return [
        message["tool_calls"][0]["function"]["name"]
        if message.get("tool_calls")
        else str(message["content"])
        for message in messages
    ]
