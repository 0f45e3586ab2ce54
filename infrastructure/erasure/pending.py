"""Redactions that are recorded and not carried out yet."""

import psycopg

from agentlog.domain.catalogue import read_stored
from agentlog.domain.facts import ThreadRedacted
from agentlog.domain.json.text import parse_stored
from agentlog.infrastructure.postgres.binary_arrays import texts
from agentlog.infrastructure.postgres.statements import statement


def waiting_redactions(
    connection: psycopg.Connection, tenant: str | None
) -> list[tuple[str, str, int]]:
    """Return tenant, thread and version of each in the log's order; None is every tenant."""
    return connection.execute(statement("select_erasures_to_do"), {"tenant": tenant}).fetchall()


def pending_redaction(
    connection: psycopg.Connection, tenant: str, thread_id: str, version: int
) -> ThreadRedacted | None:
    """Return the redaction at a version if it is not carried out."""
    parameters = {"tenant": tenant, "thread_id": thread_id, "version": version}
    row = connection.execute(statement("select_redaction"), parameters).fetchone()
    if row is None:
        return None
    fact = read_stored("thread.redacted", parse_stored(row[0]))
    if not isinstance(fact, ThreadRedacted):
        raise TypeError(f"{thread_id} version {version} is no redaction that can be read")
    return fact


def present_version(connection: psycopg.Connection, tenant: str, thread_id: str) -> int:
    """Return the version of a thread, 0 where there is none."""
    parameters = {"tenants": texts([tenant]), "thread_ids": texts([thread_id])}
    row = connection.execute(statement("select_heads"), parameters).fetchone()
    return 0 if row is None else int(row[2])
