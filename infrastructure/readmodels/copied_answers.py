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


class CopiedAnswers:
    """Those of one tenant's threads."""

    def __init__(self, database: Connections, *, tenant: str) -> None:
        self._database = database
        self._tenant = tenant

    def of(self, thread_id: str) -> Mapping[int, str]:
        """Return where each counts, by the version of its answer; none before that is built."""
        with self._database.connection() as connection:
            live = (
                build
                for build in builds.builds(connection)
                if (build.name, build.state) == ("model_calls", "live")
            )
            try:
                for build in live:
                    table = Identifier(SCHEMA, f"model_calls_{build.build}")
                    key = (self._tenant, thread_id)
                    return dict(connection.execute(_SELECT.format(table), key).fetchall())
            except (UndefinedTable, UndefinedColumn):  # rebuilt meanwhile, or by newer code
                pass
        return {}
