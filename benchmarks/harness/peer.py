"""The peer: the recorder that the eventsourcing library ships for PostgreSQL."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby

from eventsourcing.persistence import JSONTranscoder, StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from psycopg.conninfo import conninfo_to_dict

from agentlog.domain.json.values import JsonValue
from benchmarks.harness.databases import connected
from benchmarks.harness.floor import StoredBody

_TABLE = "peer_events"
# one INSERT of about 1 MB over a Unix socket never returns (9.5.6): write in pieces
_LARGEST_BATCH = 100
_transcoder = JSONTranscoder()


@contextmanager
def library_recorder(
    url: str, *, connections: int = 1, keep: bool = False
) -> Iterator[PostgresApplicationRecorder]:
    """Yield the recorder on new, empty tables, which are gone afterwards unless they are kept."""
    given = {"user": "postgres", "password": "", "port": 5432, **conninfo_to_dict(url)}
    with PostgresDatastore(
        str(given["dbname"]),
        str(given["host"]),
        str(given["port"]),
        str(given["user"]),
        str(given["password"]),
        originator_id_type="text",
        pool_size=connections,
    ) as datastore:
        recorder = PostgresApplicationRecorder(datastore, events_table_name=_TABLE)
        recorder.create_table()
        try:
            yield recorder
        finally:
            if not keep:
                _drop(url)


def _drop(url: str) -> None:
    with connected(url) as connection:
        connection.execute(f"DROP TABLE {_TABLE}")
        connection.execute("DROP TYPE stored_event_text CASCADE")


def insert_all(recorder: PostgresApplicationRecorder, bodies: Sequence[StoredBody]) -> None:
    """Write them a thread at a time, as an application saves its aggregates."""
    for _, thread in groupby(bodies, key=lambda body: body.thread_id):
        events = [_stored(draft) for draft in thread]
        for start in range(0, len(events), _LARGEST_BATCH):
            recorder.insert_events(events[start : start + _LARGEST_BATCH])


def insert_one(recorder: PostgresApplicationRecorder, body: StoredBody) -> None:
    """Write one."""
    recorder.insert_events([_stored(body)])


def read_thread(recorder: PostgresApplicationRecorder, thread_id: str) -> list[JsonValue]:
    """Return the values of a thread's events."""
    return [_transcoder.decode(event.state) for event in recorder.select_events(thread_id)]


def _stored(body: StoredBody) -> StoredEvent:
    return StoredEvent(body.thread_id, body.version, body.type, body.body)
