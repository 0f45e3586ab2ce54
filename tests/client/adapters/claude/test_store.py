"""Claude's session store: the SDK's own contracts, the views of the imported file, faults."""

import asyncio
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import fold_session_summary
from claude_agent_sdk.testing import run_session_store_conformance
from claude_agent_sdk.types import SessionKey
from fastapi import FastAPI

from agentlog.domain.access import SCOPES
from agentlog.infrastructure.postgres.database import Database
from agentlog_client import Client, ServiceAway
from agentlog_client.adapters.claude import AgentlogSessionStore
from tests.api.keyholders import empty_keys, make_key
from tests.client.adapters.faults import Network, client_through
from tests.client.conftest import client_of
from tests.projections.readers.of_format import read
from tests.projections.views.test_source import items_in

KEY: SessionKey = {
    "project_key": "-home-me-work",
    "session_id": "5f0c2a9e-7d14-4f6b-8a51-c0ffee000001",
}
SUB: SessionKey = {**KEY, "subpath": "subagents/agent-a1"}
LINES = items_in("claude-code")


@pytest.fixture
def store(client: Client) -> AgentlogSessionStore:
    """A store that has sent nothing yet."""
    return AgentlogSessionStore(client)


def entry(number: int, text: str = "x") -> Any:
    uuid = f"00000000-0000-4000-8000-{number:012}"
    return {"type": "user", "uuid": uuid, "message": {"role": "user", "content": text}}


def append(store: AgentlogSessionStore, *entries: Any, key: SessionKey = KEY) -> None:
    asyncio.run(store.append(key, list(entries)))


def load(store: AgentlogSessionStore, key: SessionKey = KEY) -> Any:
    return asyncio.run(store.load(key))


def test_the_sdk_finds_all_its_contracts_kept(app: FastAPI, url: str, database: Database) -> None:
    numbers = count()
    with ExitStack() as clients:
        clients.callback(empty_keys, database)

        def make_store() -> AgentlogSessionStore:
            key = make_key(app, *SCOPES, tenant=f"contract-{next(numbers)}").reveal()
            return AgentlogSessionStore(clients.enter_context(client_of(url, key=key)))

        asyncio.run(run_session_store_conformance(make_store))
    assert next(numbers) == 15  # one that is looked at, and one for each of 14 contracts


@pytest.mark.parametrize("size", [1, 5, 1000])
def test_a_mirrored_session_reads_as_its_imported_file(
    client: Client, store: AgentlogSessionStore, size: int
) -> None:
    for begin in range(0, len(LINES), size):
        append(store, *LINES[begin : begin + size])
    assert load(store) == LINES
    (mirrored,) = [thread.thread_id for thread in client.threads()]
    history = read("claude-code", LINES)
    client.start_thread("imported", policy="record", metadata=history.metadata)
    client.append("imported", list(history.drafts))
    for view in ("openai", "letta", "agent-state"):
        assert seen(client, mirrored, view) == seen(client, "imported", view)


def seen(client: Client, thread: str, view: str) -> Any:
    """Return a view without what is of its thread alone: ids of it, and those of places."""
    shown = client.view(thread, view)
    text = json.dumps(shown.state or list(shown.items)).replace(thread, "THREAD")
    made = {str(draft["id"]) for draft in read("claude-code", LINES).drafts if "id" in draft}
    return [
        {key: value for key, value in item.items() if key != "id" or value in made}
        if isinstance(item, dict)
        else item
        for item in (json.loads(text) if isinstance(json.loads(text), list) else [json.loads(text)])
    ]


def test_a_retry_appends_nothing_twice(url: str, store: AgentlogSessionStore) -> None:
    network = Network()
    lines = [entry(1), {"type": "mode", "mode": "x"}, entry(2)]
    with client_through(network, url) as client:
        unlucky = AgentlogSessionStore(client)
        append(unlucky, entry(0))
        network.lost = 1
        with pytest.raises(ServiceAway):
            append(unlucky, *lines)
        append(unlucky, *lines)
    append(store, entry(1))
    assert load(store) == [entry(0), *lines]


def test_what_a_service_that_is_away_misses_is_sent_when_it_is_back(
    url: str, store: AgentlogSessionStore
) -> None:
    network = Network()
    network.away = True
    with client_through(network, url) as client:
        waiting = AgentlogSessionStore(client)
        for _ in range(3):
            with pytest.raises(ServiceAway):
                append(waiting, entry(1), entry(2))
        network.away = False
        append(waiting, entry(1), entry(2), entry(3))
    assert load(store) == [entry(1), entry(2), entry(3)]


def test_two_writers_of_a_session_lose_nothing(client: Client) -> None:
    writers = [AgentlogSessionStore(client) for _ in range(2)]

    def write(number: int) -> None:
        for n in range(10):
            append(writers[number], entry(100 * number + n, f"{number} {n}"))

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, range(2)))
    loaded = load(writers[0])
    for number in range(2):
        own = [line for line in loaded if line["message"]["content"].startswith(f"{number} ")]
        assert own == [entry(100 * number + n, f"{number} {n}") for n in range(10)]
    assert len(loaded) == 20
    (summary,) = asyncio.run(writers[0].list_session_summaries(KEY["project_key"]))
    assert summary["data"] == fold_session_summary(None, KEY, loaded)["data"]


def test_another_process_goes_on_with_the_summary(client: Client) -> None:
    title = {"type": "custom-title", "customTitle": "Parcels"}
    append(AgentlogSessionStore(client), entry(1, "Where is it?"), title)
    append(AgentlogSessionStore(client), entry(2, "And now?"))
    store = AgentlogSessionStore(client)
    (summary,) = asyncio.run(store.list_session_summaries(KEY["project_key"]))
    assert summary["data"]["first_prompt"] == "Where is it?"
    assert summary["data"]["custom_title"] == "Parcels"


def test_a_deleted_session_is_in_the_log_and_may_come_again(
    client: Client, store: AgentlogSessionStore
) -> None:
    append(store, entry(1), entry(2))
    (thread,) = client.threads()
    asyncio.run(store.delete(KEY))
    assert load(store) is None
    assert client.view(thread.thread_id, "source", at=thread.version).items == [entry(1), entry(2)]
    append(store, entry(1))
    assert load(store) == [entry(1)]
    (listed,) = asyncio.run(store.list_sessions(KEY["project_key"]))
    assert listed["session_id"] == KEY["session_id"]


def test_a_sub_agent_is_a_thread_below_its_session(
    client: Client, store: AgentlogSessionStore
) -> None:
    append(store, entry(1))
    append(store, entry(2), key=SUB)
    (sub,) = [thread for thread in client.threads() if thread.parent]
    assert sub.thread_id == f"{sub.parent}:a1"
    assert sub.metadata["claudeSubpath"] == SUB["subpath"]


PROGRAM = """
import asyncio, sys
from agentlog_client.adapters.claude import AgentlogSessionStore
from tests.client.adapters.claude.test_store import KEY, append, entry
from tests.client.conftest import client_of
store = AgentlogSessionStore(client_of(sys.argv[1]))
for n in range(1000):
    append(store, entry(n), entry(1000 + n))
    print(n, flush=True)
"""


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_whole_batches(
    url: str, store: AgentlogSessionStore
) -> None:
    words = [sys.executable, "-c", PROGRAM, url]
    root = Path(__file__).parents[4]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        for _ in range(5):
            process.stdout.readline()
        process.kill()
    loaded = load(store)
    assert len(loaded) >= 10
    assert loaded == [entry(n + m) for n in range(len(loaded) // 2) for m in (0, 1000)]
    again = [entry(n + m) for n in range(50) for m in (0, 1000)]
    append(store, *again)  # as import_session_to_store does, from the file
    assert load(store) == again
