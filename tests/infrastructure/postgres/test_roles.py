"""What the database itself keeps the service from: changing the log, and other tenants' rows."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.errors import InsufficientPrivilege, RestrictViolation

from agentlog.api.composition import Service, open_service
from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.audit.checkpoints import Checkpoints
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.postgres.database import Connections, Database
from agentlog.infrastructure.postgres.migration import MigrationError
from agentlog.infrastructure.postgres.roles import SERVICE, TENANT, NoServiceRole
from agentlog.infrastructure.settings import Settings
from tests.infrastructure.appends import reply

OURS, THEIRS = "acme", "globex"
SECRET = "their secret, " * 50  # long enough to stand apart from its message

CHANGES = (
    "UPDATE agentlog.{} SET tenant = 'other'",
    "DELETE FROM agentlog.{}",
    "TRUNCATE agentlog.{}",
)
ONLY_GROW = ("events", "checkpoints")
_CHECKPOINT = (
    "INSERT INTO agentlog.checkpoints (tenant, size, position, root, note, public_key) "
    "VALUES ('acme', 1, 1, '', '', '')"
)
OF_TENANTS = (
    "events",
    "events_in_blocks",
    "threads",
    "thread_search",
    "ledger",
    "blobs",
    "snapshots",
    "checkpoints",
    "tiles",
)


@pytest.fixture
def service(database_url: str) -> Iterator[Service]:
    """A service of two tenants, each with a thread."""
    with open_service(Settings(database_url=database_url, tenant=OURS)) as opened:
        for tenant, text in ((OURS, "hello " * 100), (THEIRS, SECRET)):
            threads = opened.tenants[tenant].threads
            threads.start("thread", {"goal": f"a goal of {tenant}", "metadata": {"team": tenant}})
            threads.append("thread", [{"type": "system", "text": text}, reply(text)])
            call = {"type": "tool_calls", "calls": [{"id": "1", "name": "f"}]}
            threads.append("thread", [call])
        yield opened


@pytest.fixture
def working(service: Service, database_url: str) -> Iterator[Database]:
    """The same database, as the service works in it, with a single connection."""
    del service
    with Database(database_url, pool_size=1, in_role=True) as database:
        yield database


@pytest.mark.parametrize("table", ONLY_GROW)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("tenant", [None, OURS])
def test_the_service_may_not_change_the_log(
    working: Database, tenant: str | None, change: str, table: str
) -> None:
    place = working if tenant is None else working.confined(tenant)
    with place.connection() as connection, pytest.raises(InsufficientPrivilege):
        connection.execute(sql.SQL(change).format(sql.Identifier(table)))


@pytest.mark.parametrize("table", ONLY_GROW)
@pytest.mark.parametrize("change", CHANGES)
def test_nor_may_the_owner(service: Service, database_url: str, change: str, table: str) -> None:
    del service
    with psycopg.connect(database_url) as owner:
        owner.execute(_CHECKPOINT)
        with pytest.raises(RestrictViolation):
            owner.execute(sql.SQL(change).format(sql.Identifier(table)))


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE agentlog.events DISABLE TRIGGER ALL",
        "DROP TRIGGER events_only_grow ON agentlog.events",
        "ALTER TABLE agentlog.events DISABLE ROW LEVEL SECURITY",
        "SET session_replication_role = replica",
        "DROP SCHEMA agentlog CASCADE",
        "CREATE TABLE agentlog.mine ()",
        "UPDATE agentlog.migrations SET name = ''",
        "DELETE FROM agentlog.threads",
        "DELETE FROM agentlog.ledger",
        "UPDATE agentlog.blobs SET content = ''",
        "DELETE FROM agentlog.blobs",
        "TRUNCATE agentlog.blobs",
        "INSERT INTO agentlog.loose_blobs SELECT tenant, sha256 FROM agentlog.blobs",
        "DELETE FROM agentlog.erasures",
        "UPDATE agentlog.erasures SET number = 1, done_at = now()",
        "DELETE FROM agentlog.counter",
        "UPDATE agentlog.tiles SET root = ''",
        "DELETE FROM agentlog.checkpoints",
    ],
)
def test_what_else_the_service_may_not_do(working: Database, statement: str) -> None:
    for place in (working, working.confined(OURS)):
        with place.connection() as connection, pytest.raises(InsufficientPrivilege):
            connection.execute(statement.encode())


_COPIED_HEAD = (
    "INSERT INTO agentlog.threads SELECT tenant, 'another', version, position, chain, policy, "
    "status, anomalies, parent, goal, facts, started_at, updated_at FROM agentlog.threads"
)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE agentlog.threads SET status = 'closed'",
        "UPDATE agentlog.threads SET facts = NULL, goal = NULL, version = version + 1",
        "UPDATE agentlog.threads SET version = version + 1, chain = sha256('')",
        "UPDATE agentlog.threads SET version = 1, position = 1",
        "UPDATE agentlog.threads SET thread_id = 'another'",
        _COPIED_HEAD,
        "UPDATE agentlog.counter SET position = 0",
        "UPDATE agentlog.counter SET recorded_at = '-infinity'",
        "SELECT agentlog.redact_events('acme', 'thread', 2, '{1}', '{x}', '{null}', '{null}')",
    ],
)
def test_what_the_database_refuses_the_service_where_it_may_write(
    working: Database, statement: str
) -> None:
    with working.connection() as connection, pytest.raises(RestrictViolation):
        connection.execute(statement.encode())


def test_the_service_deletes_no_content_that_an_event_refers_to(
    working: Database, database_url: str
) -> None:
    count = "SELECT count(*) FROM agentlog.blobs"
    with working.connection() as connection, psycopg.connect(database_url) as owner:
        before = connection.execute(count.encode()).fetchone()
        owner.execute("INSERT INTO agentlog.loose_blobs SELECT tenant, sha256 FROM agentlog.blobs")
        owner.commit()
        connection.execute("SELECT agentlog.delete_unreferenced(%s)", (OURS,))
        connection.execute("SELECT agentlog.delete_unreferenced(%s)", (THEIRS,))
        assert connection.execute(count.encode()).fetchone() == before != (0,)


@pytest.mark.parametrize("table", OF_TENANTS)
def test_a_tenant_sees_no_rows_of_others(
    service: Service, working: Database, database_url: str, table: str
) -> None:
    for tenant in (OURS, THEIRS):
        service.tenants[tenant].proofs.checkpoints.page()
    select = sql.SQL("SELECT DISTINCT tenant FROM agentlog.{}").format(sql.Identifier(table))
    fill = _FILLS.get(table)
    if fill is not None:
        with psycopg.connect(database_url, autocommit=True) as owner:
            for tenant in (OURS, THEIRS):
                owner.execute(fill, (tenant,))
    with working.connection() as connection:
        assert {row[0] for row in connection.execute(select)} == {OURS, THEIRS}
    for tenant in (OURS, THEIRS, OURS):
        with working.confined(tenant).connection() as connection:
            assert {row[0] for row in connection.execute(select)} == {tenant}


_FILLS = {
    "snapshots": b"INSERT INTO agentlog.snapshots VALUES (%s, 't', 'v', '', '', 1, '', '')",
    "checkpoints": b"INSERT INTO agentlog.checkpoints VALUES (%s, 1, 1, '', '', '')",
    "tiles": b"INSERT INTO agentlog.tiles VALUES (%s, 0, '', 1)",
}


def test_a_tenant_writes_no_rows_of_others(working: Database) -> None:
    with working.confined(OURS).connection() as connection:
        connection.execute(_FILLS["tiles"], (OURS,))
        with pytest.raises(InsufficientPrivilege, match="row-level security"):
            connection.execute(_FILLS["tiles"], (THEIRS,))


Ask = Callable[[Connections], object]


def _reader(place: Connections) -> LogReader:
    """Return a reader with the wrong tenant in all its queries: the first wall is down."""
    return LogReader(place, tenant=THEIRS)


ASKED: dict[str, Ask] = {
    "events": lambda place: _reader(place).events("thread"),
    "events by type": lambda place: _reader(place).events("thread", types=["system"]),
    "log": lambda place: _reader(place).log(),
    "thread ids": lambda place: _reader(place).thread_ids(after="", limit=10),
    "threads": lambda place: _heads(place, ThreadFilter()),
    "threads by words": lambda place: _heads(place, ThreadFilter(text="goal")),
    "threads by metadata": lambda place: _heads(place, ThreadFilter(metadata={"team": THEIRS})),
    "threads by status": lambda place: _heads(place, ThreadFilter(status="open")),
    "checkpoints": lambda place: Checkpoints(place, tenant=THEIRS, key=SigningKey(None)).page(),
    "blobs": lambda place: Blobs(place, tenant=THEIRS).known([_digest()]),
}


def _heads(place: Connections, which: ThreadFilter) -> Sequence[object]:
    return LogReader(place, tenant=THEIRS).heads(which, before=None, limit=10)


def _digest() -> str:
    return sha256(SECRET.encode()).hexdigest()


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_a_query_about_another_tenant_finds_nothing(working: Database, ask: Ask) -> None:
    if ask is not ASKED["checkpoints"]:
        assert ask(working), "there is something to be found"
    assert not ask(working.confined(OURS))


def test_what_is_looked_up_for_a_tenant_is_read_within_it(working: Database) -> None:
    """Words are looked up where the index can be used; heads come from behind the wall."""
    confined = working.confined(OURS)
    for tenant, visible in ((OURS, ["thread"]), (THEIRS, [])):
        reader = LogReader(confined, tenant=tenant, searched=working)
        heads = reader._matching(
            {
                "statuses": ["open"],
                "parent": None,
                "text": "goal",
                "facts": None,
                "hidden": False,
                "before": 2**62,
                "limit": 10,
            }
        )
        assert [head.thread_id for head in heads] == visible


def test_reports_and_views_of_analysts_are_confined(service: Service, working: Database) -> None:
    service.projection_status.rebuild("messages")
    with working.confined(OURS).connection() as connection:
        rows = connection.execute("SELECT tenant FROM agentlog_analytics.events").fetchall()
        assert {row[0] for row in rows} == {OURS}


@contextmanager
def _login(database_url: str, *, member: bool) -> Iterator[str]:
    """Yield the URL of a login that owns nothing."""
    name = f"agentlog_test_{uuid.uuid4().hex[:12]}"
    roles = sql.SQL(" IN ROLE {}, {}").format(sql.Identifier(SERVICE), sql.Identifier(TENANT))
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'sesame'").format(sql.Identifier(name))
            + (roles if member else sql.SQL(""))
        )
    try:
        yield make_conninfo(database_url, user=name, password="sesame")  # noqa: S106 - a test's
    finally:
        with psycopg.connect(database_url, autocommit=True) as owner:
            owner.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(name)))


def test_the_service_runs_under_a_login_that_owns_nothing(database_url: str) -> None:
    with (
        _login(database_url, member=True) as url,
        open_service(Settings(database_url=url, tenant=OURS)) as service,
    ):
        service.threads.append("thread", [reply(str(number)) for number in range(250)])
        assert len(service.threads.messages("thread")) == 250
        assert service.own.proofs.auditor.thread("thread").whole


@pytest.mark.parametrize(
    ("migrated", "refusal", "way_out"),
    [(True, NoServiceRole, "GRANT agentlog_service"), (False, MigrationError, "agentlog migrate")],
)
def test_a_login_that_may_not_is_told_what_it_takes(
    database_url: str,
    empty_database_url: str,
    migrated: bool,  # noqa: FBT001 - a parameter
    refusal: type[AgentlogError],
    way_out: str,
) -> None:
    place = database_url if migrated else empty_database_url
    with (
        _login(place, member=False) as url,
        pytest.raises(refusal, match=way_out),
        open_service(Settings(database_url=url)),
    ):
        raise AssertionError("it opened")


def test_a_connection_that_is_made_anew_is_confined_again(
    working: Database, database_url: str
) -> None:
    with working.confined(OURS).connection() as connection:
        pid = connection.info.backend_pid
    with psycopg.connect(database_url, autocommit=True) as owner:
        owner.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
    assert _tenants(working.confined(THEIRS)) == {THEIRS}
    assert _tenants(working) == {OURS, THEIRS}


def _tenants(place: Connections) -> set[Any]:
    with place.connection() as connection:
        rows = connection.execute("SELECT tenant FROM agentlog.threads").fetchall()
    return {row[0] for row in rows}


def test_every_table_of_tenants_has_the_wall(database_url: str) -> None:
    """Also those that are made later: whoever forgets one finds it here."""
    with psycopg.connect(database_url) as owner:
        seen = owner.execute(
            "SELECT class.oid::regclass::text, relrowsecurity FROM pg_class AS class "
            "JOIN pg_attribute ON attrelid = class.oid AND attname = 'tenant' "
            "WHERE relkind = 'r' AND relnamespace = 'agentlog'::regnamespace "
            "AND has_any_column_privilege(%s, class.oid, 'SELECT, INSERT, UPDATE')",
            (TENANT,),
        ).fetchall()
    assert len(seen) >= len(OF_TENANTS) - 1  # the ledger is the writer's alone
    assert [name for name, has_wall in seen if not has_wall] == []


def test_every_view_of_tenants_is_looked_at(database_url: str) -> None:
    """A view reads with its owner's rights, whom no wall keeps out: it needs one of its own."""
    with psycopg.connect(database_url) as owner:
        seen = owner.execute(
            "SELECT relname FROM pg_class "
            "WHERE relkind = 'v' AND relnamespace = 'agentlog'::regnamespace "
            "AND has_any_column_privilege(%s, oid, 'SELECT, INSERT, UPDATE')",
            (TENANT,),
        ).fetchall()
    assert {name for (name,) in seen} == {"events_in_blocks"} < set(OF_TENANTS)
