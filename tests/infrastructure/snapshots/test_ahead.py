"""Folding ahead: threads that grow have snapshots before anybody asks."""

import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from api.composition import open_service
from domain.events import Event
from infrastructure.database import Database, DatabaseUnavailable
from infrastructure.folding import Fold
from infrastructure.reader import LogReader
from infrastructure.reads import State
from infrastructure.settings import Settings
from infrastructure.snapshots.ahead import Ahead
from infrastructure.snapshots.in_use import ViewsInUse
from infrastructure.store import Store
from infrastructure.tenants import Tenant
from projections.registry import choose_view
from tests.infrastructure.appends import fetch, reply

SECONDS = 20
OPENAI = choose_view("openai")
STATE = choose_view("agent-state")
BOTH = [("agent-state", 250), ("agent-state", 500), ("openai", 250), ("openai", 500)]

_probes = itertools.count()


@contextmanager
def _serving(url: str) -> Iterator[Tenant]:
    """Yield the tenant of a service that folds ahead."""
    with (
        open_service(Settings(database_url=url)) as service,
        Ahead(service.tenants, service.listener, pause_seconds=0.01),
    ):
        yield service.own


def _fill(store: Store, thread_id: str, count: int) -> None:
    store.append(thread_id, [reply(f"{thread_id} {number}") for number in range(count)])


def _kept(database: Database, thread_id: str) -> list[tuple[str, int]]:
    query = (
        "SELECT view, version FROM agentlog.snapshots WHERE thread_id = %s ORDER BY view, version"
    )
    return [(row[0], row[1]) for row in fetch(database, query, thread_id)]


def _wait(ready: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.02)


def _read_something(tenant: Tenant, database: Database) -> None:
    """Have somebody read two views, and wait until whoever folds ahead knows it."""
    _fill(tenant.store, "read", 1)
    tenant.store.view("read", OPENAI)
    tenant.store.view("read", STATE)

    def seen() -> bool:
        probe = f"probe-{next(_probes)}"
        _fill(tenant.store, probe, 250)
        time.sleep(0.1)
        return bool(_kept(database, probe))

    _wait(seen)


def test_what_grows_is_folded_in_the_views_that_somebody_reads(
    own_database: Database, database_url: str
) -> None:
    with _serving(database_url) as tenant:
        _fill(tenant.store, "before", 600)
        _read_something(tenant, own_database)
        _fill(tenant.store, "short", 249)
        _fill(tenant.store, "long", 600)
        _wait(lambda: _kept(own_database, "long") == BOTH)
        assert _kept(own_database, "short") == []
        assert _kept(own_database, "before") == []
        _fill(tenant.store, "before", 1)
        _wait(lambda: _kept(own_database, "before") == BOTH)


def test_it_makes_what_a_reader_would_have_made(own_database: Database, database_url: str) -> None:
    query = (
        "SELECT view, version, carry, grown, items FROM agentlog.snapshots "
        "WHERE thread_id = 'long' ORDER BY view, version"
    )
    with _serving(database_url) as tenant:
        _read_something(tenant, own_database)
        for _ in range(6):  # bit by bit
            _fill(tenant.store, "long", 100)
            time.sleep(0.05)
        _wait(lambda: _kept(own_database, "long") == BOTH)
        made = fetch(own_database, query)
    with own_database.connection() as connection:
        connection.execute("TRUNCATE agentlog.snapshots")
    with open_service(Settings(database_url=database_url)) as service:
        service.store.view("long", OPENAI)
        assert isinstance(service.store.view("long", STATE), State)
    assert fetch(own_database, query) == made


def test_it_does_not_matter_who_appends(own_database: Database, database_url: str) -> None:
    with (
        _serving(database_url) as tenant,
        open_service(Settings(database_url=database_url)) as other,
    ):
        _read_something(tenant, own_database)
        _fill(other.store, "long", 600)
        _wait(lambda: _kept(own_database, "long") == BOTH)


def test_what_was_folded_is_not_read_again(
    own_database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = LogReader.each_event
    read: list[str] = []

    def noting(reader: LogReader, thread_id: str, **bounds: Any) -> Iterator[Event]:
        if threading.current_thread().name == "ahead":
            read.append(thread_id)
        return reading(reader, thread_id, **bounds)

    monkeypatch.setattr(LogReader, "each_event", noting)
    with _serving(database_url) as tenant:
        _read_something(tenant, own_database)
        _fill(tenant.store, "long", 600)
        _wait(lambda: _kept(own_database, "long") == BOTH)
        read.clear()
        _fill(tenant.store, "long", 100)
        _fill(tenant.store, "other", 250)
        _wait(lambda: len(_kept(own_database, "other")) == 2)
        assert set(read) == {"other"}


def test_it_goes_on_when_the_database_is_back(
    own_database: Database,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with _serving(database_url) as tenant, caplog.at_level(logging.WARNING):
        _read_something(tenant, own_database)
        failed = threading.Event()

        def fail(*_: object, **__: object) -> None:
            failed.set()
            raise DatabaseUnavailable("gone")

        with monkeypatch.context() as broken:
            broken.setattr(LogReader, "grown", fail)
            _fill(tenant.store, "long", 600)
            assert failed.wait(SECONDS)
            _wait(lambda: "trying on" in caplog.text)
        _wait(lambda: _kept(own_database, "long") == BOTH)


def test_it_ends_in_the_middle_of_a_long_thread(
    own_database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = Fold.advance

    def slowly(fold: Fold[Any, Any], upto: int) -> None:
        time.sleep(0.1)  # a thread of 10,000 takes it more than ten seconds
        advance(fold, upto)

    with _serving(database_url) as tenant:
        _read_something(tenant, own_database)
        monkeypatch.setattr(Fold, "advance", slowly)
        for _ in range(5):
            _fill(tenant.store, "long", 2000)
        _wait(lambda: bool(_kept(own_database, "long")))
    assert len(_kept(own_database, "long")) < 2 * 40


def test_the_views_in_use_are_those_that_were_asked_for_last() -> None:
    in_use = ViewsInUse(most=2)
    letta = choose_view("letta")
    for view in (OPENAI, letta, OPENAI, STATE):
        in_use.note(view)
    assert in_use.views == [OPENAI, STATE]
    in_use.note(choose_view("openai"))  # the same
    assert [view.name for view in in_use.views] == ["agent-state", "openai"]
