"""Rewrites rows of read models within the caller's transaction: a thread's, or a tenant's."""

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg

from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.build_audit import delete_rows
from agentlog.infrastructure.readmodels.projection import Projection
from agentlog.projections.readmodels.registry import READ_MODELS

logger = logging.getLogger("agentlog")


def renew_rows(connection: psycopg.Connection, tenant: str, thread_id: str) -> None:
    """Rewrite a thread's rows in every build from its present events, up to the build's position.

    A build of other code loses the thread's rows; that code's next build has them again. So does
    one whose code fails on the events, which is then stopped until it is built anew.
    """
    for name, build, version in lock_builds(connection):
        delete_rows(connection, f"{name}_{build}", tenant, thread_id)
        with _stopping(connection, name, build, f"{thread_id} after an erasure"):
            if projection := _projection(name, build, version):
                projection.renew_thread(connection, tenant, thread_id)


def add_tenant_rows(
    connection: psycopg.Connection, tenant: str, *, but: Collection[tuple[str, int]] = ()
) -> None:
    """Write the rows of a tenant that arrived in every build, up to the build's position.

    Builds are treated as by `renew_rows`; those in `but` are locked only.
    """
    for name, build, version in lock_builds(connection):
        if (name, build) in but:
            continue
        with _stopping(connection, name, build, f"the tenant {tenant} after its arrival"):
            if projection := _projection(name, build, version):
                projection.add_tenant(connection, tenant)


def delete_tenant_rows(connection: psycopg.Connection, tenant: str) -> None:
    """Delete the rows of a tenant in every build."""
    for name, build, _ in lock_builds(connection):
        delete_rows(connection, f"{name}_{build}", tenant)


def lock_builds(connection: psycopg.Connection) -> Sequence[tuple[str, int, int]]:
    """Lock every build; return name, number and version."""
    rows = connection.execute(statement("lock_builds")).fetchall()
    if rows:
        builds.notify(connection)
    return [(name, build, version) for name, build, version in rows]


def _projection(name: str, build: int, version: int) -> Projection[Any] | None:
    """Return the projection of a build, None if it is of other code."""
    model = READ_MODELS.get(name)
    return Projection(model, build) if model is not None and model.version == version else None


@contextmanager
def _stopping(connection: psycopg.Connection, name: str, build: int, what: str) -> Iterator[None]:
    """Stop a build whose code fails in the block, of which nothing is kept."""
    try:
        with connection.transaction():
            yield
    except psycopg.OperationalError:
        raise
    except Exception as error:
        logger.exception("the rows of %s in %s cannot be made", what, name)
        position = builds.position_of(connection, name, build)
        reason = f"{what}: {type(error).__name__}: {error}; rebuild it"
        builds.stop(connection, name, build, position=position, error=reason)
