"""What steps of sessions take, by agentlog's adapters and by the stores of the frameworks."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from agents import SQLiteSession, TResponseInputItem
from agents.memory import Session
from claude_agent_sdk import InMemorySessionStore, SessionStore
from claude_agent_sdk.types import SessionKey

from agentlog_client import Client
from agentlog_client.adapters.claude import AgentlogSessionStore
from agentlog_client.adapters.openai_agents import AgentlogSession
from benchmarks.harness.databases import new_database
from benchmarks.harness.figures import Case, Figure, sample_in_turn
from benchmarks.harness.service import served

_LONG = 1000
_TEXT = "one kilobyte " * 80


def measure_sessions(server: str, scratch: Path, *, runs: int, times: int) -> Sequence[Case]:
    """Return what a step and a read of a long session take, for each SDK."""
    with ExitStack() as stack:
        where = stack.enter_context(served(stack.enter_context(new_database(server))))
        client = stack.enter_context(Client(f"http://{where.host}:{where.port}"))
        loop = stack.enter_context(asyncio.Runner())
        return [
            *_of_agents(client, loop, scratch, runs=runs, times=times),
            *_of_claude(client, loop, runs=runs, times=times),
        ]


def _of_agents(
    client: Client, loop: asyncio.Runner, scratch: Path, *, runs: int, times: int
) -> Sequence[Case]:
    added, read = (
        [Figure("SQLiteSession, a file", "floor"), Figure("AgentlogSession", "agentlog")]
        for _ in range(2)
    )
    for run in range(runs):
        sessions: list[Any] = [
            SQLiteSession(f"run {run}", scratch / f"session-{run}"),
            AgentlogSession(f"run {run}", client),
        ]
        steps = [_done(loop, _adding(session)) for session in sessions]
        sample_in_turn(list(zip(added, steps, strict=True)), times=times)
        for session in sessions:
            loop.run(session.add_items([_item(n) for n in range(_LONG - times)]))
        reads = [_done(loop, session.get_items) for session in sessions]
        sample_in_turn(list(zip(read, reads, strict=True)), times=max(5, times // 10))
    return [
        Case(
            "A step of a session of the OpenAI Agents SDK",
            "A call and its result of 1 kB are added; the session grows.",
            added,
        ),
        Case(f"A session of {_LONG:,} items, read", "Each has 1 kB.", read),
    ]


def _item(number: int) -> TResponseInputItem:
    return {"role": "user", "content": f"{number} {_TEXT}"}


def _adding(session: Session) -> Callable[[], Awaitable[object]]:
    numbers = itertools.count()

    def step() -> Awaitable[object]:
        call_id = f"call_{next(numbers)}"
        call = {"type": "function_call", "call_id": call_id, "name": "f", "arguments": "{}"}
        output = {"type": "function_call_output", "call_id": call_id, "output": _TEXT}
        added: Awaitable[object] = session.add_items([call, output])
        return added

    return step


def _of_claude(client: Client, loop: asyncio.Runner, *, runs: int, times: int) -> Sequence[Case]:
    mirrored, read = (
        [Figure("InMemorySessionStore", "floor"), Figure("AgentlogSessionStore", "agentlog")]
        for _ in range(2)
    )
    for run in range(runs):
        key: SessionKey = {"project_key": "-work", "session_id": f"run-{run}"}
        stores: list[Any] = [InMemorySessionStore(), AgentlogSessionStore(client)]
        steps = [_done(loop, _mirroring(store, key)) for store in stores]
        sample_in_turn(list(zip(mirrored, steps, strict=True)), times=times)
        loads = [_done(loop, partial(store.load, key)) for store in stores]
        sample_in_turn(list(zip(read, loads, strict=True)), times=max(5, times // 10))
    return [
        Case(
            "A batch of a mirrored session of the Claude Agent SDK",
            "Four lines of 1 kB: two calls and their results; the session grows.",
            mirrored,
        ),
        Case(
            f"A mirrored session of some {4 * times:,} lines, loaded", "In a batch of four.", read
        ),
    ]


def _mirroring(store: SessionStore, key: SessionKey) -> Callable[[], Awaitable[object]]:
    numbers = itertools.count(1)

    def line(kind: str, role: str, block: dict[str, Any]) -> dict[str, Any]:
        message = {"role": role, "content": [block], "id": f"msg_{next(numbers)}"}
        uuid = str(UUID(int=next(numbers)))
        return {"type": kind, "uuid": uuid, "sessionId": key["session_id"], "message": message}

    def step() -> Awaitable[object]:
        lines = []
        for _ in range(2):
            call_id = f"call_{next(numbers)}"
            call = {"type": "tool_use", "id": call_id, "name": "Bash", "input": {"a": _TEXT}}
            result = {"type": "tool_result", "tool_use_id": call_id, "content": _TEXT}
            lines += [line("assistant", "assistant", call), line("user", "user", result)]
        appended: Awaitable[object] = store.append(key, lines)
        return appended

    return step


def _done(loop: asyncio.Runner, step: Callable[[], Awaitable[object]]) -> Callable[[], object]:
    async def awaited() -> object:
        return await step()

    return lambda: loop.run(awaited())
