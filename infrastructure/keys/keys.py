"""API keys in PostgreSQL: create, list, find, revoke."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import psycopg

from agentlog.domain.access import Scope
from agentlog.domain.errors import NotThere
from agentlog.infrastructure.keys.key import RANDOM_BYTES, Key, KeyText, StoredKey
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import KEYED
from agentlog.infrastructure.postgres.queries import fetch
from agentlog.infrastructure.postgres.statements import statement

Clock = Callable[[], datetime]
"""Returns the time, with its zone."""


class UnknownKey(NotThere):
    """The tenant has no key of that id."""

    def __init__(self, key_id: str) -> None:
        super().__init__(f"there is no key {key_id[:64]!r}: `agentlog keys list` lists them")
        self.key_id = key_id


class Keys:
    """All keys of the service; randomness and time come from `random_bytes` and `clock`.

    `cell`: the cell's name, with which ids of keys made here begin.
    """

    def __init__(
        self,
        database: Database,
        *,
        random_bytes: Callable[[int], bytes],
        clock: Clock,
        cell: str = "",
    ) -> None:
        self._database = database
        self._cell = cell
        self._random_bytes = random_bytes
        self.clock = clock

    def create(
        self,
        tenant: str,
        *,
        name: str,
        scopes: Sequence[Scope],
        expires_at: datetime | None = None,
        created_by: str | None = None,
    ) -> tuple[KeyText, Key]:
        """Make a key; its text cannot be read again."""
        parameters = {
            "tenant": tenant,
            "name": name,
            "scopes": list(scopes),
            "created_at": self.clock(),
            "created_by": created_by,
            "expires_at": expires_at,
        }
        with self._database.connection() as connection, connection.transaction():
            inserted = 0
            while not inserted:  # an id may be another key's already
                text = KeyText.made_of(self._random_bytes(RANDOM_BYTES), cell=self._cell)
                drawn = {"id": text.key_id, "secret_sha256": text.digest}
                inserted = connection.execute(statement("insert_key"), parameters | drawn).rowcount
            _tell(connection)
            return text, _select_key(connection, text.key_id).key

    def revoke(self, tenant: str, key_id: str, *, revoked_by: str | None = None) -> Key:
        """Revoke a key of a tenant; raises `UnknownKey`."""
        parameters = {"tenant": tenant, "id": key_id, "at": self.clock(), "by": revoked_by}
        with self._database.connection() as connection, connection.transaction():
            connection.execute(statement("revoke_key"), parameters)
            _tell(connection)
            key = _select_key(connection, key_id).key
            if key.tenant != tenant:
                raise UnknownKey(key_id)
            return key

    def page(self, tenant: str, *, after: str = "", limit: int = 1000) -> list[Key]:
        """Return keys of a tenant by id, after `after`, including revoked and expired ones."""
        rows = fetch(self._database, "select_keys", tenant=tenant, after=after, limit=limit)
        return [_key(row) for row in rows]

    def find(self, key_id: str) -> StoredKey:
        """Return a key of any tenant's; raises `UnknownKey`."""
        with self._database.connection() as connection:
            return _select_key(connection, key_id)

    def ever_made(self) -> bool:
        """Return whether a key was ever made: from then on, requests need one."""
        return fetch(self._database, "key_was_made") == [(True,)]


def _select_key(connection: psycopg.Connection, key_id: str) -> StoredKey:
    row = connection.execute(statement("select_key"), {"id": key_id}).fetchone()
    if row is None:
        raise UnknownKey(key_id)
    *key, digest, elsewhere = row
    return StoredKey.of(_key(key), bytes(digest), elsewhere)


def _key(row: Sequence[Any]) -> Key:
    key = Key(*row)
    return replace(key, scopes=tuple(key.scopes))


def _tell(connection: psycopg.Connection) -> None:
    """Notify every process to clear its cache of keys when this transaction commits."""
    connection.execute("SELECT pg_notify(%s, '')", (KEYED,))
