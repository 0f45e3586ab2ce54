"""Appends messages to one of the peers, one durable write each; runs in the peers' environment.

Arguments: the peer, the database's URL, a file of messages on OpenAI's wire, one a line. Prints
the seconds of each append as JSON. Every append is what an agent does after each message: the
checkpointer stores the thread's state, which is its messages so far.
"""

import asyncio
import json
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import psycopg
from agents.extensions.memory import SQLAlchemySession
from langchain_core.messages import convert_to_messages
from langchain_postgres import (  # type: ignore[import-not-found] # of the peers' environment
    PostgresChatMessageHistory,
)
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.postgres import (  # type: ignore[import-not-found] # as above
    PostgresSaver,
)
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import URL  # type: ignore[import-not-found] # of the peers' environment

Item = dict[str, object]


def langgraph(url: str, items: list[Item]) -> list[float]:
    """LangGraph's PostgresSaver: one put a message, the channel's value growing."""
    taken: list[float] = []
    messages = convert_to_messages(items)
    with PostgresSaver.from_conn_string(url) as saver:
        saver.setup()
        config = {"configurable": {"thread_id": "one", "checkpoint_ns": ""}}
        version = None
        for number in range(len(messages)):
            version = saver.get_next_version(version, None)
            checkpoint = empty_checkpoint()
            checkpoint["channel_values"] = {"messages": messages[: number + 1]}
            checkpoint["channel_versions"] = {"messages": version}
            metadata = {"source": "loop", "step": number, "parents": {}}
            began = time.perf_counter()
            config = saver.put(config, checkpoint, metadata, {"messages": version})
            taken.append(time.perf_counter() - began)
    return taken


def agents_sdk(url: str, items: list[Item]) -> list[float]:
    """The OpenAI Agents SDK's SQLAlchemySession: add_items of one item."""
    return asyncio.run(_agents_sdk(url, items))


async def _agents_sdk(url: str, items: list[Item]) -> list[float]:
    given = conninfo_to_dict(url)
    host, port = str(given["host"]), str(given.get("port", 5432))
    address = URL.create(
        "postgresql+asyncpg",
        username=str(given.get("user", "postgres")),
        password=str(given["password"]) if "password" in given else None,
        database=str(given["dbname"]),
        query={"host": host, "port": port},
    )
    session = SQLAlchemySession.from_url(
        "one", url=address.render_as_string(hide_password=False), create_tables=True
    )
    await session.get_items()  # makes the tables
    taken: list[float] = []
    for item in items:
        began = time.perf_counter()
        await session.add_items([item])
        taken.append(time.perf_counter() - began)
    await session.engine.dispose()
    return taken


def langchain(url: str, items: list[Item]) -> list[float]:
    """LangChain's PostgresChatMessageHistory: add_messages of one message."""
    taken: list[float] = []
    messages = convert_to_messages(items)
    with psycopg.connect(url) as connection:
        PostgresChatMessageHistory.create_tables(connection, "histories")
        history = PostgresChatMessageHistory(
            "histories", str(uuid.uuid4()), sync_connection=connection
        )
        for message in messages:
            began = time.perf_counter()
            history.add_messages([message])
            taken.append(time.perf_counter() - began)
    return taken


PEERS: dict[str, Callable[[str, list[Item]], list[float]]] = {
    "langgraph": langgraph,
    "agents-sdk": agents_sdk,
    "langchain": langchain,
}


if __name__ == "__main__":
    peer, database, path = sys.argv[1:]
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    print(json.dumps(PEERS[peer](database, [json.loads(line) for line in lines])))
