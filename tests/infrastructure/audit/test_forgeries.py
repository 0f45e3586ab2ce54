"""Whatever the owner changes: readers get the answers of before, or `agentlog verify` is not whole.

The property draws what the owner does without triggers, and makes the read models and snapshots
anew by our own code; another, what he does to what the schema is made of. Readers ask by every
route that the application has. Tables that docs/why/threats.md names as not covered are not drawn,
and kept checkpoints are no answer.
"""

import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

import psycopg
import pytest
from fastapi.testclient import TestClient
from hypothesis import given, note, settings
from hypothesis import strategies as st

from agentlog.infrastructure.audit.notes import Checkpoint
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels.renewal import renew_rows
from agentlog.infrastructure.reports.catalogue import REPORTS
from agentlog.infrastructure.schema_audit import audit_schema
from agentlog.projections.registry import VIEWS
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.routes import ROUTES
from tests.databases import new_database
from tests.histories import examples
from tests.infrastructure.appends import TENANT, fetch
from tests.infrastructure.audit.conftest import Owner
from tests.infrastructure.audit.forged_log import OTHER, By, Log
from tests.infrastructure.audit.forgeries import (
    TABLES,
    THREADS,
    Columns,
    Forgery,
    forgeries,
    snapshots,
)
from tests.infrastructure.schema_audit.schema_forgeries import SCHEMA, changes, filled

pytestmark = pytest.mark.usefixtures("small_tiles")

LONG_MINUTES = 30
Answers = dict[str, tuple[int, bytes]]


@dataclass(frozen=True)
class Ground:
    """A database that is put back after each forgery, and what readers got before."""

    database: Database
    key: SigningKey
    held: Checkpoint
    tables: tuple[str, ...]
    log: Columns
    derived: Columns
    snapshots: Columns
    before: Answers
    views: dict[str, bytes]
    position: int
    template: str
    routes: tuple[str, ...]

    def restore(self) -> None:
        """Put every table back."""
        with Owner(self.database).unhindered() as connection:
            for table in self.tables:
                copied = f'OVERRIDING SYSTEM VALUE SELECT * FROM kept."{table}"'  # noqa: S608 - our own names
                query = f"DELETE FROM {table}; INSERT INTO {table} {copied}"  # noqa: S608 - as above
                connection.execute(query.encode())

    def forge(self, drawn: list[Forgery]) -> None:
        """Do what was drawn, each as far as the database takes it."""
        for forgery in drawn:
            try:
                with Owner(self.database).unhindered() as connection:
                    forgery.do(connection)
            except psycopg.Error as error:
                note(f"{forgery}: refused: {type(error).__name__}")

    def findings(self, *, by: By) -> set[str]:
        """Return what breaks, as `agentlog verify` finds it."""
        return Log.on(self.database, self.key, self.held).findings(by=by)

    def shown(self) -> dict[str, bytes]:
        """Return what readers that use snapshots are shown."""
        return Log.on(self.database, self.key, self.held).shown()

    def renew(self) -> None:
        """Make anew what is derived, by our own code."""
        with Owner(self.database).unhindered() as connection:
            connection.execute("DELETE FROM agentlog.snapshots")
            connection.execute("DELETE FROM agentlog.tracking")
            connection.execute(
                "INSERT INTO agentlog.tracking (application_name, notification_id) "
                "SELECT name || '.' || build, position FROM agentlog.projections, agentlog.counter"
            )
            connection.execute("DELETE FROM agentlog.thread_search")
            connection.execute(
                "INSERT INTO agentlog.thread_search (tenant, thread_id, position, status, parent, "
                "content, words, metadata) SELECT tenant, thread_id, position, status, parent, "
                "content, agentlog.lexemes_of(tenant, content), agentlog.scalars_of(facts, 1000) "
                "FROM agentlog.threads CROSS JOIN LATERAL agentlog.content_of(thread_id, goal) "
                "AS content WHERE facts IS NOT NULL"
            )
            for table in self.tables:
                if table.startswith("agentlog_readmodels."):
                    connection.execute(f"DELETE FROM {table}".encode())  # noqa: S608 - as above
            threads = connection.execute(
                "SELECT DISTINCT tenant, thread_id FROM agentlog.events"
            ).fetchall()
            for tenant, thread_id in threads:
                renew_rows(connection, tenant, thread_id)

    def differing(self) -> list[str]:
        """Return the routes that answer otherwise; of those about now, if nothing was appended."""
        after = answers(self.database)
        grown = fetch(self.database, "SELECT position FROM agentlog.counter") != [(self.position,)]
        return [
            route
            for route, answer in self.before.items()
            if after[route] != answer and not (grown and not any(mark in route for mark in _FROZEN))
        ]


def answers(database: Database) -> Answers:
    """Return what every read route answers; with `at`, as of the checkpoint."""
    return _over_http(database, _routes(database)) | _tables_of_analysts(database)


def _over_http(database: Database, routes: Iterable[str]) -> Answers:
    app = app_over(database, threads_over(database))
    with TestClient(app, raise_server_exceptions=False) as client:
        responses = {route: client.get(route) for route in routes}
    end_following(app)
    # what is refused names its request
    return {
        route: (answer.status_code, answer.content if answer.is_success else b"")
        for route, answer in responses.items()
    }


def _tables_of_analysts(database: Database) -> Answers:
    """Return what SQL answers, of every table; of the log, as of the checkpoint too."""
    views = fetch(
        database,
        "SELECT viewname::text FROM pg_views WHERE schemaname = 'agentlog_analytics' "
        "AND viewname <> 'progress'",  # about the service
    )
    rows = (
        "SELECT coalesce(string_agg(line::text, '' ORDER BY line::text), '') "
        "FROM agentlog_analytics.{} AS line"
    )
    asked = {f"SQL {view}": rows.format(view) for (view,) in views}
    recorded = 'WHERE position <= (SELECT max(position) FROM kept."agentlog.events")'
    asked["SQL events at="] = f"{rows.format('events')} {recorded}"
    return {name: _sql_answer(database, query) for name, query in asked.items()}


def _sql_answer(database: Database, query: str) -> tuple[int, bytes]:
    try:
        with database.connection() as connection, connection.transaction():
            connection.execute(f"SET LOCAL agentlog.tenant = '{TENANT}'".encode())
            ((answer,),) = connection.execute(query.encode()).fetchall()
    except psycopg.Error:
        return 422, b""
    return 200, answer.encode()


ASKED = {
    "/v1/threads": ("?hidden=true", "?filter=parcel"),
    "/v1/threads/{thread_id}": ("",),
    "/v1/threads/{thread_id}/messages": ("?limit=1000", "?limit=1000&at={version}"),
    "/v1/threads/{thread_id}/messages/{message_id}": ("",),
    "/v1/threads/{thread_id}/views/{view}": ("?limit=1000&at={version}",),
    "/v1/threads/{thread_id}/outline": ("?at={version}",),
    "/v1/threads/{thread_id}/why": ("?at={version}",),
    "/v1/threads/{thread_id}/matches": ("?filter=parcel&at={version}", "?filter=failed"),
    "/v1/threads/{thread_id}/workers": ("",),
    "/v1/threads/{thread_id}/diff": ("?view=agent-state&from=1&to={version}",),
    "/v1/threads/{thread_id}/changes": ("?view=agent-state&path=$.history&at={version}",),
    "/v1/threads/{thread_id}/events": ("?view=openai&follow=false&at={version}",),
    "/v1/threads/{thread_id}/chain": ("",),
    "/v1/threads/{thread_id}/forks": ("",),
    "/v1/threads/{thread_id}/hazards": ("",),
    "/v1/compare": ("?a={thread_id}@1&b={thread_id}@{version}",),
    "/v1/compare/matrix": ("?filter=metadata.run:1", "?thread={thread_id}"),
    "/v1/compare/sets": ("?by=metadata.run",),
    "/v1/summaries": ("",),
    "/v1/log": ("",),
    "/v1/log/events": ("?follow=false",),
    "/v1/search": ("?q=parcel", "?q=secret"),
    "/v1/blobs/{digest}": ("",),
    "/v1/analytics": ("",),
    "/v1/analytics/{name}": ("",),
}
"""What is asked of each read route; the names in braces are filled in with all that there are."""

NOT_ASKED = {
    "/v1/threads/{thread_id}/audit": "the auditor's own word",
    "/v1/threads/{thread_id}/evidence": "kept checkpoints are no answer",
    "/v1/threads/{thread_id}/messages/{message_id}/proof": "as above",
    "/v1/checkpoints": "as above",
    "/v1/checkpoints/latest": "as above",
    "/v1/checkpoints/consistency": "as above",
    "/v1/analytics/sql/tables": "the definitions of tables",
    "/v1/projections": "how far projections are, which threats.md names as not covered",
    "/v1/projections/{name}": "as above",
    "/v1/keys": "keys, which threats.md names as not covered",
    "/v1/keys/self": "as above",
    "/v1/accesses": "accesses, which threats.md names as not covered",
    "/v1/threads/{thread_id}/model-calls/{version}": "made of messages, which are asked",
    "/v1/filters": "saved filters and rules, which tenants set",
    "/v1/rules": "as above",
    "/v1/rules/{name}/changes": "as above",
    "/v1/imports": "imports, which threats.md names as not covered",
    "/v1/imports/{import_id}": "as above",
    "/v1/imports/{import_id}/files": "as above",
    "/v1/imports/{import_id}/findings": "as above",
    "/v1/subscriptions": "subscriptions, which threats.md names as not covered",
    "/v1/subscriptions/{name}": "as above",
    "/v1/subscriptions/{name}/parked": "as above",
    "/metrics": "about the service",
    "/healthz": "about the service",
    "/readyz": "about the service",
}
"""Read routes that say nothing of the log, and why."""

_FACADES = ("/letta/", "/maria/", "/openai/", "/langsmith/", "/api/")
_PARAMETERS = re.compile(r"\{(\w+)(?::\w+)?\}")


def _of_facades() -> list[str]:
    """Return the read routes of facades that all there are can be asked of, by their thread."""
    return [
        route.template + ("?agent_id={thread_id}" if "agent_id" in route.declared else "")
        for route in ROUTES
        if route.method == "GET"
        and route.template.startswith(_FACADES)
        and {*_PARAMETERS.findall(route.template)} <= {"thread_id"}
        and not route.stream
    ]


_FROZEN = ("at=", "to=", "@")
"""What a route of a point in time has in its query."""


def _routes(database: Database) -> Iterator[str]:
    threads = dict(fetch(database, "SELECT thread_id, version FROM kept.heads"))
    messages = fetch(
        database,
        'SELECT thread_id, message_id FROM kept."agentlog.events" ORDER BY position',
    )
    for path, queries in {**ASKED, **dict.fromkeys(_of_facades(), ("",))}.items():
        for query in queries:
            route = path + query
            for thread in THREADS if "{thread_id}" in route else ("",):
                filled = route.replace("{thread_id}", thread)
                if thread:
                    filled = filled.replace("{version}", str(threads[thread]))
                filled = filled.replace("{digest}", sha256(OTHER).hexdigest())
                ids = [message for owner, message in messages if owner == thread][:5]
                for name, values in {"view": VIEWS, "name": REPORTS, "message_id": ids}.items():
                    if f"{{{name}}}" in filled:
                        yield from (filled.replace(f"{{{name}}}", value) for value in values)
                        break
                else:
                    yield filled


_COLUMNS = (
    "SELECT table_schema || '.' || table_name, column_name::text, data_type::text "
    "FROM information_schema.columns WHERE table_schema LIKE 'agentlog%%' "
    "ORDER BY table_name, ordinal_position"
)


@pytest.fixture(scope="module")
def ground(
    server_url: str, filled: tuple[str, Checkpoint], signing: SigningKey
) -> Iterator[Ground]:
    """The log, copied once for all forgeries."""
    name, held = filled
    with (
        new_database(server_url, template=name) as url,
        Database(url, pool_size=4) as database,
    ):
        tables = fetch(
            database,
            "SELECT schemaname || '.' || tablename FROM pg_tables "
            "WHERE schemaname IN ('agentlog', 'agentlog_readmodels') AND tablename <> 'migrations'",
        )
        names = tuple(table for (table,) in tables)
        with database.connection() as connection:
            connection.execute("CREATE SCHEMA kept")
            for table in names:
                connection.execute(f'CREATE TABLE kept."{table}" AS TABLE {table}'.encode())
            connection.execute("CREATE TABLE kept.heads AS TABLE agentlog.threads")
        columns: dict[str, dict[str, str]] = defaultdict(dict)
        for table, column, kind in fetch(database, _COLUMNS):
            columns[table][column] = kind
        log = {f"agentlog.{table}": columns[f"agentlog.{table}"] for table in TABLES}
        of_snapshots = {"agentlog.snapshots": columns["agentlog.snapshots"]}
        derived = {table: columns[table] for table in names if "readmodels" in table}
        ((position,),) = fetch(database, "SELECT position FROM agentlog.counter")
        before, views = answers(database), Log.on(database, signing, held).shown()
        tables_of = (names, log, derived, of_snapshots)
        routes = tuple(_routes(database))
        yield Ground(database, signing, held, *tables_of, before, views, position, name, routes)


def _holds(ground: Ground, drawn: list[Forgery]) -> None:
    ground.restore()
    ground.forge(drawn)
    if ground.findings(by="what you hold"):
        return
    if ground.findings(by="verify --derived"):
        ground.renew()
        if ground.findings(by="verify --derived"):
            return
    assert ground.differing() == []


def test_every_read_route_is_asked_or_says_nothing_of_the_log() -> None:
    every = {route.template for route in ROUTES if route.method == "GET"}
    reads = {route.template for route in ROUTES if route.method == "GET" and route.audited}
    own = {template for template in reads if not template.startswith(_FACADES)}
    assert own <= {*ASKED, *NOT_ASKED} <= every
    assert _of_facades()


def test_a_log_that_is_put_back_is_whole_and_answers_as_before(ground: Ground) -> None:
    ground.restore()
    assert ground.findings(by="what you hold") == ground.findings(by="verify --derived") == set()
    assert ground.differing() == []
    refused = {route for route, (status, _) in ground.before.items() if status not in {200, 404}}
    assert refused == set()
    assert all(answer for route, (_, answer) in ground.before.items() if route.startswith("SQL"))


@given(data=st.data())
@examples(3, long=150)
def test_what_readers_get_is_what_was_there_or_the_audit_is_not_whole(
    ground: Ground, data: st.DataObject
) -> None:
    _holds(ground, data.draw(forgeries(ground.log, ground.derived)))


@given(drawn=st.lists(changes(SCHEMA), min_size=1, max_size=2))
@examples(2, long=60)
def test_whatever_the_schema_is_made_of_readers_get_the_same_or_the_audit_is_not_whole(
    ground: Ground, server_url: str, drawn: list[tuple[str, int, str]]
) -> None:
    _same_or_not_whole(ground, server_url, drawn)


def _same_or_not_whole(ground: Ground, server_url: str, drawn: list[tuple[str, int, str]]) -> None:
    with (
        new_database(server_url, template=ground.template) as url,
        Database(url, pool_size=4) as database,
    ):
        for query, nth, change in drawn:
            names = fetch(database, query)
            statement = filled(change, names[nth % len(names)][0])
            try:
                with Owner(database).unhindered() as connection:
                    connection.execute(statement.encode())
            except psycopg.Error as error:
                note(f"{statement}: refused: {type(error).__name__}")
        if not [*audit_schema(database, derived=True)]:
            after = _over_http(database, ground.routes)
            assert after == {route: ground.before[route] for route in ground.routes}


@given(data=st.data())
@examples(8, long=250)
def test_no_view_shows_what_was_put_in_a_snapshot(ground: Ground, data: st.DataObject) -> None:
    ground.restore()
    ground.forge(data.draw(st.lists(snapshots(ground.snapshots), min_size=1, max_size=4)))
    assert ground.shown() == ground.views


@pytest.mark.slow
@pytest.mark.timeout(LONG_MINUTES * 60 + 900)
def test_the_same_for_half_an_hour(ground: Ground, server_url: str) -> None:
    @given(
        drawn=forgeries(ground.log, ground.derived),
        altered=st.lists(changes(SCHEMA), min_size=1, max_size=2),
    )
    @settings(max_examples=100, derandomize=False)
    def try_some(drawn: list[Forgery], altered: list[tuple[str, int, str]]) -> None:
        _holds(ground, drawn)
        _same_or_not_whole(ground, server_url, altered)

    end = time.monotonic() + LONG_MINUTES * 60
    while time.monotonic() < end:
        try_some()
