"""Advisory locks: of erasures, one at a time so that numbers follow commits; of others by name."""

import psycopg

_ERASING = 0x6572_6173_696E_6700  # "erasing"


def erase_alone(connection: psycopg.Connection) -> None:
    """Lock out other erasures until the commit; waits for one in progress."""
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_ERASING,))


def let_erasures_end(connection: psycopg.Connection) -> None:
    """Wait until no erasure is in progress, and prevent new ones until the commit."""
    connection.execute("SELECT pg_advisory_xact_lock_shared(%s)", (_ERASING,))


def lock(connection: psycopg.Connection, name: str) -> None:
    """Take a lock of the database until the commit; waits for it."""
    connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (name,))


def try_lock(connection: psycopg.Connection, name: str) -> bool:
    """Take a lock of the database that this session holds until `unlock`, if no other has it."""
    query = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
    return connection.execute(query, (name,)).fetchone() == (True,)


def unlock(connection: psycopg.Connection, name: str) -> None:
    """Free a lock that this session holds; one that has ended holds none."""
    if not connection.closed:
        connection.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", (name,))
