"""How much of the log a conversation takes."""

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph

from agentlog.infrastructure.postgres.database import Database
from agentlog_client.adapters.langgraph import AgentlogSaver
from tests.client.adapters.langgraph.graphs import config_of

_ROWS = """
    SELECT (SELECT sum(pg_column_size(events.*)) FROM agentlog.events)
         + (SELECT coalesce(sum(pg_column_size(blobs.*)), 0) FROM agentlog.blobs)
"""


def bytes_of_rows(database: Database) -> int:
    with database.connection() as connection:
        return int(connection.execute(_ROWS).fetchone()[0])


@pytest.mark.parametrize("form", ["message", "pair"])
def test_a_hundred_messages_of_a_kilobyte_take_less_than_400(
    database: Database, saver: AgentlogSaver, form: str
) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("say", lambda _: {"messages": [AIMessage("x" * 1000)]})
    graph.add_edge(START, "say")
    compiled = graph.compile(checkpointer=saver)
    text = "y" * 1000
    for _ in range(50):
        question: AnyMessage | tuple[str, str] = (
            HumanMessage(text) if form == "message" else ("user", text)
        )
        compiled.invoke({"messages": [question]}, config_of())
    assert len(compiled.get_state(config_of()).values["messages"]) == 100
    assert bytes_of_rows(database) < 400_000
