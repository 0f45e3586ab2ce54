"""Where events of an age end in the log."""

from datetime import datetime

import psycopg

from agentlog.infrastructure.postgres.statements import statement


def last_before(connection: psycopg.Connection, days: int) -> int:
    """Return the last position up to which all events are older, 0 if there is none.

    Times of a tenant never decrease, so each tenant's are searched by halves.
    """
    last: int
    last, time = connection.execute(
        "SELECT position, now() - make_interval(days => %s) FROM agentlog.counter", (days,)
    ).fetchone() or (0, None)
    for (tenant,) in connection.execute(statement("select_tenants")).fetchall():
        if _is_older(connection, tenant, last, time):
            continue
        low, high = 0, last  # older up to the one, not up to the other
        while high - low > 1:
            middle = (low + high) // 2
            if _is_older(connection, tenant, middle, time):
                low = middle
            else:
                high = middle
        last = low
    return last


def _is_older(
    connection: psycopg.Connection, tenant: str, position: int, time: datetime | None
) -> bool:
    """Return whether the tenant's last event up to a position is older, or there is none."""
    row = connection.execute(
        "SELECT recorded_at < %s FROM agentlog.events WHERE tenant = %s AND position <= %s "
        "ORDER BY position DESC LIMIT 1",
        (time, tenant, position),
    ).fetchone()
    return row is None or bool(row[0])
