"""Trees of forks: a thread that is no fork, and all that was forked from it."""

from agentlog.domain.errors import UnknownThread
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement

MOST_THREADS = 1000
"""Most threads of a tree that are returned."""

TreeThread = tuple[int, Head]
"""A thread of a tree, and how many forks are above it."""


def tree_of(
    database: Connections, tenant: str, thread_id: str, *, hidden: bool = False
) -> tuple[list[TreeThread], bool]:
    """Return the tree that a thread stands in, and whether there is more of it.

    Each thread comes before its forks, those by the time at which they were made. Hidden threads
    are in it if `hidden`.

    Raises:
        UnknownThread: there is no such thread.
    """
    parameters = {
        "tenant": tenant,
        "thread_id": thread_id,
        "hidden": hidden,
        "limit": MOST_THREADS + 1,
    }
    with database.connection() as connection, connection.cursor(binary=True) as cursor:
        rows = cursor.execute(statement("select_fork_tree"), parameters).fetchall()
    if not rows:
        raise UnknownThread(thread_id)
    threads = [(depth, Head(*columns)) for depth, *columns in rows[:MOST_THREADS]]
    return threads, len(rows) > MOST_THREADS
