"""The database itself lets a content go by a redaction, and by nothing else."""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege, RestrictViolation

from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.analysts.logins import analyst_url
from tests.infrastructure.appends import TENANT, Clock, Ids, fetch, given, reply

BLANK = (
    "UPDATE agentlog.events SET redacted = 4, body = '{}', cuts = NULL, metadata = NULL, "
    "metadata_sha256 = sha256(coalesce(metadata, '')) WHERE thread_id = 't' AND version = 1"
)


@pytest.fixture
def owner(database: Database, threads: Threads) -> Iterator[psycopg.Connection]:
    """Who owns the tables, on a log with a redaction of message 1 that is still to be done."""
    threads.append("t", [reply("a", id=given(1), metadata={"k": 1}), reply("b"), reply("c")])
    _note(threads, messages=[given(1)])
    with database.connect() as connection:
        yield connection
        connection.close()


def _note(threads: Threads, **which: object) -> None:
    fact = {"type": "thread.redacted", "reason": "why", **which}
    threads.writer.append(threads.request("t", facts=[fact]))


def test_the_redaction_that_names_the_message_may(owner: psycopg.Connection) -> None:
    assert owner.execute(BLANK.encode()).rowcount == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("version = 1", "version = 2"),  # another message
        ("version = 1", "version = 4"),  # the redaction itself
        ("redacted = 4", "redacted = 3"),  # no redaction
        ("redacted = 4", "redacted = 9"),
        ("redacted = 4", "redacted = NULL"),
        ("sha256(coalesce(metadata, ''))", "sha256('')"),
        ("sha256(coalesce(metadata, ''))", "NULL"),
        ("body = '{}'", "body = '{}', body_sha256 = sha256('{}')"),
        ("body = '{}'", "body = '{}', chain = sha256('{}')"),
        ("body = '{}'", "body = '{}', message_id = 'x'"),
        ("body = '{}'", "body = '{}', type = 'x'"),
        ("body = '{}'", "body = '{}', position = 99"),
        ("body = '{}'", "body = '{}', version = 99"),
        ("body = '{}'", "body = '{}', tenant = 'x'"),
        ("body = '{}'", "body = '{}', recorded_at = now()"),
        ("cuts = NULL", r"cuts = '\x00'"),
    ],
)
def test_no_other_change_is_let_through(owner: psycopg.Connection, old: str, new: str) -> None:
    assert old in BLANK
    with pytest.raises(RestrictViolation):
        owner.execute(BLANK.replace(old, new).encode())


def test_what_is_erased_stays_so(owner: psycopg.Connection, threads: Threads) -> None:
    owner.execute(BLANK.encode())
    with pytest.raises(RestrictViolation):
        owner.execute(BLANK.encode())
    _note(threads, all=True)
    with pytest.raises(RestrictViolation):  # there is nothing left of it to erase
        owner.execute(BLANK.replace("redacted = 4", "redacted = 5").encode())
    with pytest.raises(RestrictViolation):
        owner.execute(b"UPDATE agentlog.events SET redacted = NULL WHERE redacted IS NOT NULL")
    for change in ("DELETE FROM agentlog.events", "TRUNCATE agentlog.events"):
        with pytest.raises(RestrictViolation):
            owner.execute(change.encode())


def test_a_reason_may_hold_anything(threads: Threads, redactor: Redactor) -> None:
    reason = 'because\x00 \\u0000 \\ " é'
    data = b64encode(b"a file " * 200).decode()
    threads.append("t", [reply("a", id=given(1)), {"type": "input", "files": [{"data": data}]}])
    assert redactor.redact("t", [given(1)], reason).events == 1
    digest = sha256(b"a file " * 200).hexdigest()
    assert redactor.redact_file(digest, reason).threads[0].version == 4
    assert redactor.redact_file(digest, reason).replayed
    assert redactor.redact("t", None, reason).events == 1
    assert [event.redacted for event in threads.messages("t")[:2]] == [3, 5]
    assert threads.messages("t")[4].raw["reason"] == reason


def test_the_service_erases_and_cannot_change_an_event(
    database_url: str, own_database: Database
) -> None:
    with Database(database_url, pool_size=3, in_role=True) as service:
        confined = service.confined(TENANT)
        threads = Threads(
            reader=LogReader(confined, tenant=TENANT),
            writer=Writer(service, clock=Clock(), new_id=Ids()),
            blobs=Blobs(confined, tenant=TENANT),
            tenant=TENANT,
        )
        analyst_url(own_database, TENANT)  # by which everybody loses rights that the service needs
        threads.append("t", [reply("a"), {"type": "system", "text": "long " * 300}, reply("c")])
        redactor = Redactor(confined, threads, Eraser(service, threads.writer), tenant=TENANT)
        assert redactor.redact("t", None, "why").events == 3
        assert fetch(service, "SELECT count(*) FROM agentlog.blobs") == [(0,)]
        for refused in (
            BLANK,
            "UPDATE agentlog.erasures SET number = NULL",
            "DELETE FROM agentlog.erasures",
            "INSERT INTO agentlog.erasures VALUES ('a', 'b', 1, 1)",
        ):
            with service.connection() as connection, pytest.raises(InsufficientPrivilege):
                connection.execute(refused.encode())
        # by the function that it may call it gets no further than the trigger lets it
        with service.connection() as connection, pytest.raises(RestrictViolation):
            connection.execute(
                "SELECT agentlog.redact_events(%s, 't', 4, '{1}', %s, %s, %s)",
                (TENANT, [print_bytes({})], [None], [None]),
            )
        with confined.connection() as connection, pytest.raises(InsufficientPrivilege):
            connection.execute("SELECT agentlog.finish_erasure(%s, 't', 4)", (TENANT,))
        with service.confined("others").connection() as connection:
            assert connection.execute("SELECT * FROM agentlog.erasures").fetchall() == []
