"""A recorder of a real service, and what it tells of."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pytest

from agentlog_client import Client, Recorder, Trouble

NOWHERE = "http://127.0.0.1:9"


class Recorders(Protocol):
    """Makes recorders."""

    def __call__(self, thread: str, *, url: str = ..., key: str | None = ...) -> Recorder: ...


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where messages wait."""
    return tmp_path / "spool"


@pytest.fixture
def troubles() -> list[Trouble]:
    """What recorders tell of."""
    return []


@pytest.fixture
def recorders(url: str, folder: Path, troubles: list[Trouble]) -> Iterator[Recorders]:
    """Makes recorders, which are closed at the end."""
    made: list[Recorder] = []

    def make(thread: str, *, url: str = url, key: str | None = None) -> Recorder:
        recorder = Recorder(thread, url=url, key=key, spool=folder, on_trouble=troubles.append)
        made.append(recorder)
        return recorder

    yield make
    for recorder in made:
        recorder.close(0.1)


def texts(client: Client, thread: str) -> list[str]:
    """Return the texts of a thread's messages, in its order."""
    return [
        event.message["text"]
        for event in client.messages(thread, limit=1000)
        if event.kind == "message"
    ]


@contextmanager
def agent(
    url: str, folder: Path, thread: str, count: int, ending: str
) -> Iterator[subprocess.Popen[str]]:
    """Start an agent that records; it does not outlive the block."""
    words = [url, str(folder), thread, str(count), ending]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.client.recorder.agent_program", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def kept_ids(process: subprocess.Popen[str], count: int) -> list[str]:
    """Return the ids of the next messages that an agent has recorded."""
    assert process.stdout is not None
    return [process.stdout.readline().strip() for _ in range(count)]
