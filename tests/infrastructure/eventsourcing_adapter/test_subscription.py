"""The library's subscription is woken by the log, and outlives its database."""

import signal
import threading
from typing import Self

import pytest
from eventsourcing.persistence import Notification
from typing_extensions import override

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventsourcing_adapter.recorder import LogRecorder
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.listening.notifications import Listener
from tests.databases import short_folder
from tests.infrastructure.appends import TENANT, Clock, Ids, reply, request, ulid
from tests.reliability.postgres import own_postgres
from tests.waiting import until


class _Following(threading.Thread):
    """Reads a subscription in a thread of its own until the block ends."""

    def __init__(self, database: Database, listener: Listener) -> None:
        super().__init__()
        self.notifications: list[Notification] = []
        self._subscription = LogRecorder(database, listener, tenant=TENANT).subscribe()

    @override
    def run(self) -> None:
        self.notifications.extend(self._subscription)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._subscription.stop()
        self.join()


def test_a_commit_wakes_it_without_polling(own_database: Database) -> None:
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    with (
        Listener(own_database, poll_seconds=3600) as listener,
        _Following(own_database, listener) as following,
    ):
        writer.append(request("t", reply("one")))
        until(lambda: len(following.notifications) == 1)
        writer.append(request("t", reply("two"), reply("three")))
        until(lambda: len(following.notifications) == 3)


def test_it_goes_on_after_its_database_was_away(caplog: pytest.LogCaptureFixture) -> None:
    with (
        short_folder() as folder,
        own_postgres(folder / "data") as server,
        Database(server.url, pool_size=4) as database,
        Listener(database) as listener,
    ):
        database.migrate()
        writer = Writer(database, clock=Clock(), new_id=Ids())
        with _Following(database, listener) as following:
            writer.append(request("t", reply("before")))
            until(lambda: len(following.notifications) == 1)
            server.end(signal.SIGQUIT)
            until(lambda: "the log cannot be followed" in caplog.text)
            server.start()
            until(lambda: _is_appended(writer))
            until(lambda: len(following.notifications) == 2)
    assert [notification.id for notification in following.notifications] == [1, 2]


def _is_appended(writer: Writer) -> bool:
    try:
        writer.append(request("t", reply("after", id=ulid(9))))
    except DatabaseUnavailable:
        return False
    return True
