"""Trees of threads: one that stands below no other, and all that stand below it."""

from typing import Literal

from agentlog.domain.errors import UnknownThread
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement

ThreadInTree = tuple[int, Head]
"""A thread of a tree, and how many are above it."""


def tree_of(  # noqa: PLR0913 - one parameter a choice
    database: Connections,
    tenant: str,
    thread_id: str,
    link: Literal["parent", "origin"],
    *,
    most: int,
    hidden: bool = False,
) -> tuple[list[ThreadInTree], bool]:
    """Return the tree that a thread stands in, and whether there is more of it than `most` threads.

    `link`: below each thread are those that work for it, or that were forked from it, by the time
    at which they came. Hidden threads, and what is below them, are in it if `hidden`.

    Raises:
        UnknownThread: there is no such thread.
    """
    parameters = {"tenant": tenant, "thread_id": thread_id, "hidden": hidden, "limit": most + 1}
    with database.connection() as connection, connection.cursor(binary=True) as cursor:
        rows = cursor.execute(statement("select_tree", link=link), parameters).fetchall()
    if not rows:
        raise UnknownThread(thread_id)
    return [(depth, Head(*columns)) for depth, *columns in rows[:most]], len(rows) > most
