"""Workers: what they were sent off for, matched with what they came back with."""

from typing import Any

from agentlog.projections.readmodels.workers import WorkerRow, Workers
from tests.histories import history
from tests.projections.readmodels.folding import rows_of

NOON = 1_767_268_800_000


def send(worker_id: str = "w", at: int = 0, **fields: Any) -> dict[str, Any]:
    kind = {"type": "worker_spawned", "objective": "read", "timestamp": NOON + at}
    return {**kind, "workerId": worker_id, **fields}


def back(worker_id: str = "w", at: int = 0, **fields: Any) -> dict[str, Any]:
    return {"type": "worker_result", "workerId": worker_id, "timestamp": NOON + at, **fields}


def workers(*drafts: dict[str, Any]) -> list[WorkerRow]:
    return rows_of(Workers(), history(*drafts))


def test_a_worker_has_what_it_was_sent_off_for_and_what_it_brought() -> None:
    (row,) = workers(
        send(objective="x" * 600, model="mini", threadId="its-own"), back(at=250, output={"n": 1})
    )
    assert row.objective == "x" * 500 + "…"
    assert (row.worker_id, row.model, row.worker_thread_id) == ("w", "mini", "its-own")
    assert (row.outcome, row.output, row.duration_ms) == ("succeeded", '{"n":1}', 250.0)
    assert (row.version, row.answered_version, row.is_open) == (1, 2, False)


def test_a_worker_that_failed_says_why() -> None:
    one, other = workers(
        send("1"),
        send("2"),
        back("2", error={"message": "login", "code": "E_LOGIN"}),
        back("1", error={"message": "gone"}),
    )
    assert (other.outcome, other.error_code, other.error_message) == ("failed", "E_LOGIN", "login")
    assert (one.outcome, one.error_code, one.error_message) == ("failed", None, "gone")
    assert one.output is other.output is None


def test_a_worker_that_is_out_is_open() -> None:
    (row,) = workers(send())
    assert (row.is_open, row.outcome, row.answered_at, row.duration_ms) == (True, None, None, None)


def test_a_result_of_a_worker_that_nobody_sent_off_is_a_row_of_its_own() -> None:
    first, again = workers(send(), back(output="one"), back(output="two"))
    assert first.output == "one"
    assert (again.output, again.objective, again.spawned_at) == ("two", None, None)
    assert again.version == again.answered_version == 3
