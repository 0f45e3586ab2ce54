"""Keys in PostgreSQL: kept as hashes, revoked once, never gone."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from agentlog.infrastructure.keys.keys import Keys, UnknownKey
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import fetch

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


class Randomness:
    """Counts: 1, 2, 3 in each of the bytes."""

    def __init__(self) -> None:
        self._next = 0

    def __call__(self, count: int) -> bytes:
        self._next += 1
        return bytes([self._next]) * count


@pytest.fixture
def keys(own_database: Database) -> Keys:
    return Keys(own_database, random_bytes=Randomness(), clock=lambda: NOON)


def test_a_key_is_found_as_it_was_made(keys: Keys) -> None:
    ends = NOON + timedelta(days=90)
    text, key = keys.create(
        "t", name="agents", scopes=("read", "append"), expires_at=ends, created_by="k" * 12
    )
    stored = keys.find(text.key_id)
    assert stored.key == key
    assert (key.tenant, key.name, key.scopes) == ("t", "agents", ("read", "append"))
    assert (key.created_at, key.created_by, key.expires_at) == (NOON, "k" * 12, ends)
    assert (key.revoked_at, key.revoked_by) == (None, None)
    assert stored.flaw(text, now=NOON) is None


def test_a_key_whose_id_another_has_gets_a_new_one(own_database: Database) -> None:
    drawn = iter([bytes(40), bytes(40), bytes([1]) * 40])
    keys = Keys(own_database, random_bytes=lambda _: next(drawn), clock=lambda: NOON, cell="b2")
    first, _ = keys.create("t", name="first", scopes=("read",))
    second, key = keys.create("u", name="second", scopes=("read",))
    assert (first.key_id, second.key_id) == ("b2aaaaaaaaaa", "b2aeaqcaibae")
    assert keys.find(second.key_id).key == key
    assert keys.find(first.key_id).key.name == "first"


def test_the_database_has_nothing_but_the_hash(keys: Keys, own_database: Database) -> None:
    text, _ = keys.create("t", name="agents", scopes=("read",))
    ((row,),) = fetch(own_database, "SELECT keys::text FROM agentlog.keys")
    assert text.secret not in row
    assert text.digest.hex() in row


def test_each_tenant_has_its_own(keys: Keys) -> None:
    ours = [keys.create("ours", name=str(n), scopes=("read",))[1] for n in range(3)]
    theirs, _ = keys.create("theirs", name="x", scopes=("admin",))
    listed = keys.page("ours")
    assert listed == sorted(ours, key=lambda key: key.id)
    assert keys.page("ours", after=listed[0].id, limit=1) == [listed[1]]
    with pytest.raises(UnknownKey):
        keys.revoke("ours", theirs.key_id)
    assert keys.find(theirs.key_id).key.revoked_at is None


def test_revoking_again_changes_nothing(own_database: Database) -> None:
    times = iter(NOON + timedelta(hours=n) for n in range(3))
    keys = Keys(own_database, random_bytes=Randomness(), clock=lambda: next(times))
    text, _ = keys.create("t", name="x", scopes=("read",))
    first = keys.revoke("t", text.key_id, revoked_by="a" * 12)
    assert (first.revoked_at, first.revoked_by) == (NOON + timedelta(hours=1), "a" * 12)
    assert keys.revoke("t", text.key_id, revoked_by="b" * 12) == first
    assert keys.find(text.key_id).flaw(text, now=NOON) == "it was revoked"


def test_there_was_a_key_also_when_all_are_revoked(keys: Keys) -> None:
    assert not keys.ever_made()
    text, _ = keys.create("t", name="x", scopes=("read",))
    keys.revoke("t", text.key_id)
    assert keys.ever_made()


def test_what_is_not_there_is_said(keys: Keys) -> None:
    for ask in (lambda: keys.find("a" * 12), lambda: keys.revoke("t", "a" * 12)):
        with pytest.raises(UnknownKey, match="agentlog keys list"):
            ask()


CHANGES = (
    "DELETE FROM agentlog.keys",
    "TRUNCATE agentlog.keys",
    "UPDATE agentlog.keys SET scopes = '{admin}'",
    "UPDATE agentlog.keys SET tenant = 'other', revoked_at = now()",
    "UPDATE agentlog.keys SET secret_sha256 = sha256('')",
    "UPDATE agentlog.keys SET expires_at = NULL",
)


@pytest.mark.parametrize("statement", CHANGES)
def test_the_database_refuses_the_owner_any_other_change(
    keys: Keys, own_database: Database, statement: str
) -> None:
    keys.create("t", name="x", scopes=("read",), expires_at=NOON)
    with (
        own_database.connection() as connection,
        pytest.raises(psycopg.errors.RestrictViolation),
    ):
        connection.execute(statement.encode())


def test_a_revoked_key_is_revoked_for_good(keys: Keys, own_database: Database) -> None:
    text, _ = keys.create("t", name="x", scopes=("read",))
    keys.revoke("t", text.key_id)
    with (
        own_database.connection() as connection,
        pytest.raises(psycopg.errors.RestrictViolation, match="revoked once"),
    ):
        connection.execute("UPDATE agentlog.keys SET revoked_at = NULL")


@pytest.mark.parametrize("statement", [*CHANGES, "UPDATE agentlog.accesses SET tenant = 'other'"])
def test_the_service_has_no_right_to_any_other_change(
    keys: Keys, own_database: Database, statement: str
) -> None:
    keys.create("t", name="x", scopes=("read",))
    with (
        own_database.connection() as connection,
        connection.transaction(force_rollback=True),
    ):
        connection.execute("SET LOCAL ROLE agentlog_service")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement.encode())


@pytest.mark.parametrize(
    "statement", ["SELECT FROM agentlog.keys", "SELECT FROM agentlog.accesses"]
)
def test_what_a_tenants_requests_run_as_sees_no_keys(
    own_database: Database, statement: str
) -> None:
    with (
        own_database.connection() as connection,
        connection.transaction(force_rollback=True),
    ):
        connection.execute("SET LOCAL ROLE agentlog_tenant")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement.encode())


def test_the_service_itself_makes_finds_and_revokes(database_url: str) -> None:
    with Database(database_url, pool_size=1, in_role=True) as database:
        keys = Keys(database, random_bytes=Randomness(), clock=lambda: NOON)
        text, key = keys.create("t", name="x", scopes=("read",))
        assert keys.page("t") == [key]
        assert keys.revoke("t", text.key_id).revoked_at == NOON
