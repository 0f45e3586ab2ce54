"""What was erased is left in no figure of the planner, and after a vacuum in no file."""

from agentlog.infrastructure.erasure.vacuum import vacuum
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.infrastructure.appends import fetch, reply
from tests.infrastructure.erasure.conftest import redactor_on, threads_on
from tests.infrastructure.readmodels.tables import catch_up

SECRET = "Zarquon-4711"  # noqa: S105 - what is to be erased
KNOWN = "SELECT tablename, attname FROM pg_stats WHERE pg_stats::text ILIKE %s"


def _say(database: Database) -> Threads:
    threads = threads_on(database)
    threads.start("t", {"policy": "record", "goal": SECRET, "metadata": {"who": SECRET}})
    call = {"id": "z", "name": "f", "args": {"name": SECRET}}
    failed = {"callId": "z", "output": SECRET, "error": SECRET}
    said = [
        reply(SECRET, metadata={"actor": SECRET, "source": SECRET}),
        {"type": "tool_calls", "calls": [call]},
        {"type": "tool_results", "results": [failed]},
        {"type": "worker_spawned", "workerId": "w", "objective": SECRET, "context": SECRET},
        {"type": "worker_result", "workerId": "w", "output": SECRET},
        {"type": "approval_request", "callId": "y", "tool": "f", "reason": SECRET},
        {"type": "approval_response", "callId": "y", "approved": False, "reason": SECRET},
        {"type": "runtime_error", "error": SECRET},
    ]
    for _ in range(3):  # what stands there once is in no list of the most common values
        threads.append("t", said)
    for model in READ_MODELS.values():
        catch_up(database, model, most_events=500)
    return threads


def test_figures_hold_nothing_that_was_erased(own_database: Database) -> None:
    threads = _say(own_database)
    assert list(vacuum(own_database, full=False)) == []  # which takes figures of all
    count = "SELECT count(*) FROM pg_stats WHERE schemaname LIKE 'agentlog%%'"
    assert fetch(own_database, count) > [(20,)]
    redactor_on(own_database, threads).redact("t", None, "asked for")
    assert fetch(own_database, KNOWN, f"%{SECRET}%") == []
    assert list(vacuum(own_database, full=True)) == []
    assert fetch(own_database, KNOWN, f"%{SECRET}%") == []


HOLDERS = """
SELECT relname FROM pg_class
WHERE relnamespace IN ('agentlog'::regnamespace, 'agentlog_readmodels'::regnamespace)
    AND relkind = ANY (%s::"char"[]) AND pg_relation_size(oid) > 0
    AND position(%s::bytea IN pg_read_binary_file(pg_relation_filepath(oid))) > 0
"""
"""Relations of these kinds whose files have these bytes; `"char"` is PostgreSQL's own type."""


def test_files_of_indexes_hold_nothing_after_a_vacuum_and_no_file_after_a_full_one(
    own_database: Database,
) -> None:
    threads = _say(own_database)
    word = b"zarquon"  # as indexes have it; it is no number, so it stands as it is
    with own_database.connection() as connection:
        connection.execute("CHECKPOINT")
    assert fetch(own_database, HOLDERS, ["i"], word) != []
    redactor_on(own_database, threads).redact("t", None, "asked for")
    assert list(vacuum(own_database, full=False)) == []
    with own_database.connection() as connection:
        connection.execute("CHECKPOINT")
    assert fetch(own_database, HOLDERS, ["i"], word) == []
    assert list(vacuum(own_database, full=True)) == []
    with own_database.connection() as connection:
        connection.execute("CHECKPOINT")
    for text in (word, SECRET.encode()):
        assert fetch(own_database, HOLDERS, ["i", "r", "t"], text) == []
