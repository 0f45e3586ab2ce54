"""Brings read models up to a position before they are read."""

import threading
from collections.abc import Callable, Sequence

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseReadOnly
from agentlog.infrastructure.postgres.listening.notifications import PROJECTED
from agentlog.infrastructure.readmodels.builds import Build
from agentlog.infrastructure.readmodels.projection_status import (
    NewerReadModel,
    ProjectionBehind,
    ProjectionStatus,
)
from agentlog.infrastructure.readmodels.projector import Projector
from agentlog.projections.readmodels.registry import read_model

Progress = Callable[[str, int, int], None]
"""Callback for progress: read model, position, target position."""

_LOOK_SECONDS = 1.0


def bring_up(
    database: Database,
    projection_status: ProjectionStatus,
    names: Sequence[str],
    *,
    position: int,
    progress: Progress,
) -> None:
    """Process events until the live builds of this code's read models reach a position.

    A service that runs meanwhile may do part of the work.

    Raises:
        ProjectionBehind: one is paused, or stopped at an event.
        NewerReadModel: one was built by newer code.
        DatabaseReadOnly: they cannot be filled here.
    """
    if _lacks(projection_status.builds(), names, position) is None:
        return
    if not database.write_access.is_given:
        reason = "the read models cannot be filled up to the log"
        raise DatabaseReadOnly(reason, writer=database.write_access.writer_url)
    models = [read_model(name) for name in names]
    woken = threading.Event()
    off = projection_status.listener.on(PROJECTED, woken.set)
    try:
        with Projector(
            database,
            projection_status.listener,
            models,
            pace_seconds=0.0,
            search_days=projection_status.search_days,
        ):
            while True:
                woken.clear()
                builds = projection_status.builds()
                if (lacking := _lacks(builds, names, position)) is None:
                    return
                for build in builds:
                    if build.name == lacking and build.version == read_model(lacking).version:
                        progress(lacking, min(build.position, position), position)
                woken.wait(_LOOK_SECONDS)
    finally:
        off()


def _lacks(builds: Sequence[Build], names: Sequence[str], position: int) -> str | None:
    """Return a read model that has not reached the position, None if all have."""
    for name in names:
        version = read_model(name).version
        of_it = [build for build in builds if build.name == name]
        if any(build.version > version for build in of_it):
            raise NewerReadModel(name)
        ours = [build for build in of_it if build.version == version]
        if any(build.state == "live" and build.position >= position for build in ours):
            continue
        for build in ours:
            behind = ProjectionBehind(build, wanted=position)
            if behind.stands_still:
                raise behind
        return name
    return None
