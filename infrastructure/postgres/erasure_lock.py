"""Advisory lock of erasures: one at a time in a database, so that numbers follow commits."""

import psycopg

_ERASING = 0x6572_6173_696E_6700  # "erasing"


def erase_alone(connection: psycopg.Connection) -> None:
    """Lock out other erasures until the commit; waits for one in progress."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_ERASING,))


def let_erasures_end(connection: psycopg.Connection) -> None:
    """Wait until no erasure is in progress, and prevent new ones until the commit."""
    connection.execute("SELECT pg_advisory_xact_lock_shared(%s)", (_ERASING,))
