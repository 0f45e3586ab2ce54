"""An export goes on where the last one stopped, and rewrites only the days that changed."""

from pathlib import Path
from threading import Event, Thread
from typing import Any

import psycopg
import pytest
from eventsourcing.persistence import StoredEvent

from agentlog.domain.json.numbers import WrittenFloat
from agentlog.extensions.dataset import event_pages, tables
from agentlog.extensions.dataset import export as export_module
from agentlog.extensions.dataset.event_pages import read_events
from agentlog.extensions.dataset.part import last_event
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projection import Projection, StepResult
from agentlog.infrastructure.readmodels.projection_status import ProjectionBehind
from agentlog.infrastructure.readmodels.projector import Projector
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.command_line import agentlog
from tests.extensions.dataset.conftest import threads_on
from tests.extensions.dataset.datasets import (
    Exporter,
    check_equal,
    duck,
    events_in_database,
    events_in_files,
    rows_in_database,
    rows_in_files,
    spread_over_days,
)
from tests.infrastructure.appends import STORY, TENANT, calls, fetch, reply, results
from tests.infrastructure.inserting_recorder import PostgresRecorder
from tests.infrastructure.readmodels.tables import catch_up


def files_of(exporter: Exporter) -> dict[str, tuple[int, int]]:
    """Return each file, and by what one can tell that it was written again."""
    stats = {path: (exporter.folder / path).stat() for path in exporter.manifest.files()}
    return {path: (status.st_ino, status.st_mtime_ns) for path, status in stats.items()}


def test_a_second_export_writes_nothing(threads: Threads, exporter: Exporter) -> None:
    threads.append("t", STORY)
    first = exporter()
    before = files_of(exporter)
    assert first.events == len(STORY)
    assert exporter().events == 0
    assert exporter().days == 0
    assert files_of(exporter) == before
    check_equal(exporter)


def test_new_events_come_in_new_files(threads: Threads, exporter: Exporter) -> None:
    threads.append("t", [reply("one")])
    exporter(["events"])
    before = files_of(exporter)
    threads.append("t", [reply("two")])
    assert exporter(["events"]).events == 1
    after = files_of(exporter)
    assert {path: after[path] for path in before} == before
    assert len(after) == 2
    assert exporter.manifest.tables == {}
    assert [row[0] for row in events_in_files(exporter.folder)] == [1, 2]


def answer(output: int, **fields: Any) -> dict[str, Any]:
    """Return a draft of an answer that sessions copy."""
    usage = {"inputTokens": 10 * output, "outputTokens": output}
    draft = {"type": "llm_response", "model": "gpt-4o", "usage": usage}
    return {**draft, "metadata": {"responseId": "msg_1"}, **fields}


@pytest.mark.parametrize("only", [["events", "threads", "model_calls"], ["threads"]])
def test_what_a_thread_says_again_counts_once_in_all_files(
    threads: Threads, exporter: Exporter, own_database: Database, only: list[str]
) -> None:
    threads.append("t1", [answer(7)])
    threads.append("t2", [reply("other"), answer(7)])
    spread_over_days(own_database, events_a_day=1)
    exporter(only)
    threads.append("t3", [answer(260, costUsd=0.5)])  # counts in the place of both
    threads.append("t1", [answer(8)])  # told again, of a row that is closed
    exporter(only)
    for name in {*only} - {"events"}:
        assert rows_in_files(exporter.folder, name) == rows_in_database(own_database, name)
    with duck(exporter.folder) as connection:
        sums = connection.sql(
            "SELECT sum(model_calls), sum(output_tokens), sum(cost_usd) FROM threads"
        ).fetchall()
    assert sums == [(1, 260, 0.5)]
    assert exporter(only).days == 0
    assert exporter.manifest.tables.keys() == {*only} - {"events"}


def test_only_days_whose_rows_changed_are_written_again(
    threads: Threads, exporter: Exporter, own_database: Database
) -> None:
    for number in range(40):  # a call each, answered but for those of the first days
        threads.append(f"t{number}", [calls("a")])
        if number > 12:
            threads.append(f"t{number}", [results("a")])
    spread_over_days(own_database, events_a_day=9)
    exporter()
    before = files_of(exporter)
    open_days = {
        day for day, file in exporter.manifest.tables["tool_calls"].days.items() if file.open
    }
    assert len(open_days) == 2
    threads.append("t0", [results("a")])
    exporter()
    after = files_of(exporter)
    check_equal(exporter)
    written = {path for path in before if before[path] != after.get(path)}
    assert {path for path in written if path.startswith("tool_calls/")} == {
        f"tool_calls/day={min(open_days)}/rows.parquet"
    }
    assert not {path for path in written if path.startswith(("messages/", "events/"))}


def test_rows_of_a_rebuilt_read_model_are_written_again(
    threads: Threads, exporter: Exporter, own_database: Database, database_url: str
) -> None:
    threads.append("t", STORY)
    exporter()
    assert agentlog("projections", "rebuild", "tool_calls", url=database_url).code == 0
    # as a mended projection might have them
    fetch(
        own_database,
        "UPDATE agentlog_readmodels.tool_calls_2 "
        "SET tool = 'g', recorded_at = '2026-01-01T23:59:59.999999Z' RETURNING tool",
    )
    assert exporter().days == 1
    with duck(exporter.folder) as connection:
        assert connection.sql("SELECT DISTINCT tool FROM tool_calls").fetchall() == [("g",)]
    check_equal(exporter)


def test_a_read_model_may_be_switched_while_it_is_exported(
    threads: Threads,
    exporter: Exporter,
    own_database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads.append("t", STORY)
    exporter(["threads"])
    exporter(["tool_calls"])
    model = READ_MODELS["tool_calls"]
    rebuilt = Projection(model, 2)
    with own_database.connection() as connection:
        builds.begin(connection, model)
        assert [rebuilt.step(connection) for _ in "ab"] == [StepResult.MORE] * 2  # with its indexes
    switched: list[StepResult] = []

    def switch(connection: psycopg.Connection, tenant: str, *, upto: int) -> Any:
        if not switched:  # after the snapshot that has told which build is live
            with own_database.connection() as other:
                switched.append(rebuilt.step(other))
        return last_event(connection, tenant, upto=upto)

    monkeypatch.setattr(tables, "last_event", switch)
    exporter(["events", "tool_calls"])
    assert switched
    assert exporter.manifest.tables["tool_calls"].build == 2
    exporter()
    check_equal(exporter)


def test_read_models_at_different_positions_are_brought_up_and_read_again(
    threads: Threads,
    exporter: Exporter,
    own_database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads.append("t", STORY)
    exporter()
    snapshot = tables._snapshot
    grown: list[str] = []

    def grow(database: Database) -> Any:
        if not grown:  # once all have been brought up
            grown.append("t2")
            threads.append("t2", STORY)
            catch_up(own_database, READ_MODELS["messages"], most_events=500)
        return snapshot(database)

    monkeypatch.setattr(tables, "_snapshot", grow)
    exporter()
    assert grown
    assert {table.position for table in exporter.manifest.tables.values()} == {2 * len(STORY)}
    check_equal(exporter)


def test_what_was_lost_or_damaged_is_written_again(threads: Threads, exporter: Exporter) -> None:
    for text in "abc":
        threads.append("t", [reply(text), calls(text)])
        exporter()
    second = exporter.manifest.events[1].path
    (exporter.folder / second).write_bytes(b"no Parquet")
    (day,) = (exporter.folder / "tool_calls").glob("day=*/rows.parquet")
    day.unlink()
    exporter()
    check_equal(exporter)
    assert len(exporter.manifest.events) == 3


def test_bodies_come_byte_for_byte(
    threads: Threads, exporter: Exporter, own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_pages, "_PIECE_BYTES", 5000)  # a few whole bodies at a time
    page = "a page that comes again and again \x00 🦜 \\u0000 \u202e\n" * 100
    threads.append("t", [{"type": "system", "text": page}, {"type": "system", "text": page}])
    threads.append("t", [{"type": "input", "files": [{"data": "QUJD" * 1000}]}])
    threads.append(
        "t", [calls("a"), {"type": "tool_results", "results": [{"callId": "a", "output": page}]}]
    )
    numbers = {
        "big": 10**400,
        "odd": WrittenFloat("1.10"),
        "far": WrittenFloat("1e400"),
        "small": WrittenFloat("-0"),
    }
    threads.append("t", [{"type": "vendor.note", "payload": numbers, "metadata": {"a": "\x00é"}}])
    threads.append("t", [reply("x" * 3_000_000, metadata={"actor": "ann", "responseId": "r"})])
    foreign = [b"\xff\x00no text", b'{"timestamp": 1.0, "a":"b"}', b'{"timestamp":7,"id":1}']
    PostgresRecorder(own_database, Listener(own_database), tenant=TENANT).insert_events(
        [StoredEvent("foreign", number, "a.b", body) for number, body in enumerate(foreign, 1)]
    )
    read = read_events(own_database, tenant=TENANT, after=0, upto=100)
    assert max(batch.num_rows for batch in read) < 4
    exporter()
    check_equal(exporter)
    with duck(exporter.folder) as connection:
        (wrong,) = connection.sql(
            "SELECT count(*) FROM events "
            "WHERE sha256(coalesce(encode(body), body_bytes)) <> lower(hex(body_sha256))"
        ).fetchall()[0]
        assert wrong == 0
        known = "SELECT response_id, actor, epoch_ms(sent_at) FROM events"
        assert connection.sql(f"{known} WHERE length(body) > 1000000").fetchall() == [
            ("r", "ann", 1_767_268_800_000)
        ]
        same = connection.sql(
            "SELECT count(*) FROM events JOIN messages USING (thread_id, version) "
            "WHERE events.sent_at IS NOT DISTINCT FROM messages.sent_at "
            "AND events.actor IS NOT DISTINCT FROM messages.actor"
        ).fetchall()
        assert same == [(len(events_in_database(own_database)),)]


def test_a_long_log_is_cut_into_files_and_checkpoints(
    threads: Threads, exporter: Exporter, own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_pages, "_PAGE_EVENTS", 7)
    monkeypatch.setattr(export_module, "_FILE_ROWS", 20)
    monkeypatch.setattr(export_module, "_CHECKPOINT_ROWS", 30)
    for number in range(30):
        threads.append(f"t{number}", [reply(str(number)) for number in range(6)])
    spread_over_days(own_database, events_a_day=50)
    exporter(["events"])
    assert events_in_files(exporter.folder) == events_in_database(own_database)
    assert max(event.rows for event in exporter.manifest.events) < 30
    assert len(exporter.manifest.events) > 8


def check_is_as_of_its_positions(exporter: Exporter) -> None:
    """Compare the events, and what was made of each, with the log up to where they stand."""
    manifest = exporter.manifest
    events = events_in_database(exporter.database, upto=manifest.position)
    assert events_in_files(exporter.folder) == events
    (position,) = {table.position for table in manifest.tables.values()}
    assert position <= manifest.position
    messages = rows_in_files(exporter.folder, "messages")
    upto = manifest.tables["messages"].position
    assert len(messages) == len(events_in_database(exporter.database, upto=upto))
    answered = [row[0] for row in events if row[3] == "tool_results"]
    upto = manifest.tables["tool_calls"].position
    with duck(exporter.folder) as connection:
        query = connection.sql("SELECT answered_position FROM tool_calls ORDER BY 1 NULLS LAST")
        positions = [position for (position,) in query.fetchall() if position is not None]
    assert positions == [position for position in answered if position <= upto]


def test_a_dataset_is_exactly_the_log_up_to_its_position(
    own_database: Database, exporter: Exporter, tmp_path: Path
) -> None:
    threads = threads_on(own_database, TENANT)
    other = threads_on(own_database, "another")
    done = Event()
    threads.append("t0", [calls("0")])  # a table without rows has no files

    def append() -> None:
        number = 0
        while not done.is_set():
            number += 1
            threads.append(f"t{number % 7}", [calls(str(number))])
            other.append("o", [reply("not ours")])
            threads.append(f"t{number % 7}", [results(str(number))])

    appending = Thread(target=append)
    appending.start()
    with (  # as a service does meanwhile
        Listener(own_database, poll_seconds=0.05) as listener,
        Projector(own_database, listener, READ_MODELS.values(), pace_seconds=0.0),
    ):
        try:
            for _ in range(4):
                exporter()
                check_is_as_of_its_positions(exporter)
        finally:
            done.set()
            appending.join()
    exporter()
    check_equal(exporter)
    fresh = Exporter(own_database, tmp_path / "fresh")
    fresh()
    check_equal(fresh)


def test_an_empty_log_makes_an_empty_dataset(threads: Threads, exporter: Exporter) -> None:
    assert exporter().events == 0
    assert exporter.manifest.files() == {}
    threads.append("t", STORY)
    assert exporter().events == len(STORY)
    check_equal(exporter)


def test_a_read_model_that_stands_still_is_said_and_may_be_left_out(
    threads: Threads, exporter: Exporter, database_url: str
) -> None:
    threads.append("t", STORY)
    exporter()
    assert agentlog("projections", "pause", "tool_calls", url=database_url).code == 0
    threads.append("t2", STORY)
    with pytest.raises(ProjectionBehind, match="agentlog projections resume tool_calls"):
        exporter()
    assert exporter(["events", "messages"]).events == len(STORY)
    assert exporter.manifest.tables["tool_calls"].position == len(STORY)
    assert agentlog("projections", "resume", "tool_calls", url=database_url).code == 0
    exporter()
    check_equal(exporter)
