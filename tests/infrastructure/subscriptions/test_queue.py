"""Subscriptions give each event to one consumer, in order within its thread, until acknowledged."""

import itertools
import random
import threading
from collections import defaultdict
from typing import Any

import pytest
from typing_extensions import override

from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.subscriptions.intake import MOST_READY
from agentlog.infrastructure.subscriptions.queue import Queue
from agentlog.infrastructure.subscriptions.subscription import (
    InvalidSubscription,
    Lease,
    LeaseEnded,
    SubscriptionExists,
    SubscriptionPaused,
    UnknownSubscription,
)
from agentlog.infrastructure.subscriptions.subscriptions import Subscriptions
from agentlog.infrastructure.subscriptions.terms import terms_of
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import TENANT, reply

SECONDS = 60.0


def _subscriptions(database: Database, tenant: str = TENANT) -> tuple[Subscriptions, Queue]:
    subscriptions = Subscriptions(database, tenant=tenant)
    reader = LogReader(database, tenant=tenant)
    return subscriptions, Queue(database, subscriptions, reader, tenant=tenant)


@pytest.fixture
def subscriptions(database: Database) -> Subscriptions:
    """The tenant's subscriptions."""
    return _subscriptions(database)[0]


@pytest.fixture
def queue(database: Database) -> Queue:
    """What they have to deliver."""
    return _subscriptions(database)[1]


def _make(subscriptions: Subscriptions, name: str = "s", **fields: Any) -> None:
    subscriptions.create(terms_of({"name": name, "from": "start", **fields}))


def _pull(queue: Queue, *, limit: int = 10) -> Lease:
    lease = queue.pull("s", limit=limit, seconds=SECONDS)
    assert lease is not None
    return lease


def _places(lease: Lease | None) -> list[tuple[str | None, int]]:
    return [] if lease is None else [(item.thread_id, item.position) for item in lease.deliveries]


def _ids(lease: Lease, *positions: int) -> list[int]:
    return [item.id for item in lease.deliveries if item.position in positions]


def _end_leases(database: Database) -> None:
    with database.connection() as connection:
        connection.execute("UPDATE agentlog.deliveries SET due_at = now()")


def test_what_is_acknowledged_is_given_out_no_more(
    subscriptions: Subscriptions, queue: Queue, threads: Threads
) -> None:
    _make(subscriptions)
    threads.append("t", [reply("one"), reply("two")])
    threads.append("u", [reply("three")])
    lease = _pull(queue)
    assert _places(lease) == [("t", 1), ("t", 2), ("u", 3)]
    assert [item.event.message.text for item in lease.deliveries] == ["one", "two", "three"]
    assert queue.acknowledge("s", lease.id, _ids(lease, 1, 3)) == _ids(lease, 1, 3)
    assert queue.pull("s", limit=10, seconds=SECONDS) is None
    assert queue.acknowledge("s", lease.id) == _ids(lease, 2)
    assert queue.pull("s", limit=10, seconds=SECONDS) is None
    with pytest.raises(LeaseEnded):
        queue.acknowledge("s", lease.id)
    assert subscriptions.get("s").pending == 0


def test_it_begins_where_it_is_told_to(
    subscriptions: Subscriptions, queue: Queue, threads: Threads
) -> None:
    threads.append("t", [reply("one"), reply("two")])
    for name, start in (("now", "now"), ("start", "start"), ("one", "@1")):
        subscriptions.create(terms_of({"name": name, "from": start}))
    threads.append("t", [reply("three")])
    for name, places in (("now", [3]), ("start", [1, 2, 3]), ("one", [2, 3])):
        lease = queue.pull(name, limit=10, seconds=SECONDS)
        assert [position for _, position in _places(lease)] == places


def test_only_what_matches_is_given_out(
    subscriptions: Subscriptions, queue: Queue, threads: Threads
) -> None:
    _make(subscriptions, filter="type:reply thread:support-* metadata.team:red metadata.n:1")
    for thread_id, metadata in (
        ("support-1", {"team": "red", "n": 1}),
        ("support-2", {"team": "red", "n": True}),
        ("support-3", {"team": "red"}),
        ("support-5", {"team": "red", "n": 1.0}),
        ("other-1", {"team": "red", "n": 1}),
    ):
        threads.start(thread_id, {"metadata": metadata})
        threads.append(thread_id, [reply("yes"), {"type": "log", "text": "no"}])
    threads.append("support-4", [reply("no")])
    assert _places(_pull(queue)) == [("support-1", 2), ("support-5", 11)]
    assert subscriptions.get("s").lag == 0


def test_a_thread_is_with_one_consumer_at_a_time(
    subscriptions: Subscriptions, queue: Queue, threads: Threads
) -> None:
    _make(subscriptions)
    threads.append("t", [reply("one"), reply("two")])
    threads.append("u", [reply("three")])
    first = _pull(queue, limit=1)
    assert _places(first) == [("t", 1)]
    assert _places(_pull(queue)) == [("u", 3)]
    queue.acknowledge("s", first.id)
    assert _places(_pull(queue)) == [("t", 2)]


def test_what_is_not_acknowledged_in_time_goes_to_another(
    subscriptions: Subscriptions, queue: Queue, threads: Threads, database: Database
) -> None:
    _make(subscriptions)
    threads.append("t", [reply("one")])
    first = _pull(queue)
    _end_leases(database)
    second = _pull(queue)
    assert [item.attempt for item in second.deliveries] == [2]
    with pytest.raises(LeaseEnded):
        queue.acknowledge("s", first.id)
    with pytest.raises(LeaseEnded):
        queue.refuse("s", first.id, error=None, seconds=0)
    assert queue.acknowledge("s", second.id) == _ids(second, 1)


def test_what_fails_comes_again_after_a_pause_before_what_follows_it(
    subscriptions: Subscriptions, queue: Queue, threads: Threads, database: Database
) -> None:
    _make(subscriptions)
    threads.append("t", [reply("one"), reply("two"), reply("three")])
    threads.append("u", [reply("four")])
    lease = _pull(queue)
    (second,) = _ids(lease, 2)
    assert queue.refuse("s", lease.id, [second], error="no", seconds=60) == {second: False}
    assert queue.acknowledge("s", lease.id) == _ids(lease, 1, 4)
    assert queue.pull("s", limit=10, seconds=SECONDS) is None
    _end_leases(database)
    again = _pull(queue)
    assert [(item.position, item.attempt) for item in again.deliveries] == [(2, 2), (3, 1)]


def test_what_fails_too_often_is_parked_and_no_longer_in_the_way(
    subscriptions: Subscriptions, queue: Queue, threads: Threads, database: Database
) -> None:
    _make(subscriptions, maxAttempts=2)
    threads.append("t", [reply("one"), reply("two"), reply("three")])
    queue.refuse("s", _pull(queue, limit=1).id, error="first", seconds=0)
    refused = queue.refuse("s", _pull(queue, limit=1).id, error="second", seconds=0)
    assert [*refused.values()] == [True]
    for _ in range(2):  # nobody answers
        assert _places(_pull(queue, limit=1)) == [("t", 2)]
        _end_leases(database)
    last = _pull(queue)
    assert _places(last) == [("t", 3)]
    refused = queue.refuse("s", last.id, error="never", seconds=0, park=True)
    assert [*refused.values()] == [True]
    parked = queue.parked("s")
    first, second, _ = [item.id for item in parked]
    assert [(item.position, item.attempts, item.error) for item in parked] == [
        (1, 2, "second"),
        (2, 2, "it was not acknowledged in time"),
        (3, 1, "never"),
    ]
    assert [item.position for item in queue.parked("s", after=first, limit=1)] == [2]
    assert queue.discard("s", [first]) == 1
    assert queue.retry("s", [second, first]) == 1
    again = _pull(queue)
    assert [(item.position, item.attempt) for item in again.deliveries] == [(2, 1)]
    assert queue.retry("s") == 1
    assert subscriptions.get("s").parked == 0


def test_a_long_log_is_taken_in_by_and_by(
    subscriptions: Subscriptions, queue: Queue, threads: Threads
) -> None:
    _make(subscriptions)
    threads.append("t", [reply("on")] * (MOST_READY + 700))
    taken: list[int] = []
    while lease := queue.pull("s", limit=100, seconds=SECONDS):
        assert subscriptions.get("s").pending <= MOST_READY
        taken += [item.position for item in lease.deliveries]
        queue.acknowledge("s", lease.id)
    assert taken == list(range(1, MOST_READY + 701))


def test_a_thread_that_fails_holds_up_no_other_however_long_it_is(
    subscriptions: Subscriptions, queue: Queue, threads: Threads
) -> None:
    _make(subscriptions)
    threads.append("bad", [reply("on")] * (MOST_READY + 500))
    queue.refuse("s", _pull(queue, limit=1).id, error="no", seconds=3600)
    threads.append("good", [reply("on")])
    assert _places(_pull(queue)) == [("good", MOST_READY + 501)]


def test_a_rare_event_far_on_is_given_out(
    subscriptions: Subscriptions, queue: Queue, threads: Threads
) -> None:
    _make(subscriptions, filter="type:exit")
    threads.append("t", [reply("on")] * 3000)
    threads.append("t", [{"type": "exit", "reason": "complete"}])
    assert _places(_pull(queue)) == [("t", 3001)]


def test_a_paused_one_gives_nothing_out_until_it_is_resumed(
    subscriptions: Subscriptions, queue: Queue, threads: Threads
) -> None:
    _make(subscriptions)
    threads.append("t", [reply("one")])
    assert subscriptions.pause("s", why="holiday").paused_why == "holiday"
    assert subscriptions.pause("s").paused_why == "holiday"
    with pytest.raises(SubscriptionPaused, match="holiday"):
        queue.pull("s", limit=1, seconds=SECONDS)
    assert subscriptions.resume("s").paused_at is None
    assert _places(_pull(queue)) == [("t", 1)]


def test_names_are_of_a_tenant_and_taken_once(
    subscriptions: Subscriptions, database: Database, threads: Threads, queue: Queue
) -> None:
    _make(subscriptions)
    with pytest.raises(SubscriptionExists):
        _make(subscriptions)
    threads.append("t", [reply("one")])
    others, their_queue = _subscriptions(database, "another")
    with pytest.raises(UnknownSubscription):
        their_queue.pull("s", limit=1, seconds=SECONDS)
    _make(others)
    assert their_queue.pull("s", limit=1, seconds=SECONDS) is None
    lease = _pull(queue)
    with pytest.raises(LeaseEnded):
        their_queue.acknowledge("s", lease.id)
    assert others.delete("s").name == "s"
    assert [subscription.name for subscription in subscriptions.page()] == ["s"]
    subscriptions.delete("s")
    for call in (subscriptions.get, subscriptions.delete, subscriptions.resume, queue.parked):
        with pytest.raises(UnknownSubscription):
            call("s")


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"name": "a/b"}, "name"),
        ({"filter": ["reply"]}, "filter"),
        ({"filter": "type:repply"}, "filter: .*nearest is reply"),
        ({"filter": "type:reply or type:Vendor.x"}, "filter: 'Vendor.x' is no type"),
        ({"filter": "type:reply type:exit"}, "filter: type:exit: a subscription has"),
        ({"filter": "-type:reply"}, "filter: -type:reply: a subscription has"),
        ({"filter": "thread:t"}, "filter: thread:t: a subscription has"),
        ({"filter": "metadata.a:null"}, "filter: metadata.a:null: a subscription has"),
        (
            {"types": ["reply"], "threads": "t", "metadata": {"a": 1}},
            "types, threads, metadata: write filter: type:reply thread:t\\* metadata.a:1",
        ),
        ({"filter": 'thread:"a b"*'}, "filter: thread: is how"),
        ({"from": "yesterday"}, "from"),
        ({"from": "@99999999999999999999"}, "from"),
        ({"maxAttempts": 0}, "maxAttempts"),
        ({"maxAttempts": True}, "maxAttempts"),
        ({"more": 1}, "more"),
    ],
)
def test_terms_that_are_off_are_named(fields: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidSubscription, match=f"^{place}"):
        terms_of({"name": "s", **fields})


class _Consumer(threading.Thread):
    """Pulls until all is delivered; fails now and then, and notes what it acknowledges."""

    def __init__(self, queue: Queue, subscriptions: Subscriptions, seed: int) -> None:
        super().__init__()
        self.done: list[tuple[int, str | None, int]] = []
        self._queue, self._subscriptions = queue, subscriptions
        self._chance = random.Random(seed)  # noqa: S311 - no secret

    @override
    def run(self) -> None:
        while (now := self._subscriptions.get("s")).pending or now.lag:
            lease = self._queue.pull("s", limit=self._chance.randrange(1, 9), seconds=SECONDS)
            if lease is not None:
                self._consume(lease)

    def _consume(self, lease: Lease) -> None:
        failed = set[str | None]()
        for item in lease.deliveries:
            if item.thread_id in failed:
                continue
            if self._chance.random() < 0.15:
                failed.add(item.thread_id)
                self._queue.refuse("s", lease.id, [item.id], error="no", seconds=0)
            else:
                self.done.append((next(_TICKS), item.thread_id, item.position))
                assert self._queue.acknowledge("s", lease.id, [item.id]) == [item.id]


_TICKS = itertools.count()


@pytest.mark.parametrize("seed", range(4))
def test_consumers_at_once_miss_nothing_and_keep_the_order_of_threads(
    subscriptions: Subscriptions, queue: Queue, threads: Threads, seed: int
) -> None:
    """Some fail; each event is acknowledged once, after those before it in its thread."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    _make(subscriptions)
    for _ in range(60):
        threads.append(f"t{chance.randrange(7)}", [reply("on")] * chance.randrange(1, 6))
    consumers = [_Consumer(queue, subscriptions, 10 * seed + number) for number in range(3)]
    for consumer in consumers:
        consumer.start()
    for consumer in consumers:
        consumer.join()
    done: defaultdict[str | None, list[int]] = defaultdict(list)
    for _, thread_id, position in sorted(
        itertools.chain(*(consumer.done for consumer in consumers))
    ):
        done[thread_id].append(position)
    parked = {item.position for item in queue.parked("s")}
    wanted: defaultdict[str | None, list[int]] = defaultdict(list)
    for event in threads.log(after=0, types=None, limit=1000):
        if event.position not in parked:
            wanted[event.thread_id].append(event.position or 0)
    assert done == wanted
