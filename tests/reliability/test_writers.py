"""Six processes append while others tail, and a transaction that lingers holds one writer up."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psycopg
from ulid import ULID

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appending import appender
from tests.infrastructure.appends import TENANT, Clock, check_log, fetch, reply, request
from tests.reliability.followers import END, LAST_THREAD, Follower, tail_of_log, tail_of_table
from tests.reliability.outcomes import Tried
from tests.reliability.postgres import OwnPostgres
from tests.reliability.proof import check_read_models, messages_of
from tests.reliability.service import own_service

ROOT = Path(__file__).parents[2]
THREADS = 3
HELD = "held"
HOLD_SECONDS = 0.1
WAIT_SECONDS = 600


def test_tails_skip_nothing_although_a_writer_lingers_before_its_commit(
    postgres: OwnPostgres,
    tried: Tried,
    soak: bool,  # noqa: FBT001 - a fixture
) -> None:
    writers, appends, held = (6, 1500, 200) if soak else (3, 25, 4)
    row = tried(
        "Six processes append, others tail, a transaction is held",
        made=f"{writers} processes, {appends} appends each to {THREADS} threads that they share; "
        f"a trigger has one more writer sleep {HOLD_SECONDS:g} s at each of {held} commits, its "
        f"positions numbered and not visible yet; a session holds the counter {held // 4} times",
        holds="who asks for `position > cursor`, and who follows, sees every event once and in "
        "order; chains are whole, read models equal to a rebuild",
    )
    with ExitStack() as stack:
        service = stack.enter_context(own_service(postgres.url, AGENTLOG_TENANT=TENANT))
        database = stack.enter_context(Database(postgres.url, pool_size=2))
        _linger_at_commit(postgres)
        writer = Writer(database, clock=Clock(), new_id=lambda: str(ULID()))
        writer.append(request(HELD, reply("first")))
        readers = [
            *(tail_of_table(postgres) for _ in range(2)),
            tail_of_log(service.address),
            Follower(service.address),
            Follower(service.address, HELD),
        ]
        for reader in readers:
            reader.start()
        processes = [
            stack.enter_context(_appender(postgres.url, n, appends)) for n in range(writers)
        ]
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for number in range(held):
            writer.append(request(HELD, reply(f"held {number}")))
            if number % 4 == 0:
                _hold_counter(postgres)
        reports = [
            json.loads(process.communicate(timeout=WAIT_SECONDS)[0]) for process in processes
        ]
        for thread_id in (HELD, LAST_THREAD):
            writer.append(request(thread_id, reply(END)))
        for reader in readers:
            reader.wait()
        check_log(database)
        for reader in readers:
            of_one = reader.thread_id if isinstance(reader, Follower) else None
            assert reader.ids == messages_of(database, of_one), reader.name
        kept = [message_id for report in reports for message_id in report["kept"]]
        rows = fetch(
            database, "SELECT message_id FROM agentlog.events WHERE thread_id LIKE 'shared-%%'"
        )
        assert sorted(row[0] for row in rows) == sorted(kept)
        assert len(messages_of(database, HELD)) == held + 2
        rebuilt = check_read_models(database, service)
        refused = sum(len(report["refused"]) for report in reports)
        row.came = (
            f"{len(messages_of(database, None)):,} events, {refused:,} appends refused by rules "
            f"or for their version; {len(readers)} readers saw all of them in order; "
            f"{rebuilt:,} rows of read models as a rebuild makes them"
        )


@contextmanager
def _appender(url: str, number: int, appends: int) -> Iterator[subprocess.Popen[str]]:
    """Start a process that appends once it is told to; wait until it is ready."""
    command = [
        sys.executable,
        "-m",
        appender.__name__,
        url,
        f"writer-{number}",
    ]
    with subprocess.Popen(
        [*command, str(THREADS), str(appends)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def _linger_at_commit(postgres: OwnPostgres) -> None:
    """Have commits of the held thread take their time: all is written, and nothing is visible."""
    postgres.execute(
        "CREATE FUNCTION public.linger() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_sleep(TG_ARGV[0]::float); RETURN NULL; END $$"
    )
    postgres.execute(
        "CREATE CONSTRAINT TRIGGER linger AFTER INSERT ON agentlog.events "
        "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.thread_id = 'held') "
        "EXECUTE FUNCTION public.linger('0.1')"
    )


def _hold_counter(postgres: OwnPostgres) -> None:
    with psycopg.connect(postgres.url) as connection:
        connection.execute("SELECT FROM agentlog.counter FOR UPDATE")
        connection.execute("SELECT pg_sleep(%s)", (HOLD_SECONDS,))
