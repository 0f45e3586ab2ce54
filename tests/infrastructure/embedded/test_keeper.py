"""The embedded server killed under a service: it comes back, with all that was acknowledged."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from agentlog.api.composition import Service, open_service
from agentlog.infrastructure.embedded import open_embedded
from agentlog.infrastructure.embedded.postmaster import Postmaster
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.settings import Settings
from tests.databases import CARELESS, short_folder
from tests.infrastructure.appends import given, reply
from tests.waiting import WAIT_SECONDS


@pytest.fixture
def folder() -> Iterator[Path]:
    """A data folder."""
    with short_folder() as made:
        yield made / "data"


def postmaster(folder: Path) -> Postmaster:
    """Return the server's main process."""
    running = Postmaster.read(folder / "postgresql")
    assert running is not None
    return running


def append(service: Service, number: int) -> None:
    """Append a message, as a client that tries again until it is told."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        with suppress(DatabaseUnavailable):
            service.threads.append("t", [reply(str(number), id=given(number))])
            return
    raise AssertionError("PostgreSQL has not come back")


def wait_until(condition: Callable[[], bool]) -> None:
    """Look again and again."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _runs_anew(folder: Path, killed: Postmaster) -> bool:
    running = Postmaster.read(folder / "postgresql")
    return running is not None and running.pid != killed.pid and running.ready


def test_a_server_that_is_killed_comes_back_under_its_service(folder: Path) -> None:
    with open_service(Settings(data_dir=folder), new=True) as service:
        for number in (1, 2, 3):
            append(service, number)
            killed = postmaster(folder)
            os.kill(killed.pid, signal.SIGKILL)
            wait_until(lambda: _runs_anew(folder, killed))  # noqa: B023 - called at once
        append(service, 4)
        ids = [event.message_id for event in service.threads.messages("t")]
        assert ids == [given(number) for number in (1, 2, 3, 4)]
        last = postmaster(folder)
    assert not last.runs  # whoever started it again also stops it


def test_a_server_that_was_stopped_was_not_killed(folder: Path) -> None:
    with open_embedded(folder, settings=CARELESS) as server:
        assert not server.was_killed
        killed = postmaster(folder)
        os.kill(killed.pid, signal.SIGKILL)
        wait_until(lambda: server.was_killed)
        server.revive()
        assert not server.was_killed
        assert postmaster(folder).stop(seconds=WAIT_SECONDS)
        assert not server.was_killed  # whoever stopped it meant to
