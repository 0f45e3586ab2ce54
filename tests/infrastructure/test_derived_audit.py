"""Derived data that the owner of the database, another version or another key has changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.derived_audit import DerivedAuditor
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels.renewal import renew_rows
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.projections.readmodels.registry import READ_MODELS
from agentlog.projections.registry import choose_view
from tests.databases import name_of, new_database
from tests.infrastructure.appends import STORY, TENANT, Clock, Ids, fetch, reply
from tests.infrastructure.audit.conftest import Owner
from tests.infrastructure.precomputed import precompute
from tests.infrastructure.readmodels.tables import catch_up

KEY, OTHER_KEY = b"the key of the services", b"the key of a new container"

READ_MODEL_TABLES = tuple(f"agentlog_readmodels.{name}_1" for name in READ_MODELS)
DERIVED_TABLES = (*READ_MODEL_TABLES, "agentlog.snapshots", "agentlog.thread_search")

CHANGED = {
    "bigint": "coalesce({}, 0) + 1000",
    "boolean": "{} IS NOT TRUE",
    "bytea": "coalesce({}, '') || '!'",
    "double precision": "coalesce({}, 0) + 777",
    "jsonb": "'[\"forged\"]'",
    "text": "coalesce({}, '') || '!'",
    "timestamp with time zone": "coalesce({}, now()) + interval '1 second'",
    "tsvector": "strip('forged')",
}
"""Another value of a column, by its type."""


@dataclass(frozen=True)
class Derived:
    """A log with all that is derived from it."""

    database: Database

    def forge(self, query: str, *parameters: object) -> None:
        """Change the database as its owner."""
        Owner(self.database).do(query, *parameters)

    def snapshots(self, key: bytes = KEY) -> Snapshots:
        return Snapshots(self.database, tenant=TENANT, key=key, interval=5, share=100)

    def threads(self) -> Threads:
        return Threads(
            reader=LogReader(self.database, tenant=TENANT),
            writer=Writer(self.database, clock=Clock(), new_id=Ids()),
            blobs=Blobs(self.database, tenant=TENANT),
            tenant=TENANT,
        )

    def views(self) -> Views:
        reader = LogReader(self.database, tenant=TENANT)
        return Views(reader, tenant=TENANT, snapshots=self.snapshots())

    def auditor(self, key: bytes = KEY) -> DerivedAuditor:
        reader = LogReader(self.database, tenant=TENANT)
        return DerivedAuditor(self.database, reader, self.snapshots(key), tenant=TENANT)

    def findings(self, key: bytes = KEY) -> set[str]:
        """Return what `agentlog verify --derived` finds beside the log itself."""
        auditor = self.auditor(key)
        threads = fetch(self.database, "SELECT thread_id FROM agentlog.threads")
        findings = [finding for (thread,) in threads for finding in auditor.thread(thread)]
        findings += [*auditor.around(), *auditor.unchecked()]
        return {finding.what for finding in findings}


@pytest.fixture(scope="module")
def template(server_url: str, template_database: str) -> Iterator[str]:
    """The name of a database with the log."""
    with new_database(server_url, template=template_database) as url:
        with Database(url, pool_size=2) as database:
            threads = Derived(database).threads()
            threads.start("t", {"policy": "record", "goal": "Find the parcel"})
            threads.append("t", STORY)
            threads.append("redacted", [reply("a secret")])
            redactor = Redactor(database, threads, Eraser(database, threads.writer), tenant=TENANT)
            redactor.redact("redacted", None, "asked for")
            for model in READ_MODELS.values():
                catch_up(database, model, most_events=500)
            chosen = [choose_view(view) for view in ("agent-state", "openai")]
            precompute(Derived(database).views(), "t", *chosen)
        yield name_of(url)


@contextmanager
def copied(server_url: str, template: str) -> Iterator[Derived]:
    """Lend a copy of the log for one change."""
    with new_database(server_url, template=template) as url, Database(url, pool_size=2) as database:
        yield Derived(database)


@pytest.fixture
def derived(server_url: str, template: str) -> Iterator[Derived]:
    """A copy of the log for one change."""
    with copied(server_url, template) as derived:
        yield derived


def test_of_what_nobody_changed_nothing_is_found(derived: Derived) -> None:
    assert derived.findings() == set()
    for table in DERIVED_TABLES:
        assert fetch(derived.database, f"SELECT FROM {table} LIMIT 1"), table


LIES = {
    "a trigger": (
        "CREATE FUNCTION agentlog_readmodels.lie() RETURNS trigger LANGUAGE plpgsql AS "
        "'BEGIN NEW.model := ''forged''; RETURN NEW; END'; CREATE TRIGGER lie BEFORE INSERT "
        "ON agentlog_readmodels.model_calls_1 FOR EACH ROW "
        "EXECUTE FUNCTION agentlog_readmodels.lie()"
    ),
    "a rule": (
        "CREATE RULE lie AS ON INSERT TO agentlog_readmodels.model_calls_1 DO INSTEAD NOTHING; "
        "DELETE FROM agentlog_readmodels.model_calls_1"
    ),
    "a view in place": (
        "ALTER TABLE agentlog_readmodels.model_calls_1 RENAME TO kept; CREATE VIEW "
        "agentlog_readmodels.model_calls_1 AS SELECT * FROM agentlog_readmodels.kept WHERE false"
    ),
}
"""What the service's login can do to a table that it owns."""


@pytest.mark.parametrize("lie", LIES)
def test_fresh_rows_are_made_where_no_definition_of_the_service_touches_them(
    derived: Derived, lie: str
) -> None:
    with derived.database.connection() as connection, connection.transaction():
        connection.execute("SET LOCAL ROLE agentlog_service")
        connection.execute(LIES[lie].encode())
        if lie == "a trigger":
            renew_rows(connection, TENANT, "t")
    assert "derived-differs" in derived.findings()


@pytest.mark.parametrize("thread", ["ghost", ""])
@pytest.mark.parametrize("table", DERIVED_TABLES)
def test_rows_of_a_thread_that_does_not_exist_are_found(
    derived: Derived, table: str, thread: str
) -> None:
    with Owner(derived.database).unhindered() as connection:
        connection.execute(
            f"CREATE TEMPORARY TABLE copied AS SELECT * FROM {table} "  # noqa: S608 - our names
            f"WHERE thread_id = (SELECT max(thread_id) FROM {table})".encode()
        )
        connection.execute("UPDATE copied SET thread_id = %s", (thread,))
        if "message_words" in table:  # a place in the log has one row
            connection.execute("UPDATE copied SET position = position + 1000")
        connection.execute(f"INSERT INTO {table} SELECT * FROM copied".encode())  # noqa: S608 - as above
    assert derived.findings() == {"derived-differs"}


@pytest.mark.parametrize("step", [-1, 1])
def test_a_build_of_another_version_is_not_said_to_be_whole(derived: Derived, step: int) -> None:
    derived.forge("UPDATE agentlog_readmodels.model_calls_1 SET cost_usd = 777")
    derived.forge(
        "UPDATE agentlog.projections SET version = version + %s WHERE name = 'model_calls'", step
    )
    assert derived.findings() == {"derived-unchecked"}


def test_a_build_that_no_read_model_has_is_not_said_to_be_whole(derived: Derived) -> None:
    derived.forge("UPDATE agentlog.projections SET name = 'invoices' WHERE name = 'workers'")
    assert derived.findings() == {"derived-differs", "derived-unchecked"}


POSITIONS = {
    "a build, ahead of the log": "UPDATE agentlog.tracking SET notification_id = 9999 "
    "WHERE application_name = 'workers.1'",
    "the counter's time": "UPDATE agentlog.counter SET recorded_at = '2999-01-01'",
    "the table of a build": "ALTER TABLE agentlog_readmodels.workers_1 "
    "SET SCHEMA agentlog_analytics",
}


@pytest.mark.parametrize("change", POSITIONS.values(), ids=list(POSITIONS))
def test_positions_beside_the_threads_are_looked_at(derived: Derived, change: str) -> None:
    with Owner(derived.database).unhindered() as connection:
        connection.execute(change.encode())
    assert derived.findings() == {"derived-differs"}


LEFT_OUT = (
    "INSERT INTO agentlog.tracking (application_name, notification_id) "
    "SELECT %s, position FROM agentlog.counter"
)


@pytest.mark.parametrize("name", sorted(READ_MODELS.keys() - {"message_words"}))
def test_a_read_model_that_has_all_events_is_not_said_to_leave_any_out(
    derived: Derived, name: str
) -> None:
    derived.forge(LEFT_OUT, f"{name}.1.left_out")
    assert derived.findings() == {"derived-differs"}
    ((thread,), *_) = fetch(
        derived.database,
        f"DELETE FROM agentlog_readmodels.{name}_1 RETURNING thread_id",  # noqa: S608 - our own name
    )
    assert {finding.what for finding in derived.auditor().thread(thread)} == {"derived-differs"}


@pytest.mark.parametrize("name", ["message_words.2", "invoices.1"])
def test_no_build_that_is_not_there_leaves_events_out(derived: Derived, name: str) -> None:
    derived.forge(LEFT_OUT, f"{name}.left_out")
    assert derived.findings() == {"derived-differs"}


def test_snapshots_of_another_key_are_neither_broken_nor_whole_nor_read(derived: Derived) -> None:
    before = fetch(derived.database, "SELECT * FROM agentlog.snapshots ORDER BY version, view")
    assert derived.findings(OTHER_KEY) == {"derived-unchecked"}
    assert derived.findings() == set()
    assert before == fetch(
        derived.database, "SELECT * FROM agentlog.snapshots ORDER BY version, view"
    )


def test_a_forged_snapshot_that_names_another_key_is_not_read(derived: Derived) -> None:
    right = derived.views().view("t", choose_view("openai"))
    derived.forge("UPDATE agentlog.snapshots SET items = 'forged' WHERE items IS NOT NULL")
    assert derived.findings() == {"derived-differs"}
    derived.forge("UPDATE agentlog.snapshots SET format = format || '0'")
    assert derived.findings() == {"derived-unchecked"}
    assert derived.views().view("t", choose_view("openai")) == right


@drawn(st.data())
def test_a_row_that_is_changed_is_found(
    server_url: str, template: str, data: st.DataObject
) -> None:
    with copied(server_url, template) as derived:
        table = data.draw(st.sampled_from(DERIVED_TABLES), "table")
        columns: dict[str, str] = dict(fetch(derived.database, COLUMNS, table))
        if table == "agentlog.snapshots":  # any may be deleted
            del columns["tenant"]
        rows = len(fetch(derived.database, f"SELECT FROM {table}"))
        row = data.draw(st.integers(0, rows - 1), "row")
        column = data.draw(st.sampled_from(sorted(columns)), "column")
        value = CHANGED[columns[column]].format(column)
        derived.forge(
            f"UPDATE {table} SET {column} = {value} WHERE ctid = "  # noqa: S608 - our names
            f"(SELECT ctid FROM {table} ORDER BY ctid OFFSET %s LIMIT 1)",
            row,
        )
        assert derived.findings()


COLUMNS = (
    "SELECT column_name::text, data_type::text FROM information_schema.columns "
    "WHERE table_schema || '.' || table_name = %s"
)
