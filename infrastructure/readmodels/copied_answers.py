"""Answers of a thread that count in another one, as the read model of model calls knows them."""

from collections.abc import Mapping

from psycopg.errors import UndefinedColumn, UndefinedTable
from psycopg.sql import SQL, Identifier

from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.tables import SCHEMA

_SELECT = SQL(
    "SELECT answered_version, copy_of FROM {} WHERE tenant = %s AND thread_id = %s "
    "AND copy_of IS NOT NULL"
)


def copied_answers(database: Connections, tenant: str, thread_id: str) -> Mapping[int, str]:
    """Return where each counts, by the version of its answer; none before that is built."""
    copies: dict[int, str] = {}
    with database.connection() as connection:
        for build in builds.builds(connection):
            if (build.name, build.state) == ("model_calls", "live"):
                table = Identifier(SCHEMA, f"model_calls_{build.build}")
                try:
                    rows = connection.execute(_SELECT.format(table), (tenant, thread_id))
                    copies |= dict(rows.fetchall())
                except (UndefinedTable, UndefinedColumn):  # rebuilt meanwhile, or by newer code
                    return {}
    return copies
