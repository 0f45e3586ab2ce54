"""A move under load that is killed at any step has one owner, and goes on to the end."""

import signal
import subprocess
import sys
import threading
import time
from typing import Self

import pytest

from agentlog.infrastructure.postgres.errors import TenantElsewhere, TenantMoving
from tests.command_line import environment
from tests.extensions.cells.cells import Cell
from tests.infrastructure.appends import fetch

STEPS = ("fence", "blobs", "events", "check", "read models", "arrived", "left")
_PAUSE_SECONDS = 0.02


class Client:
    """Appends to a tenant wherever that is; notes what was acknowledged, and where."""

    def __init__(self, here: Cell, there: Cell) -> None:
        self.acknowledged: list[str] = []
        self._cells = [here, there]
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._append)

    def _append(self) -> None:
        while not self._is_over.is_set():
            text = f"number {len(self.acknowledged)}"
            try:
                self._cells[0].append("a", "t", text)
            except TenantMoving:
                time.sleep(_PAUSE_SECONDS)
            except TenantElsewhere:
                self._cells.reverse()
            else:
                self.acknowledged.append(text)

    def __enter__(self) -> Self:
        self._thread.start()
        self.wait_for(5)
        return self

    def wait_for(self, more: int) -> None:
        """Wait until so many more appends were acknowledged."""
        until = len(self.acknowledged) + more
        while len(self.acknowledged) < until:
            time.sleep(_PAUSE_SECONDS)

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()


@pytest.mark.parametrize("fatal", STEPS)
def test_a_move_under_load_that_is_killed_goes_on(
    here: Cell, there: Cell, here_url: str, there_url: str, fatal: str
) -> None:
    for tenant in ("a", "b"):
        here.append(tenant, "old", "before " * 200)
    there.append("c", "old", "of another")
    with Client(here, there) as client:
        command = [sys.executable, "-m", "tests.extensions.cells.killed"]
        ended = subprocess.run(
            [*command, here_url, there_url, "a", fatal], env=environment(), check=False
        )
        assert ended.returncode == -signal.SIGKILL
        arrival = here.mover("a").move(there.owner, lambda *_: None)
        client.wait_for(5)
    texts = fetch(
        there.owner,
        "SELECT convert_from(body, 'UTF8')::json ->> 'text' FROM agentlog.events "
        "WHERE tenant = 'a' AND thread_id = 't' ORDER BY version",
    )
    assert [text for (text,) in texts] == client.acknowledged
    assert here.findings("a", "b") == []
    assert there.findings("a", "c", held=arrival.checkpoint) == []
    here.mover("a").drop(there.owner)
    assert here.findings("b") == []


def test_two_movers_of_one_tenant_are_one(here: Cell, there: Cell) -> None:
    here.append("a", "t", "x")
    outcomes: list[object] = []

    def move() -> None:
        try:
            outcomes.append(here.mover("a").move(there.owner, _slowly))
        except Exception as error:  # noqa: BLE001 - it is looked at
            outcomes.append(error)

    movers = [threading.Thread(target=move) for _ in range(2)]
    for mover in movers:
        mover.start()
    for mover in movers:
        mover.join()
    assert {type(outcome).__name__ for outcome in outcomes} <= {"Move", "MoveUnderWay"}
    assert there.findings("a") == []
    assert fetch(there.owner, "SELECT count(*) FROM agentlog.events") == [(1,)]


def _slowly(_: str, __: int) -> None:
    time.sleep(_PAUSE_SECONDS)
