"""Long threads: whatever snapshots there are, were or should be, no answer changes."""

import itertools
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jsonpatch
import psycopg
import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from agentlog.domain.events import Event
from agentlog.domain.json.text import print_bytes
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import Difference, Page, State
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.view_fold import Fold
from agentlog.infrastructure.views.views import Views
from agentlog.projections.difference import items_difference
from agentlog.projections.readers.draft import Draft
from agentlog.projections.registry import AnyView
from agentlog.projections.view import StateView, print_items, render
from tests.histories import examples, histories
from tests.infrastructure.appends import TENANT, Clock, Ids, calls, fetch, reply, results, unguarded
from tests.infrastructure.appends import given as given_id
from tests.infrastructure.precomputed import precompute
from tests.projections.views.test_laws import ALL_VIEWS, every_view, name_of

Counts = dict[str, tuple[int, int]]

_threads = itertools.count()

SHRINKING = pytest.mark.timeout(400)
"""For hypothesis, which takes up to five minutes to make an example that fails a small one."""


@dataclass(frozen=True, slots=True)
class Log:
    """An open log; its one writer keeps a connection."""

    database: Database
    writer: Writer

    def threads(self) -> Threads:
        """Return its threads."""
        return Threads(
            reader=LogReader(self.database, tenant=TENANT),
            writer=self.writer,
            blobs=Blobs(self.database, tenant=TENANT),
            tenant=TENANT,
        )


def _log(database: Database) -> Log:
    return Log(database, Writer(database, clock=Clock(), new_id=Ids()))


@pytest.fixture(scope="module")
def log(shared_database_url: str) -> Iterator[Log]:
    """One log for all that hypothesis draws: each example has a thread of its own."""
    with Database(shared_database_url, pool_size=1) as opened:
        # connected by now: the pool draws random numbers for it, which hypothesis would notice
        fetch(opened, "SELECT 1")
        yield _log(opened)


def _put(log: Log, events: list[Event]) -> str:
    """Write events as they are, also what no append would take; return their thread."""
    thread_id = f"drawn-{next(_threads)}"
    log.threads().start(thread_id, {"policy": "record"})
    with log.database.connection() as connection, connection.transaction():
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO agentlog.events (tenant, thread_id, version, position, type, "
                "message_id, recorded_at, body, body_sha256, chain, metadata) "
                "VALUES (%s, %s, %s, 1, %s, %s, %s, %s, '', %s, %s)",
                [
                    (
                        TENANT,
                        thread_id,
                        event.version + 1,
                        event.type,
                        event.message_id,
                        event.recorded_at,
                        event.body,
                        f"{thread_id} {event.version}".encode(),
                        print_bytes(event.metadata),
                    )
                    for event in events
                ],
            )
        with unguarded(connection):
            connection.execute(
                "UPDATE agentlog.threads SET version = %s WHERE tenant = %s AND thread_id = %s",
                (len(events) + 1, TENANT, thread_id),
            )
    return thread_id


_DAMAGES = [
    "SELECT 1",
    "DELETE FROM agentlog.snapshots WHERE thread_id = %(thread)s",
    "DELETE FROM agentlog.snapshots WHERE thread_id = %(thread)s AND version %% %(some)s = 0",
    (
        "UPDATE agentlog.snapshots SET carry = 'garbage' "
        "WHERE thread_id = %(thread)s AND version %% %(some)s = 0"
    ),
    (
        "UPDATE agentlog.snapshots SET grown = substr(grown, 1, greatest(length(grown) - 1, 0)) "
        "WHERE thread_id = %(thread)s AND version %% %(some)s = 0"
    ),
    (
        "UPDATE agentlog.snapshots SET items = substr(items, 1, greatest(length(items) - 1, 0)) "
        "WHERE thread_id = %(thread)s AND version %% %(some)s = 0"
    ),
    (
        "UPDATE agentlog.snapshots SET items = NULL "
        "WHERE thread_id = %(thread)s AND version %% %(some)s = 0"
    ),
    (
        "UPDATE agentlog.snapshots SET carry = 'another', grown = 'one', items = 'still' "
        "WHERE thread_id = %(thread)s AND version %% %(some)s = 0"
    ),
    (
        "UPDATE agentlog.snapshots SET format = format || ' ' || gen_random_uuid() "
        "WHERE thread_id = %(thread)s AND version %% %(some)s = 0 AND format NOT LIKE '%% %%'"
    ),
    (
        "UPDATE agentlog.snapshots SET carry = NULL "
        "WHERE thread_id = %(thread)s AND version %% %(some)s = 0"
    ),
]


class _Reader:
    """Reads one thread, and between two reads something happens to its snapshots."""

    def __init__(self, log: Log, events: list[Event], data: st.DataObject) -> None:
        self.thread_id = _put(log, events)
        self.data = data
        self._database = log.database
        interval = data.draw(st.integers(1, 4), label="interval")
        share = data.draw(st.sampled_from([0.0, 0.3, 1000.0]), label="share")
        snapshots = Snapshots(
            log.database, tenant=TENANT, key=b"key", interval=interval, share=share
        )
        reader = LogReader(log.database, tenant=TENANT)
        self._views = Views(reader, tenant=TENANT, snapshots=snapshots)
        self.stored = log.threads().messages(self.thread_id)

    def view(
        self, view: AnyView, at: int, *, after: str | None = None, limit: int | None = None
    ) -> Page | State:
        self._precompute_and_damage(view)
        return self._views.view(self.thread_id, view, at=AtVersion(at), after=after, limit=limit)

    def difference(self, view: AnyView, begin: int, end: int) -> Difference:
        self._precompute_and_damage(view)
        return self._views.difference(
            self.thread_id, view, begin=AtVersion(begin), end=AtVersion(end)
        )

    def _precompute_and_damage(self, view: AnyView) -> None:
        if self.data.draw(st.booleans(), label="precomputed"):
            precompute(self._views, self.thread_id, view)
        damage = self.data.draw(st.sampled_from(_DAMAGES), label="damage")
        some = self.data.draw(st.integers(1, 3), label="of versions divided by")
        with self._database.connection() as connection:
            connection.execute(damage.encode(), {"thread": self.thread_id, "some": some})


@SHRINKING
@examples(8)
@given(events=histories(), data=st.data())
def test_no_snapshot_changes_an_answer(log: Log, events: list[Event], data: st.DataObject) -> None:
    reader = _Reader(log, events, data)
    for view in ALL_VIEWS:  # of one thread, which takes longer to draw and to write than to read
        note(name_of(view))
        for _ in range(3):
            _check_answer(reader, view, data)


def _check_answer(reader: _Reader, view: AnyView, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(reader.stored)), label="at")
    rendering = render(view, reader.stored[:at])
    if isinstance(view, StateView):
        result = reader.view(view, at)
        assert isinstance(result, State)
        assert print_bytes(result.state) == print_bytes(view.state(rendering.carry))
    else:
        limit = data.draw(st.none() | st.integers(1, 5), label="limit")
        assert _all_pages(reader, view, at, limit) == print_items(rendering.items)


def _all_pages(reader: _Reader, view: AnyView, at: int, limit: int | None) -> list[Any]:
    """Return the items of all pages, each as full as it can be."""
    items: list[Any] = []
    after: str | None = None
    while True:
        page = reader.view(view, at, after=after, limit=limit)
        assert isinstance(page, Page)
        assert page.version == at
        items += page.items
        if page.next is None:
            assert limit is None or len(page.items) <= limit
            return items
        assert len(page.items) == limit
        assert page.next == page.items[-1].key
        after = page.next


@SHRINKING
@examples(4)
@given(events=histories(), data=st.data())
def test_no_snapshot_changes_a_difference(
    log: Log, events: list[Event], data: st.DataObject
) -> None:
    reader = _Reader(log, events, data)
    for view in ALL_VIEWS:
        note(name_of(view))
        for _ in range(2):
            _check_difference(reader, view, data)


def _check_difference(reader: _Reader, view: AnyView, data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(reader.stored)), label="begin")
    end = data.draw(st.integers(0, len(reader.stored)), label="end")
    difference = reader.difference(view, begin, end)
    before, after = (render(view, reader.stored[:at]) for at in (begin, end))
    if isinstance(view, StateView):
        patched = jsonpatch.apply_patch(view.state(before.carry), list(difference.patch or ()))
        wanted = view.state(after.carry)
        assert print_bytes(patched, sort_keys=True) == print_bytes(wanted, sort_keys=True)
    else:
        items = (print_items(rendering.items) for rendering in (before, after))
        assert difference.items == items_difference(*items)


@every_view
def test_a_fold_that_stopped_half_way_goes_on_from_there(log: Log, view: AnyView) -> None:
    thread_id = f"drawn-{next(_threads)}"
    numbers = range(120)
    log.threads().append(thread_id, [calls(str(n)) if n % 2 else reply(str(n)) for n in numbers])
    reader = LogReader(log.database, tenant=TENANT)
    fold = Fold(reader, thread_id, view)
    first = next(fold.read(len(numbers)))
    assert fold.version < len(numbers)
    rendering = render(view, reader.events(thread_id))
    assert [*first, *fold.read_all(len(numbers)), *fold.rest()] == print_items(rendering.items)
    assert fold.version == len(numbers)


# What an append costs


def _alone(connection: psycopg.Connection) -> None:
    """Wait until no other connection is left: then all that they touched is counted."""
    for _ in range(500):
        others = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        ).fetchone()
        if others == (0,):
            return
        time.sleep(0.01)
    raise AssertionError("somebody else is connected")


def _append(connection: psycopg.Connection, url: str, thread_id: str, *drafts: Draft) -> Counts:
    """Append one by one; return how many rows of each table were read and written meanwhile."""
    before = _counts(connection)
    with Database(url, pool_size=1) as database:
        threads = _log(database).threads()
        for draft in drafts:
            threads.append(thread_id, [draft])
    after = _counts(connection)
    return {
        table: (after[table][0] - before[table][0], after[table][1] - before[table][1])
        for table in after
    }


def _counts(connection: psycopg.Connection) -> Counts:
    _alone(connection)
    rows = connection.execute(
        "SELECT relname, coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0), "
        "n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables WHERE schemaname = 'agentlog'"
    ).fetchall()
    return {table: (read, written) for table, read, written in rows}


def test_an_append_touches_as_many_rows_at_message_10_000_as_at_message_10(
    database_url: str,
) -> None:
    with Database(database_url, pool_size=1) as database:
        threads = _log(database).threads()
        for thread_id, begin, end in (("long", 0, 500), ("long", 500, 5000), ("short", 0, 5)):
            for first in range(begin, end, 500):
                numbers = range(first, min(first + 500, end))
                pairs = [(calls(f"call-{n}"), results(f"call-{n}")) for n in numbers]
                threads.append(thread_id, [draft for pair in pairs for draft in pair])
            # before the first time, to look up an id is to read its thread
            with database.connection() as connection:
                connection.execute("ANALYZE")
    with psycopg.connect(database_url, autocommit=True) as connection:
        drafts = (
            calls("new", id=given_id(1)),
            results("new", id=given_id(2)),
            reply("done", id=given_id(3)),
        )
        long = _append(connection, database_url, "long", *drafts)
        short = _append(connection, database_url, "short", *drafts)
        assert short["events"][1] == 3
        assert short["ledger"][1] == 2
        assert long == short
