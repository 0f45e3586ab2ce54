"""Precomputation: threads that grow, and those that reads have missed, get snapshots."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from agentlog.api.composition import open_service
from agentlog.domain.events import Event
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.settings import Settings
from agentlog.infrastructure.tenants import Tenant
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.view_precomputation import LATEST, Precomputation
from agentlog.infrastructure.views.view_fold import Fold
from agentlog.infrastructure.views.views_in_use import ViewsInUse
from agentlog.projections.registry import VIEWS, choose_view
from tests.command_line import started
from tests.infrastructure.appends import fetch, reply
from tests.infrastructure.precomputed import precompute
from tests.waiting import WAIT_SECONDS

OPENAI = choose_view("openai")
UNREPAIRED = choose_view("openai", {"repair": "false"})
ALL = [(name, version) for name in sorted(VIEWS) for version in (250, 500)]


@contextmanager
def _serving(url: str) -> Iterator[Tenant]:
    """Yield the tenant of a service that folds ahead."""
    with (
        open_service(Settings(database_url=url)) as service,
        Precomputation(service.tenants, service.listener, pause_seconds=0.01),
    ):
        yield service.own


def _fill(threads: Threads, thread_id: str, count: int) -> None:
    threads.append(thread_id, [reply(f"{thread_id} {number}") for number in range(count)])


def _kept(database: Database, thread_id: str) -> list[tuple[str, int]]:
    query = (
        "SELECT view, version FROM agentlog.snapshots WHERE thread_id = %s ORDER BY view, version"
    )
    return [(row[0], row[1]) for row in fetch(database, query, thread_id)]


def _wait(ready: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while not ready():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_what_grows_is_folded_in_every_view(own_database: Database, database_url: str) -> None:
    with _serving(database_url) as tenant:
        _fill(tenant.threads, "short", 249)
        _fill(tenant.threads, "long", 600)
        _wait(lambda: _kept(own_database, "long") == ALL)
        assert _kept(own_database, "short") == []
        _fill(tenant.threads, "short", 1)
        _wait(lambda: len(_kept(own_database, "short")) == len(VIEWS))


def test_so_is_what_was_there_and_not_long_ago(own_database: Database, database_url: str) -> None:
    with open_service(Settings(database_url=database_url)) as service:
        _fill(service.threads, "old", 600)
        for number in range(LATEST):
            _fill(service.threads, f"newer-{number}", 1)
        _fill(service.threads, "newest", 600)
    with _serving(database_url) as tenant:
        _wait(lambda: _kept(own_database, "newest") == ALL)
        assert _kept(own_database, "old") == []
        tenant.views.view("old", UNREPAIRED)
        _wait(lambda: _kept(own_database, "old") == [("openai", 250), ("openai", 500)])
        _fill(tenant.threads, "old", 1)
        _wait(lambda: set(_kept(own_database, "old")) == set(ALL))


def test_other_options_are_folded_once_somebody_asks_for_them(
    own_database: Database, database_url: str
) -> None:
    with _serving(database_url) as tenant:
        _fill(tenant.threads, "long", 600)
        _wait(lambda: _kept(own_database, "long") == ALL)
        _fill(tenant.threads, "read", 1)
        tenant.views.view("read", UNREPAIRED)
        _fill(tenant.threads, "long", 1)
        both = sorted([*ALL, ("openai", 250), ("openai", 500)])
        _wait(lambda: _kept(own_database, "long") == both)


def test_bit_by_bit_it_makes_what_it_makes_at_once(
    own_database: Database, database_url: str
) -> None:
    query = (
        "SELECT view, version, carry, grown, items FROM agentlog.snapshots "
        "WHERE thread_id = 'long' ORDER BY view, version"
    )
    with _serving(database_url) as tenant:
        for _ in range(6):  # bit by bit
            _fill(tenant.threads, "long", 100)
            time.sleep(0.05)
        _wait(lambda: _kept(own_database, "long") == ALL)
        made = fetch(own_database, query)
    with own_database.connection() as connection:
        connection.execute("TRUNCATE agentlog.snapshots")
    with open_service(Settings(database_url=database_url)) as service:
        precompute(service.views, "long", *map(choose_view, VIEWS))
    assert fetch(own_database, query) == made


def test_a_service_does_it(own_database: Database, database_url: str) -> None:
    with (
        started("serve", "--port", "0", url=database_url) as service,
        open_service(Settings(database_url=database_url)) as other,
    ):
        assert service.stdout is not None
        service.stdout.readline()  # it listens
        _fill(other.threads, "long", 600)
        _wait(lambda: _kept(own_database, "long") == ALL)


def test_it_does_not_matter_who_appends(own_database: Database, database_url: str) -> None:
    with (
        _serving(database_url),
        open_service(Settings(database_url=database_url)) as other,
    ):
        _fill(other.threads, "long", 600)
        _wait(lambda: _kept(own_database, "long") == ALL)


def test_what_was_folded_is_not_read_again(
    own_database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = LogReader.each_event
    read: list[str] = []

    def noting(reader: LogReader, thread_id: str, **bounds: Any) -> Iterator[Event]:
        if threading.current_thread().name == "precomputation":
            read.append(thread_id)
        return reading(reader, thread_id, **bounds)

    monkeypatch.setattr(LogReader, "each_event", noting)
    with _serving(database_url) as tenant:
        _fill(tenant.threads, "long", 600)
        _wait(lambda: _kept(own_database, "long") == ALL)
        read.clear()
        _fill(tenant.threads, "long", 100)
        _fill(tenant.threads, "other", 250)
        _wait(lambda: len(_kept(own_database, "other")) == len(VIEWS))
        assert set(read) == {"other"}


def test_it_goes_on_when_the_database_is_back(
    own_database: Database,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with _serving(database_url) as tenant, caplog.at_level(logging.WARNING):
        failed = threading.Event()

        def fail(*_: object, **__: object) -> None:
            failed.set()
            raise DatabaseUnavailable("gone")

        with monkeypatch.context() as broken:
            broken.setattr(LogReader, "grown", fail)
            _fill(tenant.threads, "long", 600)
            assert failed.wait(WAIT_SECONDS)
            _wait(lambda: "trying on" in caplog.text)
        _wait(lambda: _kept(own_database, "long") == ALL)


def test_a_thread_that_cannot_be_folded_holds_up_no_other(
    own_database: Database,
    database_url: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    reading = LogReader.each_event

    def failing(reader: LogReader, thread_id: str, **bounds: Any) -> Iterator[Event]:
        if thread_id == "odd":
            raise RecursionError
        return reading(reader, thread_id, **bounds)

    monkeypatch.setattr(LogReader, "each_event", failing)
    with _serving(database_url) as tenant:
        _fill(tenant.threads, "odd", 250)
        _fill(tenant.threads, "long", 600)
        _wait(lambda: _kept(own_database, "long") == ALL)
    assert "odd cannot be folded ahead" in caplog.text


def test_it_ends_in_the_middle_of_a_long_thread(
    own_database: Database, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    advance = Fold.advance

    def slowly(fold: Fold[Any, Any], upto: int) -> None:
        time.sleep(0.1)  # a thread of 10,000 takes it more than ten seconds
        advance(fold, upto)

    with _serving(database_url) as tenant:
        monkeypatch.setattr(Fold, "advance", slowly)
        for _ in range(5):
            _fill(tenant.threads, "long", 2000)
        _wait(lambda: bool(_kept(own_database, "long")))
    assert len(_kept(own_database, "long")) < len(VIEWS) * 40


def test_the_views_in_use_are_the_usual_and_those_that_were_asked_for_last() -> None:
    in_use = ViewsInUse(most=2)
    usual = in_use.views
    assert [view.name for view in usual] == list(VIEWS)
    marked = choose_view("openai", {"mark": "true"})
    stateful = choose_view("agent-state", {"history": "false"})
    for view in (UNREPAIRED, OPENAI, marked, UNREPAIRED, stateful):
        in_use.note(view)
    assert in_use.views == [*usual, UNREPAIRED, stateful]
    assert in_use.changes == 3
    in_use.note(choose_view("openai", {"repair": "false"}))  # the same
    assert [view.name for view in in_use.views[len(usual) :]] == ["agent-state", "openai"]
    assert in_use.changes == 3
