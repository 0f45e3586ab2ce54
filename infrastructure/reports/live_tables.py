"""Live tables of read models, read in one transaction on one snapshot."""

from collections.abc import Callable
from typing import TypeVar

import psycopg
from psycopg.errors import UndefinedTable
from psycopg.sql import Composable, Identifier

from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.counted_rows import counted_rows, with_beside
from agentlog.infrastructure.readmodels.projection_status import NotYetBuilt
from agentlog.infrastructure.readmodels.tables import SCHEMA

_TRIES = 3

FoundT = TypeVar("FoundT")


def read_one_snapshot(connection: psycopg.Connection) -> None:
    """Set up the transaction: one snapshot, read-only, with memory to sort in."""
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    connection.execute(
        "SELECT set_config('work_mem', '64MB', true), "
        # compiling a plan takes longer than these run
        "set_config('jit', 'off', true)"
    )


def live_tables(connection: psycopg.Connection, *models: str) -> tuple[list[Composable], int]:
    """Return the rows of the live builds of some read models, and the position of the last.

    Not the views: these may refer to other builds since the transaction began.

    Raises:
        NotYetBuilt: a read model has no live build.
    """
    live = {build.name: build for build in builds.builds(connection) if build.state == "live"}
    needed = with_beside(models)
    for name in needed:
        if name not in live:
            raise NotYetBuilt(name)
    tables = {name: Identifier(SCHEMA, f"{name}_{live[name].build}") for name in needed}
    rows = [counted_rows(name, tables) for name in models]
    return rows, min(live[name].position for name in needed)


def again(ask: Callable[[], FoundT]) -> FoundT:
    """Retry if a rebuild dropped a table meanwhile."""
    for _ in range(_TRIES - 1):
        try:
            return ask()
        except UndefinedTable:
            continue
    return ask()
