"""The lock of erasures: one at a time in a database, so that they are numbered as they commit."""

import psycopg

_ERASING = 0x6572_6173_696E_6700  # "erasing"


def erase_alone(connection: psycopg.Connection) -> None:
    """Wait until no other erasure is under way, and be the only one until the commit."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_ERASING,))


def let_erasures_end(connection: psycopg.Connection) -> None:
    """Wait until no erasure is under way, and have none begin until the commit."""
    connection.execute("SELECT pg_advisory_xact_lock_shared(%s)", (_ERASING,))
