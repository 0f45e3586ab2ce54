"""The library's contracts hold for our recorders, and what its own recorder lacks is there."""

import itertools
import threading
import uuid
from collections.abc import Sequence
from dataclasses import replace

import pytest
from eventsourcing.persistence import IntegrityError, Notification, StoredEvent
from eventsourcing.tests.persistence import (
    ApplicationRecorderTestCase,
    NonInterleavingNotificationIDsBaseCase,
    TrackingRecorderTestCase,
)
from typing_extensions import override

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventsourcing_adapter.mapper import StoredMessage
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.readmodels.tracking import PostgresTrackingRecorder
from tests.infrastructure.appends import TENANT, check_log, fetch, given, reply, request
from tests.infrastructure.inserting_recorder import PostgresRecorder


class _OnPostgres:
    """Hands pytest's fixture to the library's unittest cases."""

    database: Database
    listener: Listener

    @pytest.fixture(autouse=True)
    def _take(self, database: Database, listener: Listener) -> None:
        self.database, self.listener = database, listener

    def new_originator_id(self) -> str:
        return f"thread-{uuid.uuid4()}"


class TestApplicationRecorder(_OnPostgres, ApplicationRecorderTestCase[PostgresRecorder]):
    """The contract of an application recorder, subscriptions included."""

    @override
    def create_recorder(self) -> PostgresRecorder:
        return PostgresRecorder(self.database, self.listener, tenant=TENANT)

    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class TestNonInterleaving(_OnPostgres, NonInterleavingNotificationIDsBaseCase):
    """Positions of one insert are never mixed with those of another."""

    @override
    def create_recorder(self) -> PostgresRecorder:
        return PostgresRecorder(self.database, self.listener, tenant=TENANT)


class TestTrackingRecorder(_OnPostgres, TrackingRecorderTestCase):
    """The contract of a tracking recorder."""

    @override
    def create_recorder(self) -> PostgresTrackingRecorder:
        return PostgresTrackingRecorder(self.database)


# the library's cases are collected where they are defined, not where they are imported
del ApplicationRecorderTestCase, NonInterleavingNotificationIDsBaseCase, TrackingRecorderTestCase


def _stored(
    thread_id: str, version: int, *, topic: str = "tick", state: bytes = b"{}"
) -> StoredEvent:
    return StoredEvent(thread_id, version, topic, state)


def test_events_that_the_library_inserts_continue_the_chain_of_the_writers(
    recorder: PostgresRecorder, writer: Writer, database: Database
) -> None:
    writer.append(request("t", reply("one")))
    assert recorder.insert_events([_stored("t", 2), _stored("u", 1), _stored("t", 3)]) == [2, 3, 4]
    assert writer.append(request("t", reply("four"))).version == 4
    check_log(database)


def test_a_message_id_that_the_thread_has_is_an_integrity_error_and_nothing_is_written(
    recorder: PostgresRecorder, database: Database
) -> None:
    first = StoredMessage("t", 1, "tick", b"{}", message_id=given(1), metadata=None)
    recorder.insert_events([first])
    with pytest.raises(IntegrityError, match=given(1)):
        recorder.insert_events([_stored("u", 1), replace(first, originator_version=2)])
    assert recorder.max_notification_id() == 1
    check_log(database)


def test_another_tenant_sees_nothing(
    recorder: PostgresRecorder, database: Database, listener: Listener
) -> None:
    recorder.insert_events([_stored("t", 1)])
    other = PostgresRecorder(database, listener, tenant="another")
    assert other.select_events("t") == []
    assert other.select_notifications(None, 10) == []
    assert other.max_notification_id() is None


class _Listened(PostgresRecorder):
    """Remembers from where it was read."""

    def __init__(self, database: Database, listener: Listener) -> None:
        super().__init__(database, listener, tenant=TENANT)
        self.starts: list[int | None] = []

    @override
    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        self.starts.append(start)
        return super().select_notifications(
            start, limit, stop, topics, inclusive_of_start=inclusive_of_start
        )


def test_a_filtered_subscription_does_not_read_again_what_it_left_out(
    database: Database, listener: Listener
) -> None:
    recorder = _Listened(database, listener)
    recorder.insert_events([_stored("t", 1, topic="wanted")])
    recorder.insert_events([_stored("t", number) for number in range(2, 20)])
    with recorder.subscribe(gt=None, topics=["wanted"]) as subscription:
        assert next(subscription).id == 1
        late = threading.Timer(0.2, recorder.insert_events, [[_stored("t", 20, topic="wanted")]])
        late.start()
        assert next(subscription).id == 20
        late.join()
    assert recorder.starts[0] is None
    assert set(recorder.starts[1:]) == {19}


def test_a_filtered_subscription_from_beyond_the_end_waits_for_what_comes_after_that(
    recorder: PostgresRecorder,
) -> None:
    recorder.insert_events([_stored("t", number) for number in range(1, 4)])
    with recorder.subscribe(gt=4, topics=["tick"]) as subscription:
        late = threading.Timer(
            0.15, recorder.insert_events, [[_stored("t", number) for number in range(4, 7)]]
        )
        late.start()
        assert next(subscription).id == 5
        late.join()


def test_a_subscription_delivers_what_comes_while_it_waits_in_order_and_once(
    recorder: PostgresRecorder,
) -> None:
    def insert() -> None:
        for number in range(1, 41):
            recorder.insert_events([_stored("t", number)])

    writer = threading.Thread(target=insert)
    with recorder.subscribe(gt=0) as subscription:
        writer.start()
        ids = [notification.id for notification in itertools.islice(subscription, 40)]
        writer.join()
    assert ids == list(range(1, 41))


def test_a_large_event_neither_hangs_nor_keeps_the_lock(
    recorder: PostgresRecorder, database: Database
) -> None:
    large = b'{"text":"' + b"x" * 20_000_000 + b'"}'
    recorder.insert_events([_stored("t", 1, state=large)])
    (back,) = recorder.select_events("t")
    assert back.state == large
    assert recorder.insert_events([_stored("t", 2)]) == [2]
    assert fetch(
        database,
        "SELECT count(*) FROM pg_locks WHERE relation = 'agentlog.events'::regclass "
        "AND mode LIKE '%%Exclusive%%'",
    ) == [(0,)]
