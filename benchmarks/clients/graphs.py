"""What a turn of a graph of LangGraph takes by each checkpointer, and a read of a long thread."""

import itertools
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

from agentlog_client import Client
from agentlog_client.adapters.langgraph import AgentlogSaver
from benchmarks.harness.databases import new_database
from benchmarks.harness.figures import Case, Figure, sample_in_turn
from benchmarks.harness.service import served

STEPS = 3
"""Checkpoints of a turn."""
_LONG = 1000
_TEXT = "one kilobyte " * 80


def measure_graphs(server: str, scratch: Path, *, runs: int, times: int) -> Sequence[Case]:
    """Return what a turn of three checkpoints takes, and a read of the last of a thousand."""
    with ExitStack() as stack:
        where = stack.enter_context(served(stack.enter_context(new_database(server))))
        client = stack.enter_context(Client(f"http://{where.host}:{where.port}"))
        sqlite = stack.enter_context(SqliteSaver.from_conn_string(str(scratch / "graphs.sqlite")))
        savers: list[tuple[str, Any, BaseCheckpointSaver[Any]]] = [
            ("InMemorySaver", "floor", InMemorySaver()),
            ("SqliteSaver", "peer", sqlite),
            ("AgentlogSaver", "agentlog", AgentlogSaver(client)),
        ]
        cases = [
            _turns(savers, seconds, runs=runs, times=max(5, times // 5)) for seconds in (0.0, 0.02)
        ]
        return [*cases, _reads(savers, client, runs=runs, times=times)]


def _turns(
    savers: Sequence[tuple[str, Any, BaseCheckpointSaver[Any]]],
    seconds: float,
    *,
    runs: int,
    times: int,
) -> Case:
    figures = [Figure(name, role) for name, role, _ in savers]
    for run in range(runs):
        sample_in_turn(
            [
                (figure, _turn(saver, f"{seconds} {run}", seconds))
                for figure, (_, _, saver) in zip(figures, savers, strict=True)
            ],
            times=times,
        )
    return Case(
        f"A turn of a graph whose node takes {seconds * 1000:.0f} ms",
        f"{STEPS} checkpoints, a question and an answer of 1 kB; the same thread grows.",
        figures,
    )


def _turn(saver: BaseCheckpointSaver[Any], thread: str, seconds: float) -> Callable[[], object]:
    def answer(state: MessagesState) -> dict[str, Any]:
        del state
        time.sleep(seconds)
        return {"messages": [AIMessage(_TEXT)]}

    graph = StateGraph(MessagesState)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    compiled = graph.compile(checkpointer=saver)
    config: RunnableConfig = {"configurable": {"thread_id": thread}}
    return lambda: compiled.invoke({"messages": [HumanMessage(_TEXT)]}, config)


def _reads(
    savers: Sequence[tuple[str, Any, BaseCheckpointSaver[Any]]],
    client: Client,
    *,
    runs: int,
    times: int,
) -> Case:
    for _, _, saver in savers:
        take_turn = _turn(saver, "long", 0.0)
        for _ in itertools.repeat(None, _LONG // STEPS):
            take_turn()
    config: RunnableConfig = {"configurable": {"thread_id": "long"}}
    figures = [Figure(name, role) for name, role, _ in savers]
    new = Figure("AgentlogSaver, in a process that knows nothing yet", "agentlog")
    for _ in range(runs):
        sample_in_turn(
            [
                *(
                    (figure, lambda saver=saver: saver.get_tuple(config))
                    for figure, (_, _, saver) in zip(figures, savers, strict=True)
                ),
                (new, lambda: AgentlogSaver(client).get_tuple(config)),
            ],
            times=max(3, times // 10),
        )
    return Case(
        f"The last of {_LONG:,} checkpoints, read",
        f"Its state has {2 * (_LONG // STEPS)} messages of 1 kB.",
        [*figures, new],
    )
