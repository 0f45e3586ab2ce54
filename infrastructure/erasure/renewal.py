"""Rewrites a thread's rows in read models, within the caller's transaction."""

import logging

import psycopg

from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projection import Projection
from agentlog.infrastructure.readmodels.tables import delete_thread
from agentlog.projections.readmodels.registry import READ_MODELS

logger = logging.getLogger("agentlog")


def renew_rows(connection: psycopg.Connection, tenant: str, thread_id: str) -> None:
    """Rewrite a thread's rows in every build from its present events, up to the build's position.

    A build of other code loses the thread's rows; that code's next build has them again. So does
    one whose code fails on the events, which is then stopped until it is built anew.
    """
    rows = connection.execute(statement("lock_builds")).fetchall()
    for name, build, version in rows:
        delete_thread(connection, f"{name}_{build}", tenant, thread_id)
        model = READ_MODELS.get(name)
        if model is None or model.version != version:
            continue
        try:
            with connection.transaction():
                Projection(model, build).renew_thread(connection, tenant, thread_id)
        except psycopg.OperationalError:
            raise
        except Exception as error:
            logger.exception("the rows of an erased thread in %s cannot be made anew", name)
            position = builds.position_of(connection, name, build)
            reason = f"{thread_id} after an erasure: {type(error).__name__}: {error}; rebuild it"
            builds.stop(connection, name, build, position=position, error=reason)
    if rows:
        builds.notify(connection)
