"""`--since`: threads that have grown are checked whole, the rest of the log by its links."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from agentlog.infrastructure.audit.notes import Checkpoint
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.audit.threads.processes import AuditProcesses
from agentlog.infrastructure.postgres.database import Database
from tests.databases import new_database
from tests.infrastructure.appends import fetch, given, reply
from tests.infrastructure.audit.conftest import Owner
from tests.infrastructure.audit.forged_log import Log

pytestmark = pytest.mark.usefixtures("small_tiles")

OLD, GROWN, NEW = "strict", "many", "later"
"""A thread of before the checkpoint, one that has grown since, and one that came after."""


@pytest.fixture
def url(server_url: str, filled: tuple[str, Checkpoint]) -> Iterator[str]:
    """A copy of the log."""
    with new_database(server_url, template=filled[0]) as url:
        yield url


@pytest.fixture
def log(url: str, filled: tuple[str, Checkpoint], signing: SigningKey) -> Iterator[Log]:
    """The copy, which has gone on after its checkpoint."""
    with Database(url, pool_size=2) as database:
        log = Log.on(database, signing, filled[1])
        log.threads.append(GROWN, [reply("more", id=given(50))])
        log.threads.append(NEW, [reply(str(n), id=given(60 + n)) for n in range(3)])
        yield log


@pytest.fixture(params=["this process", "others"])
def processes(
    request: pytest.FixtureRequest, url: str, monkeypatch: pytest.MonkeyPatch
) -> AuditProcesses | None:
    """What audits threads, one after the other."""
    monkeypatch.setattr("agentlog.infrastructure.audit.auditor._WORTH_PROCESSES", 0)
    monkeypatch.setattr("agentlog.infrastructure.audit.threads.processes._BATCH", 1)
    monkeypatch.setattr("agentlog.infrastructure.runtime.worker_processes._AHEAD", 1)
    return None if request.param == "this process" else AuditProcesses(url, 1)


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
    assert (last, tree.events) == (None, started + 1)
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


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ("UPDATE agentlog.threads SET position = 1", "head-differs"),
        ("DELETE FROM agentlog.threads", "head-missing"),
    ],
)
def test_a_new_thread_is_read_whatever_its_head_says_and_whatever_is_appended_meanwhile(
    log: Log, change: str, finding: str
) -> None:
    log.threads.append(OLD, [reply("more", id=given(70))])
    _forge(log, NEW, 2)
    Owner(log.database).do(f"{change} WHERE thread_id = %s", NEW)
    findings = set[tuple[str, str | None]]()
    for thread_id, audit in log.proofs.auditor.log(since=log.held):
        findings.update((finding.what, finding.thread_id) for finding in audit.findings)
        if thread_id == GROWN:
            _append_as_many_as(log, NEW)
    assert findings == {("body-altered", NEW), (finding, NEW)}


@pytest.mark.parametrize("is_since", [True, False])
def test_events_appended_meanwhile_are_not_counted(
    log: Log, processes: AuditProcesses | None, *, is_since: bool
) -> None:
    log.threads.append(OLD, [reply("more", id=given(70))])
    since = log.held if is_since else None
    ((events,),) = fetch(log.database, "SELECT count(*) FROM agentlog.events")
    counts = Counter[str]()
    for thread_id, audit in log.proofs.auditor.log(since=since, processes=processes):
        assert audit.whole
        counts["tree" if thread_id is None else "threads"] += audit.events
        if thread_id == GROWN:
            _append_as_many_as(log, NEW)
    expected = events - (log.held.size if is_since else 0)
    assert counts == {"tree": expected, "threads": expected}


def _append_as_many_as(log: Log, thread_id: str) -> None:
    """Append as many events as a thread has to one that is visited later."""
    query = "SELECT count(*) FROM agentlog.events WHERE thread_id = %s"
    ((count,),) = fetch(log.database, query, thread_id)
    log.threads.append(OLD, [reply(str(n), id=given(80 + n)) for n in range(count)])


def test_a_checkpoint_of_another_log_or_of_a_longer_one_is_no_beginning(log: Log) -> None:
    other = replace(log.held, root=bytes(32))
    assert log.findings(by="verify", since=other) == {"tree-differs"}
    longer = replace(log.held, size=10**18)
    assert log.findings(by="verify", since=longer) == {"tree-differs"}
