"""A fork is there whole or not at all, whatever happens beside it."""

import subprocess
import sys
import threading
import time

import pytest

from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.forks.forker import Forked, Forker
from agentlog.infrastructure.postgres.database import Database
from tests.command_line import environment
from tests.infrastructure.appends import calls, check_log, fetch, reply, request, results

EVENTS = 3000
DELAYS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds after which the program is killed."""


def long_history(writer: Writer) -> None:
    for begin in range(0, EVENTS, 300):
        drafts = []
        for number in range(begin, begin + 300, 3):
            drafts += [calls(str(number)), results(str(number)), reply("text " * 30)]
        writer.append(request("t", *drafts))


@pytest.fixture
def database(own_database: Database) -> Database:
    """A program works in it too."""
    return own_database


@pytest.mark.parametrize("delay_seconds", DELAYS)
def test_a_fork_that_is_killed_is_there_whole_or_not_at_all(  # noqa: PLR0913, PLR0917
    database_url: str,
    database: Database,
    writer: Writer,
    forker: Forker,
    auditor: Auditor,
    delay_seconds: float,
) -> None:
    long_history(writer)
    command = [sys.executable, "-m", "tests.infrastructure.forks.killed", database_url]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == b"ready\n"
        time.sleep(delay_seconds)
        program.kill()
    events = "SELECT count(*) FROM agentlog.events WHERE thread_id = 'f'"
    assert fetch(database, events)[0][0] in {0, EVENTS + 1}
    assert forker.fork("t", as_thread="f").version == EVENTS + 1
    assert auditor.thread("f").whole
    check_log(database)


def test_forks_and_appends_beside_one_another_keep_their_order(
    forker: Forker, writer: Writer, auditor: Auditor, database: Database
) -> None:
    writer.append(request("t", *[reply(str(number)) for number in range(50)]))
    made: list[Forked] = []
    done = threading.Event()

    def append() -> None:
        while not done.is_set():
            writer.append(request("t", reply("more")))
            writer.append_many([request("u", reply("more")), request("t", reply("more"))])

    def fork() -> None:
        made.extend(forker.fork("t", AtVersion(50), as_thread=f"f{at}") for at in range(5))

    appending = threading.Thread(target=append)
    forking = [threading.Thread(target=fork) for _ in range(2)]
    for thread in (appending, *forking):
        thread.start()
    for thread in forking:
        thread.join()
    done.set()
    appending.join()
    assert len(made) == 10
    assert sum(fork.replayed for fork in made) == 5
    assert all(auditor.thread(fork.thread_id).whole for fork in made)
    check_log(database)
