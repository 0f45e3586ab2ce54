"""Keys in memory: never older than a notice, nor than their time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from secrets import token_bytes

import pytest
from typing_extensions import override

from agentlog.infrastructure.keys.cache import FRESH_SECONDS, RecentKeys
from agentlog.infrastructure.keys.key import KeyText, StoredKey
from agentlog.infrastructure.keys.keys import Keys
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.listening.notifications import KEYED, Listener
from tests.infrastructure.postgres.relay import Relay
from tests.waiting import WAIT_SECONDS


@dataclass
class Ticks:
    """Seconds, as a test sets them."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


class CountingKeys(Keys):
    """Counts what the database is asked."""

    asked = 0

    @override
    def find(self, key_id: str) -> StoredKey:
        self.asked += 1
        return super().find(key_id)

    @override
    def ever_made(self) -> bool:
        self.asked += 1
        return super().ever_made()


def keys_over(database: Database) -> CountingKeys:
    return CountingKeys(database, random_bytes=token_bytes, clock=lambda: datetime.now(UTC))


@pytest.fixture
def keys(own_database: Database) -> CountingKeys:
    return keys_over(own_database)


@pytest.fixture
def ticks() -> Ticks:
    return Ticks()


@pytest.fixture
def listener(own_database: Database) -> Iterator[Listener]:
    """A listener that never polls: what is heard was told."""
    with Listener(own_database, poll_seconds=3600) as opened:
        yield opened


@contextmanager
def heard(listener: Listener) -> Iterator[None]:
    """Wait at the end of the block until something is told of keys."""
    told = threading.Event()
    off = listener.on(KEYED, told.set)
    yield
    assert told.wait(WAIT_SECONDS)
    off()


@pytest.fixture
def recent(keys: Keys, listener: Listener, ticks: Ticks) -> RecentKeys:
    """What is remembered; everybody was rung already because a first connection was made."""
    with heard(listener):
        pass
    return RecentKeys(keys, listener, ticks=ticks)


@pytest.fixture
def text(recent: RecentKeys, keys: Keys, listener: Listener) -> KeyText:
    """A key whose making was told already."""
    del recent
    with heard(listener):
        made, _ = keys.create("t", name="x", scopes=("read",))
    return made


def test_a_key_is_looked_up_once(recent: RecentKeys, keys: CountingKeys, text: KeyText) -> None:
    assert recent.recall(text.key_id) is None
    looked = recent.look(text.key_id)
    assert looked is not None
    assert looked.key.id == text.key_id
    assert recent.recall(text.key_id) == recent.look(text.key_id) == looked
    assert keys.asked == 1


def test_a_look_ends_by_its_time(recent: RecentKeys, text: KeyText, ticks: Ticks) -> None:
    recent.look(text.key_id)
    ticks.now = FRESH_SECONDS - 0.001
    assert recent.recall(text.key_id) is not None
    ticks.now = FRESH_SECONDS
    assert recent.recall(text.key_id) is None
    assert recent.last_known(text.key_id) is not None


def test_what_is_revoked_elsewhere_is_forgotten_on_notice(
    recent: RecentKeys, text: KeyText, listener: Listener, own_database: Database
) -> None:
    recent.look(text.key_id)
    assert recent.recall(text.key_id) is not None
    elsewhere = keys_over(own_database)
    with heard(listener):  # rung after `recent`, which came first
        elsewhere.revoke("t", text.key_id)
    assert recent.recall(text.key_id) is None
    looked = recent.look(text.key_id)
    assert looked is not None
    assert looked.flaw(text, now=datetime.now(UTC)) == "it was revoked"


def test_what_is_not_there_is_not_remembered(recent: RecentKeys, keys: CountingKeys) -> None:
    assert recent.look("a" * 12) is None
    assert recent.recall("a" * 12) is None
    assert recent.look("a" * 12) is None
    assert keys.asked == 2


def test_a_look_that_a_notice_overtook_is_stale(
    own_database: Database, listener: Listener, ticks: Ticks
) -> None:
    class Overtaken(CountingKeys):
        @override
        def find(self, key_id: str) -> StoredKey:
            key = super().find(key_id)
            overtaken.discard()  # revoked just after it was read
            return key

    keys = Overtaken(own_database, random_bytes=token_bytes, clock=lambda: datetime.now(UTC))
    overtaken = RecentKeys(keys, listener, ticks=ticks)
    text, _ = keys.create("t", name="x", scopes=("read",))
    overtaken.look(text.key_id)
    assert overtaken.recall(text.key_id) is None


def test_whether_there_is_a_first_key_is_asked_every_second_until_there_is(
    recent: RecentKeys, keys: CountingKeys, ticks: Ticks
) -> None:
    assert recent.recall_made() is None
    assert not recent.look_made()
    assert recent.recall_made() is False
    text, _ = keys.create("t", name="x", scopes=("read",))
    ticks.now = 1.0
    assert recent.recall_made() is None
    assert recent.look_made()
    keys.revoke("t", text.key_id)
    ticks.now = 1e9
    assert recent.recall_made() is True
    assert keys.asked == 2


def test_the_second_of_a_look_begins_with_its_answer(
    own_database: Database, listener: Listener, ticks: Ticks
) -> None:
    class Slow(CountingKeys):
        @override
        def ever_made(self) -> bool:
            ticks.now += 10.0
            return super().ever_made()

    keys = Slow(own_database, random_bytes=token_bytes, clock=lambda: datetime.now(UTC))
    recent = RecentKeys(keys, listener, ticks=ticks)
    assert not recent.look_made()
    assert recent.recall_made() is False


def test_without_the_database_nothing_is_known_to_be_so(
    own_database: Database, database_url: str, ticks: Ticks
) -> None:
    text, _ = keys_over(own_database).create("t", name="x", scopes=("read",))
    with (
        Relay(database_url) as relay,
        Database(relay.url, pool_size=1, wait_seconds=0.5) as database,
        Listener(database) as listener,
    ):
        recent = RecentKeys(keys_over(database), listener, ticks=ticks)
        assert recent.look(text.key_id) is not None
        relay.cut()
        ticks.now = FRESH_SECONDS
        for ask in (lambda: recent.look(text.key_id), recent.look_made):
            with pytest.raises(DatabaseUnavailable):
                ask()
        assert recent.last_known(text.key_id) is not None


def test_that_there_was_no_key_holds_while_the_database_does_not_answer(
    own_database: Database, database_url: str, ticks: Ticks
) -> None:
    with (
        Relay(database_url) as relay,
        Database(relay.url, pool_size=1, wait_seconds=0.5) as database,
        Listener(database) as listener,
    ):
        recent = RecentKeys(keys_over(database), listener, ticks=ticks)
        assert not recent.look_made()
        relay.cut()
        keys_over(own_database).create("t", name="x", scopes=("read",))
        ticks.now = 1.0
        assert not recent.look_made()
        relay.mend()
        while not recent.look_made():  # the pool connects again after a pause of its own
            ticks.now += 1.0
