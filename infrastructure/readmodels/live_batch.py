"""Joint processing of live builds: one transaction reads the log once and updates all of them.

Each by itself would need a dozen round trips for the few new events, which under steady appends was
most of the cost of projections, here and in the server.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.batch import TenantEvent, read_batch
from agentlog.infrastructure.readmodels.builds import Build
from agentlog.infrastructure.readmodels.projection import MOST_EVENTS, Projection
from agentlog.infrastructure.readmodels.tracking import move_all
from agentlog.projections.readmodels.registry import AnyReadModel


@dataclass(frozen=True, slots=True)
class LiveStep:
    """Result of a joint step: whether there may be `more`, and the read models it left out."""

    more: bool
    apart: Sequence[str]


class LiveBatch:
    """Fills the live builds of some read models; `most_events` bounds a step."""

    def __init__(self, models: Iterable[AnyReadModel], *, most_events: int = MOST_EVENTS) -> None:
        self._models = {model.name: model for model in models}
        self._most_events = most_events
        self._known: dict[tuple[str, int], Projection[Any]] = {}

    def step(self, connection: psycopg.Connection, names: Collection[str]) -> LiveStep:
        """Process the next batch for some read models; an error rolls back all of them.

        Each projection then finds the failing event by itself. Builds more than a batch behind the
        log, and read models without a live build of this code, are left out.
        """
        with connection.transaction():
            locked = self._lock(connection, names)
            # after the locks: a statement sees the positions committed when it began
            live = {
                build.name: build for build in builds.builds(connection) if self._is_live(build)
            }
            apart = [
                name for name in names if name not in live or live[name].lag > self._most_events
            ]
            ours = [
                build
                for build in live.values()
                if (build.name, build.build) in locked and 0 < build.lag <= self._most_events
            ]
            more = bool(ours) and self._work(connection, ours)
        return LiveStep(more, apart)

    def _lock(
        self, connection: psycopg.Connection, names: Collection[str]
    ) -> set[tuple[object, ...]]:
        """Lock the live builds that can go on and that no one else has locked; return which."""
        versions = [self._models[name].version for name in names]
        wanted = {"names": list(names), "versions": versions}
        return set(connection.execute(statement("lock_live_builds"), wanted).fetchall())

    def _is_live(self, build: Build) -> bool:
        model = self._models.get(build.name)
        return model is not None and build.version == model.version and build.state == "live"

    def _work(self, connection: psycopg.Connection, ours: list[Build]) -> bool:
        """Process the events that some builds lack; return whether there are more."""
        models = [self._models[build.name] for build in ours]
        upto = ours[0].log_position
        batch = read_batch(
            connection,
            after=min(build.position for build in ours),
            upto=upto,
            types=_types(models),
            limit=self._most_events,
            sizes={model.long_text_bytes for model in models},
        )
        moved = [build for build in ours if build.position < batch.position]
        self._known = {
            (build.name, build.build): self._known.get((build.name, build.build))
            or Projection(self._models[build.name], build.build)
            for build in moved
        }
        for build in moved:
            model = self._models[build.name]
            events = _lacking(batch.events[model.long_text_bytes], build, model)
            self._known[build.name, build.build].work_in(connection, events)
        # rows lost in a server crash are filled again from the log
        connection.execute("SET LOCAL synchronous_commit = off")
        tracked = [builds.tracking_name(build.name, build.build) for build in moved]
        move_all(connection, tracked, batch.position)
        builds.notify(connection)
        return batch.position < upto


def _types(models: Iterable[AnyReadModel]) -> set[str] | None:
    """Return the types of events that some read models process; None for all."""
    types: set[str] = set()
    for model in models:
        if model.types is None:
            return None
        types |= model.types
    return types


def _lacking(events: list[TenantEvent], build: Build, model: AnyReadModel) -> list[TenantEvent]:
    """Return the events of a build's types beyond its position."""
    return [
        event
        for event in events
        if (event.event.position or 0) > build.position
        and (model.types is None or event.event.type in model.types)
    ]
