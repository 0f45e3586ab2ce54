"""Keys for tests of HTTP, and whoever holds them."""

from collections.abc import Sequence
from datetime import datetime

from fastapi import FastAPI
from psycopg.sql import SQL, Identifier

from agentlog.domain.access import Scope
from agentlog.infrastructure.keys.cache import RecentKeys
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import TENANT


def keys_of(app: FastAPI) -> RecentKeys:
    """Return the keys of an application."""
    keys: RecentKeys = app.state.keys
    return keys


def make_key(
    app: FastAPI,
    *scopes: Scope,
    tenant: str = TENANT,
    expires_at: datetime | None = None,
) -> KeyText:
    """Return a new key; its application knows at once that there is one."""
    keys = keys_of(app)
    text, _ = keys.keys.create(
        tenant, name="of a test", scopes=scopes or ("read",), expires_at=expires_at
    )
    keys.first_made()
    return text


def bearing(key: KeyText | str, *more: tuple[str, str]) -> Sequence[tuple[str, str]]:
    """Return the headers of whoever has a key."""
    text = key if isinstance(key, str) else key.reveal()
    return [("Authorization", f"Bearer {text}"), *more]


def empty_keys(database: Database) -> None:
    """Take all keys out, and the record of accesses, as no service could."""
    with database.connection() as connection, connection.transaction():
        for table in ("keys", "accesses"):
            for statement in (
                "ALTER TABLE {} DISABLE TRIGGER USER",
                "DELETE FROM {}",
                "ALTER TABLE {} ENABLE TRIGGER USER",
            ):
                connection.execute(SQL(statement).format(Identifier("agentlog", table)))
