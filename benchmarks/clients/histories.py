"""What steps and reads of Pydantic AI's histories take, beside the same JSON in SQLite."""

import itertools
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    ToolReturnPart,
)

from agentlog_client import Client
from agentlog_client.adapters.pydantic_ai import AgentlogHistory
from benchmarks.harness.databases import new_database
from benchmarks.harness.figures import Case, Figure, sample_in_turn
from benchmarks.harness.service import served

_LONG = 1000
_TEXT = "one kilobyte " * 80
_SQLITE = "SQLite: the same JSON, committed"


class SqliteHistory:
    """Keeps messages in SQLite, a row a run, as examples of the framework do."""

    def __init__(self, file: Path) -> None:
        self._database = sqlite3.connect(file)
        self._database.execute("CREATE TABLE runs (id INTEGER PRIMARY KEY, messages TEXT)")

    def save(self, messages: Sequence[ModelMessage]) -> None:
        """Add the messages of a run."""
        with self._database:
            text = ModelMessagesTypeAdapter.dump_json(list(messages))
            self._database.execute("INSERT INTO runs (messages) VALUES (?)", (text,))

    def load(self) -> list[ModelMessage]:
        """Return all messages."""
        rows = self._database.execute("SELECT messages FROM runs ORDER BY id")
        return [
            message for (text,) in rows for message in ModelMessagesTypeAdapter.validate_json(text)
        ]

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def measure_histories(server: str, scratch: Path, *, runs: int, times: int) -> Sequence[Case]:
    """Return what a step and a read of a long history take."""
    saved, loaded = (
        [Figure(_SQLITE, "floor"), Figure("AgentlogHistory", "agentlog")] for _ in range(2)
    )
    with ExitStack() as stack:
        where = stack.enter_context(served(stack.enter_context(new_database(server))))
        client = stack.enter_context(Client(f"http://{where.host}:{where.port}"))
        for run in range(runs):
            sqlite = stack.enter_context(closing(SqliteHistory(scratch / f"history-{run}")))
            histories: list[SqliteHistory | AgentlogHistory] = [
                sqlite,
                AgentlogHistory(f"run {run}", client),
            ]
            steps = [_saving(history.save) for history in histories]
            sample_in_turn(list(zip(saved, steps, strict=True)), times=times)
            for step in steps:
                for _ in range(_LONG // 2 - times):
                    step()
            loads = [history.load for history in histories]
            sample_in_turn(list(zip(loaded, loads, strict=True)), times=max(5, times // 10))
    return [
        Case(
            "A step of a history of Pydantic AI",
            "A call and its result of 1 kB are saved; the history grows.",
            saved,
        ),
        Case(f"A history of some {_LONG:,} messages, loaded", "Every other has 1 kB.", loaded),
    ]


def _saving(save: Callable[[Sequence[ModelMessage]], None]) -> Callable[[], object]:
    numbers = itertools.count()

    def step() -> None:
        call_id = f"call_{next(numbers)}"
        call = ModelResponse([ToolCallPart("f", {}, call_id)])
        save([call, ModelRequest([ToolReturnPart("f", _TEXT, call_id)])])

    return step
