"""An index that leaves old events out: what is found, what is said, and what is checked."""

from datetime import datetime

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.derived_audit import DerivedAuditor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.builds import last_before
from agentlog.infrastructure.search.query import Query
from agentlog.infrastructure.search.search import Search
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.projections.readmodels.message_words import MessageWords
from agentlog.projections.readmodels.messages import Messages
from tests.infrastructure.appends import TENANT, fetch, reply
from tests.infrastructure.audit.conftest import Owner
from tests.infrastructure.erasure.conftest import redactor_on
from tests.infrastructure.readmodels.tables import catch_up, live
from tests.infrastructure.reports.histories import discard_all

AGES = {"oldest": 90, "old": 31, "young": 29}
"""Threads of two messages, and their age in days."""


@pytest.fixture
def threads(database: Database, writer: Writer) -> Threads:
    """A log with messages of different ages, and no index yet."""
    threads = _threads(database, writer, TENANT)
    for thread_id, days in AGES.items():
        threads.append(thread_id, [reply(f"a word of {thread_id}"), reply("again a word")])
        _age(database, f"thread_id = '{thread_id}'", str(days))
    discard_all(database)
    return threads


def _threads(database: Database, writer: Writer, tenant: str) -> Threads:
    blobs, reader = Blobs(database, tenant=tenant), LogReader(database, tenant=tenant)
    return Threads(reader=reader, writer=writer, blobs=blobs, tenant=tenant)


def _age(database: Database, condition: str, days: str) -> None:
    age = f"now() - make_interval(days => {days})"
    Owner(database).do(f"UPDATE agentlog.events SET recorded_at = {age} WHERE {condition}")  # noqa: S608 - our own words


def _build(database: Database, *, days: int | None) -> None:
    with database.connection() as connection:
        builds.begin(connection, MessageWords(), days=days)
    catch_up(database, MessageWords())


def _derived(database: Database) -> DerivedAuditor:
    snapshots = Snapshots(database, tenant=TENANT, key=b"not in the database")
    reader = LogReader(database, tenant=TENANT)
    return DerivedAuditor(database, reader, snapshots, tenant=TENANT)


def _found(search: Search) -> tuple[set[str], datetime | None]:
    page = search.find(Query("word"))
    return {hit.thread_id for hit in page.items}, page.searched_after


def test_old_messages_are_left_out_and_the_answer_says_up_to_when(
    database: Database, threads: Threads, search: Search
) -> None:
    _build(database, days=30)
    query = "SELECT max(recorded_at) FROM agentlog.events WHERE thread_id = 'old'"
    ((last,),) = fetch(database, query)
    assert _found(search) == ({"young"}, last)
    assert search.find(Query("word", threads=["old"])).searched_after == last
    threads.append("oldest", [reply("a new word")])
    catch_up(database, MessageWords())
    assert _found(search) == ({"young", "oldest"}, last)


@pytest.mark.usefixtures("threads")
def test_a_build_without_an_age_has_all_again(database: Database, search: Search) -> None:
    _build(database, days=30)
    _build(database, days=None)
    assert _found(search) == (set(AGES), None)
    assert fetch(database, "SELECT count(*) FROM agentlog.tracking") == [(1,)]


@pytest.mark.usefixtures("threads")
def test_a_log_without_old_or_without_young_messages_is_searched_as_it_is(
    database: Database, search: Search
) -> None:
    _build(database, days=100)
    assert _found(search) == (set(AGES), None)
    _build(database, days=1)
    threads, after = _found(search)
    assert threads == set()
    assert after is not None
    assert not any("tracked" in finding.detail for finding in _derived(database).around())


@pytest.mark.usefixtures("threads")
def test_only_the_index_of_words_begins_late(database: Database) -> None:
    with database.connection() as connection:
        builds.begin(connection, Messages(), days=30)
    assert live(database, "messages").left_out == 0


def test_what_is_derived_is_whole_also_after_a_redaction_of_an_old_message(
    database: Database, threads: Threads, search: Search
) -> None:
    _build(database, days=30)
    _, after = _found(search)
    ((message_id,),) = fetch(
        database, "SELECT message_id FROM agentlog.events WHERE thread_id = 'old' LIMIT 1"
    )
    redactor_on(database, threads).redact("old", [message_id], "asked for")
    catch_up(database, MessageWords())
    assert _found(search) == ({"young"}, after)
    auditor = _derived(database)
    assert auditor.left_out() == [live(database, "message_words").left_out]
    assert not any("tracked" in finding.detail for finding in auditor.around())
    assert [finding for thread in AGES for finding in auditor.thread(thread)] == []
    table = f"message_words_{live(database, 'message_words').build}"
    Owner(database).do(f"DELETE FROM agentlog_readmodels.{table} WHERE position = 5")  # noqa: S608 - our own name
    assert [finding.thread_id for finding in auditor.thread("young")] == ["young"]


def test_what_is_left_out_is_old_in_all_tenants(database: Database, writer: Writer) -> None:
    for number in range(24):
        of_tenant = _threads(database, writer, f"tenant-{number % 3}")
        of_tenant.append("t", [reply(str(number))])
    # the third tenant is younger than its places in the log: it was moved here
    _age(database, "tenant <> 'tenant-2'", "100 - 3 * position::int")
    _age(database, "tenant = 'tenant-2'", "50 - position::int")
    with database.connection() as connection:
        for days in range(105):
            ((expected,),) = connection.execute(
                "SELECT coalesce(min(position) - 1, (SELECT position FROM agentlog.counter)) "
                "FROM agentlog.events WHERE recorded_at >= now() - make_interval(days => %s)",
                (days,),
            ).fetchall()
            assert last_before(connection, days) == expected
