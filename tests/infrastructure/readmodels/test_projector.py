"""Projectors: they follow the log as it grows, through broken connections, in many processes."""

import asyncio
import os
import random
import signal
import threading
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import psycopg
import pytest
from typing_extensions import override

from agentlog.api.http.codec.wait_for_position import until_projected
from agentlog.domain.errors import FutureMoment
from agentlog.domain.events import Event
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projection_status import (
    NotYetBuilt,
    ProjectionBehind,
    ProjectionStatus,
)
from agentlog.infrastructure.readmodels.projector import Projector
from agentlog.infrastructure.readmodels.projector_process import projector_process
from agentlog.projections.readmodels.model import ThreadRows
from agentlog.projections.readmodels.registry import READ_MODELS, UnknownReadModel
from tests.infrastructure.appends import (
    calls,
    fetch,
    last_position,
    reply,
    request,
    results,
)
from tests.infrastructure.readmodels.tables import (
    Talk,
    TalkRow,
    all_builds,
    catch_up,
    live,
    rows_of,
)
from tests.waiting import WAIT_SECONDS


@pytest.fixture
def listener(database: Database) -> Iterator[Listener]:
    """Polls so seldom that a test which waits for a poll runs out of time."""
    with Listener(database, poll_seconds=1000) as opened:
        yield opened


@pytest.fixture
def projection_status(database: Database, listener: Listener) -> ProjectionStatus:
    return ProjectionStatus(database, listener)


def append(writer: Writer, number: int) -> int:
    """Append a call, its answer and a reply to one of a few threads; return the position."""
    call = f"call-{number}"
    drafts = [calls(call), results(call), reply(f"{number}")]
    return writer.append(request(f"thread-{number % 5}", *drafts)).position


def test_whoever_waits_is_woken_by_the_event_and_not_by_a_poll(
    database: Database, listener: Listener, projection_status: ProjectionStatus, writer: Writer
) -> None:
    with Projector(database, listener, READ_MODELS.values()):
        for number in range(5):
            position = append(writer, number)
            wait_patiently(projection_status, position)
            assert all(live(database, name).position >= position for name in READ_MODELS)


def wait(
    projection_status: ProjectionStatus,
    position: int,
    *,
    names: Collection[str] = tuple(READ_MODELS),
    seconds: float,
) -> None:
    """Wait for a position, as a request does."""

    async def waiting() -> None:
        until = asyncio.get_running_loop().time() + seconds
        await until_projected(projection_status, position, names=names, until=until)

    asyncio.run(waiting())


def wait_patiently(projection_status: ProjectionStatus, position: int) -> None:
    """Wait for a position, also for builds that are only just being made."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            return wait(projection_status, position, seconds=WAIT_SECONDS)
        except NotYetBuilt:
            assert time.monotonic() < until
            time.sleep(0.01)


def test_waiting_ends_with_the_reason(
    database: Database, projection_status: ProjectionStatus, writer: Writer
) -> None:
    append(writer, 1)
    with pytest.raises(NotYetBuilt, match="projections run"):
        wait(projection_status, 1, names=["messages"], seconds=0)
    with pytest.raises(UnknownReadModel, match=r"there are .*messages"):
        wait(projection_status, 1, names=["talk"], seconds=0)
    catch_up(database, READ_MODELS["messages"])
    wait(projection_status, 3, names=["messages"], seconds=0)
    with pytest.raises(FutureMoment, match="position 4 is not there yet: the log is at position 3"):
        wait(projection_status, 4, names=["messages"], seconds=WAIT_SECONDS)
    append(writer, 2)
    with pytest.raises(ProjectionBehind, match="stands at 3, not at 4 yet: ask again"):
        wait(projection_status, 4, names=["messages"], seconds=0)
    projection_status.pause("messages")
    with pytest.raises(ProjectionBehind, match="it is paused: `agentlog projections resume"):
        wait(projection_status, 4, names=["messages"], seconds=WAIT_SECONDS)


def test_pause_resume_and_rebuild_are_heard_at_once(
    database: Database, listener: Listener, projection_status: ProjectionStatus, writer: Writer
) -> None:
    with Projector(database, listener, READ_MODELS.values()):
        wait_patiently(projection_status, append(writer, 1))
        projection_status.pause("messages")
        position = append(writer, 2)
        wait(projection_status, position, names=["tool_calls"], seconds=WAIT_SECONDS)
        assert live(database, "messages").position < position
        projection_status.resume("messages")
        wait(projection_status, position, names=["messages"], seconds=WAIT_SECONDS)
        begun = projection_status.rebuild("messages")
        until = time.monotonic() + WAIT_SECONDS
        while live(database, "messages").build != begun.build:
            assert time.monotonic() < until
            time.sleep(0.01)
    assert [build.state for build in all_builds(database, "messages")] == ["live"]


def test_it_goes_on_after_its_connections_are_cut(
    database: Database, listener: Listener, projection_status: ProjectionStatus, writer: Writer
) -> None:
    with Projector(database, listener, READ_MODELS.values()):
        wait_patiently(projection_status, append(writer, 1))
        for number in range(2, 5):
            with database.connection() as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
            position = append(writer, number)
            wait_patiently(projection_status, position)
    assert len(rows_of(database, READ_MODELS["messages"], 1)) == last_position(database)


def test_what_stays_broken_is_said_once(
    database: Database,
    listener: Listener,
    writer: Writer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    failures = iter(range(5))

    def failing(*_: object) -> bool:
        if next(failures, None) is None:
            monkeypatch.undo()
        raise psycopg.errors.ReadOnlySqlTransaction("no writes")

    monkeypatch.setattr("agentlog.infrastructure.readmodels.projector._PAUSE_SECONDS", 0.01)
    monkeypatch.setattr("agentlog.infrastructure.readmodels.projector._Worker.step", failing)
    append(writer, 1)
    until = time.monotonic() + WAIT_SECONDS
    with Projector(database, listener, [READ_MODELS["messages"]]):
        while not all_builds(database, "messages") or live(database, "messages").lag:
            assert time.monotonic() < until
            time.sleep(0.01)
    assert caplog.text.count("broke off, going on: no writes") == 1


def test_at_the_present_one_transaction_moves_them_all(
    database: Database, listener: Listener, projection_status: ProjectionStatus, writer: Writer
) -> None:
    with Projector(database, listener, READ_MODELS.values()):
        until = time.monotonic() + WAIT_SECONDS
        number, moved_by = 0, 0
        while moved_by != 1:  # in the beginning each is brought there by itself
            assert time.monotonic() < until
            number += 1
            wait_patiently(projection_status, append(writer, number))
            ((moved_by,),) = fetch(
                database, "SELECT count(DISTINCT xmin::text) FROM agentlog.tracking"
            )


def test_a_defect_in_one_leaves_the_others_be(
    database: Database, listener: Listener, projection_status: ProjectionStatus, writer: Writer
) -> None:
    broken = [Talk(fails_on="9"), *READ_MODELS.values()]
    with Projector(database, listener, broken):
        for number in range(1, 12):  # most of them when all are at the present together
            wait_patiently(projection_status, append(writer, number))
        until = time.monotonic() + WAIT_SECONDS
        while live(database, "talk").stopped_at != 27:
            assert time.monotonic() < until
            time.sleep(0.01)


def test_one_whose_books_are_gone_is_begun_anew(
    database: Database, listener: Listener, projection_status: ProjectionStatus, writer: Writer
) -> None:
    with Projector(database, listener, READ_MODELS.values()):
        wait_patiently(projection_status, append(writer, 1))
        with database.connect() as connection, connection.transaction():
            connection.execute("DELETE FROM agentlog.projections WHERE name = 'messages'")
            connection.execute("DELETE FROM agentlog.tracking WHERE application_name ~ '^messages'")
            connection.execute("DROP TABLE agentlog_readmodels.messages_1 CASCADE")
        wait_patiently(projection_status, append(writer, 2))
    assert len(rows_of(database, READ_MODELS["messages"], 1)) == last_position(database)


class Slow(Talk):
    """Takes its time."""

    @override
    def fold(self, event: Event, rows: ThreadRows[TalkRow]) -> None:
        time.sleep(0.1)
        super().fold(event, rows)


def test_it_rests_several_times_as_long_as_it_works(
    database: Database, listener: Listener, writer: Writer
) -> None:
    with Projector(database, listener, [Slow()], pace_seconds=0.0):
        began = time.monotonic()
        for number in range(8):  # of which a worker by itself may do the first
            position = append(writer, number)
            while not all_builds(database, "talk") or live(database, "talk").position < position:
                assert time.monotonic() < began + WAIT_SECONDS
                time.sleep(0.01)
    assert time.monotonic() - began > 4 * 0.4


@pytest.mark.parametrize("kills", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_processes_killed_at_random_leave_what_a_rebuild_makes(
    database: Database, database_url: str, writer: Writer, kills: int, tmp_path: Path
) -> None:
    rng = random.Random(11)  # noqa: S311 - moments of a test
    stop = threading.Event()
    numbers = iter(range(1, 100_000))

    def keep_appending() -> None:
        while not stop.is_set():
            append(writer, next(numbers))

    appender = threading.Thread(target=keep_appending)
    appender.start()
    try:
        for _ in range(kills):
            with (
                projector_process(database_url, tmp_path) as first,
                projector_process(database_url, tmp_path) as second,
            ):
                before = _positions(database)
                until = time.monotonic() + WAIT_SECONDS
                while _positions(database) == before:
                    assert time.monotonic() < until
                    time.sleep(0.01)
                time.sleep(rng.random() / 5)
                for process in (first, second):
                    if process.pid is not None:
                        os.kill(process.pid, signal.SIGKILL)
    finally:
        stop.set()
        appender.join()
    for model in READ_MODELS.values():
        catch_up(database, model, most_events=500)
        build = live(database, model.name)
        kept = rows_of(database, model, build.build)
        with database.connect() as connection:
            builds.begin(connection, model)
        catch_up(database, model, most_events=1000)
        again = live(database, model.name)
        assert again.build > build.build
        assert rows_of(database, model, again.build) == kept
        if model.name == "messages":
            assert len(kept) == last_position(database)


def _positions(database: Database) -> list[int]:
    return [build.position for name in READ_MODELS for build in all_builds(database, name)]


def test_a_process_uses_the_folder_of_the_service_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTLOG_DATA_DIR", str(tmp_path / "of the environment"))
    environment = projector_process("postgresql:///x", tmp_path / "of an option")._environment
    assert environment is not None
    assert environment["AGENTLOG_DATA_DIR"] == str(tmp_path / "of an option")


def test_a_process_ends_with_whoever_started_it(
    database_url: str, database: Database, tmp_path: Path
) -> None:
    with projector_process(database_url, tmp_path) as process:
        until = time.monotonic() + WAIT_SECONDS
        while not _positions(database):
            assert time.monotonic() < until
            time.sleep(0.01)
        pid = process.pid
        assert pid is not None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
