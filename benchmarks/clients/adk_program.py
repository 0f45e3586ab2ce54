"""Samples both session services of Google ADK in turn; runs where ADK is installed.

Arguments: agentlog's address, a file for SQLite, runs, samples a run, events to grow to. Prints
JSON: for events and for reads, of SQLite and of agentlog, the seconds of each run.
"""

import asyncio
import itertools
import json
import sys
from collections.abc import Callable
from typing import Any

from google.adk.events.event import Event
from google.adk.sessions import BaseSessionService, DatabaseSessionService, Session
from google.genai import types

from agentlog_client import Client
from agentlog_client.adapters.google_adk import AgentlogSessionService
from benchmarks.harness.figures import Figure, sample_in_turn

_TEXT = "one kilobyte " * 80
_NAMES = {"app_name": "bench", "user_id": "ann"}


def main() -> None:
    """Measure, and print."""
    url, file, *numbers = sys.argv[1:]
    runs, times, long = map(int, numbers)
    added, read = ([Figure("sqlite", "floor"), Figure("agentlog", "agentlog")] for _ in range(2))
    with Client(url) as client, asyncio.Runner() as loop:
        services = [
            DatabaseSessionService(f"sqlite+aiosqlite:///{file}"),
            AgentlogSessionService(client),
        ]
        for run in range(runs):
            names = {**_NAMES, "session_id": str(run)}
            sessions = [loop.run(service.create_session(**names)) for service in services]
            steps = [
                _appending(loop, service, session)
                for service, session in zip(services, sessions, strict=True)
            ]
            sample_in_turn(list(zip(added, steps, strict=True)), times=times)
            for step in steps:
                for _ in range(long - times):
                    step()
            reads = [_reading(loop, service, names) for service in services]
            sample_in_turn(list(zip(read, reads, strict=True)), times=max(5, times // 10))
    taken = [[figure.runs for figure in figures] for figures in (added, read)]
    sys.stdout.write(json.dumps(taken) + "\n")


def _appending(
    loop: asyncio.Runner, service: BaseSessionService, session: Session
) -> Callable[[], object]:
    numbers = itertools.count()

    def step() -> object:
        number = next(numbers)
        call_id = f"call_{number // 2}"
        if number % 2:
            result = types.FunctionResponse(id=call_id, name="f", response={"result": _TEXT})
            content = types.Content(role="user", parts=[types.Part(function_response=result)])
        else:
            call = types.FunctionCall(id=call_id, name="f", args={})
            content = types.Content(role="model", parts=[types.Part(function_call=call)])
        event = Event(invocation_id="i", author="desk", content=content)
        return loop.run(service.append_event(session, event))

    return step


def _reading(
    loop: asyncio.Runner, service: BaseSessionService, names: dict[str, Any]
) -> Callable[[], object]:
    return lambda: loop.run(service.get_session(**names))


if __name__ == "__main__":
    main()
