"""The planner's figures hold values: none of what was erased is left in them."""

from infrastructure.erasure.vacuum import vacuum
from infrastructure.postgres.database import Database
from infrastructure.views.store import Store
from projections.readmodels.registry import READ_MODELS
from tests.infrastructure.appends import fetch, reply
from tests.infrastructure.erasure.conftest import redactor_on, store_on
from tests.infrastructure.readmodels.tables import catch_up

SECRET = "Zarquon-4711"  # noqa: S105 - what is to be erased
KNOWN = "SELECT tablename, attname FROM pg_stats WHERE pg_stats::text ILIKE %s"


def _say(database: Database) -> Store:
    store = store_on(database)
    store.start("t", {"policy": "record", "goal": SECRET, "metadata": {"who": SECRET}})
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
        store.append("t", said)
    for model in READ_MODELS.values():
        catch_up(database, model, most_events=500)
    return store


def test_figures_hold_nothing_that_was_erased(own_database: Database) -> None:
    store = _say(own_database)
    assert list(vacuum(own_database, full=False)) == []  # which takes figures of all
    count = "SELECT count(*) FROM pg_stats WHERE schemaname LIKE 'agentlog%%'"
    assert fetch(own_database, count) > [(20,)]
    redactor_on(own_database, store).redact("t", None, "asked for")
    assert fetch(own_database, KNOWN, f"%{SECRET}%") == []
    assert list(vacuum(own_database, full=True)) == []
    assert fetch(own_database, KNOWN, f"%{SECRET}%") == []
