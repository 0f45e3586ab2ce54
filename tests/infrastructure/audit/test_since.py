"""`--since`: threads that have grown are checked whole, the rest of the log by its links."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agentlog.infrastructure.audit.notes import Checkpoint
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.postgres.database import Database
from tests.databases import new_database
from tests.infrastructure.appends import fetch, given, reply
from tests.infrastructure.audit.conftest import Owner
from tests.infrastructure.audit.forged_log import Log

pytestmark = pytest.mark.usefixtures("small_tiles")

OLD, GROWN, NEW = "strict", "many", "later"
"""A thread of before the checkpoint, one that has grown since, and one that came after."""


@pytest.fixture
def log(server_url: str, filled: tuple[str, Checkpoint], signing: SigningKey) -> Iterator[Log]:
    """A copy of the log that has gone on after its checkpoint."""
    name, held = filled
    with (
        new_database(server_url, template=name) as url,
        Database(url, pool_size=2) as database,
    ):
        log = Log.on(database, signing, held)
        log.threads.append(GROWN, [reply("more", id=given(50))])
        log.threads.append(NEW, [reply(str(n), id=given(60 + n)) for n in range(3)])
        yield log


def _since(log: Log) -> set[str]:
    return log.findings(by="verify", since=log.held)


def _forge(log: Log, thread: str, version: int, change: str = "body = 'other'") -> None:
    where = f"thread_id = '{thread}' AND version = {version}"
    Owner(log.database).do(f"UPDATE agentlog.events SET {change} WHERE {where}")  # noqa: S608 - our own words


def test_only_threads_that_have_grown_are_read_and_only_what_is_new_is_counted(log: Log) -> None:
    *threads, (last, tree) = log.proofs.auditor.log(since=log.held)
    counts = {thread_id: audit.events for thread_id, audit in threads}
    ((started,),) = fetch(
        log.database, "SELECT count(*) FROM agentlog.events WHERE thread_id = %s", NEW
    )
    assert counts == {NEW: started, GROWN: 1}
    assert (last, tree.events) == (None, log.held.size + started + 1)
    assert _since(log) == set()


@pytest.mark.parametrize("thread", [NEW, GROWN])
def test_a_body_after_the_checkpoint_is_found(log: Log, thread: str) -> None:
    _forge(log, thread, log.threads.head(thread).version)
    assert _since(log) == {"body-altered"}


def test_a_body_before_it_is_found_in_a_thread_that_has_grown_and_in_no_other(log: Log) -> None:
    _forge(log, OLD, 2)
    assert _since(log) == set()
    assert log.findings(by="verify") == {"body-altered"}
    _forge(log, GROWN, 2)
    assert _since(log) == {"body-altered"}


def test_a_link_before_it_is_found_by_its_root(log: Log) -> None:
    _forge(log, OLD, 2, "chain = sha256('')")
    assert "tree-differs" in _since(log)


def test_a_thread_that_is_said_not_to_have_grown_leaves_events_unaccounted(log: Log) -> None:
    Owner(log.database).do("UPDATE agentlog.threads SET position = 1 WHERE thread_id = %s", NEW)
    assert _since(log) == {"rows-unaccounted"}


def test_a_checkpoint_of_another_log_or_of_a_longer_one_is_no_beginning(log: Log) -> None:
    other = replace(log.held, root=bytes(32))
    assert log.findings(by="verify", since=other) == {"tree-differs"}
    longer = replace(log.held, size=10**18)
    assert log.findings(by="verify", since=longer) == {"tree-differs"}
