"""Status and control of projections."""

from collections.abc import Collection, Sequence

from agentlog.domain.errors import AgentlogError, FutureMoment, Refused
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.infrastructure.readmodels import builds as build_states
    from agentlog.projections.readmodels import registry


class ProjectionBehind(AgentlogError, kind="unavailable", transient=True):
    """A projection has not come to a position in time.

    Where it `stands_still`, paused or stopped, it will not do so by itself.
    """

    def __init__(self, build: "build_states.Build", *, wanted: int) -> None:
        self.stands_still = build.paused or build.stopped_at is not None
        if build.reason is not None:
            reason = (
                f"stopped {build.reason}; mend it, then `agentlog projections resume {build.name}`"
            )
        elif build.paused:
            reason = f"it is paused: `agentlog projections resume {build.name}`"
        else:
            reason = "ask again a little later"
        super().__init__(
            f"projection {build.name} stands at {build.position}, not at {wanted} yet: {reason}"
        )


class NotYetBuilt(AgentlogError, kind="unavailable", transient=True):
    """The projection is not built yet: `agentlog serve` or `agentlog projections run` builds it."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"projection {name} is not built yet: `agentlog serve` and "
            "`agentlog projections run` do that; ask again a little later"
        )


class NewerReadModel(Refused):
    """A read model was built by a newer agentlog, whose rows this one does not know."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"projection {name} was built by a newer agentlog than this: use that one, "
            "or do without the table"
        )


class RebuildUnderWay(Refused):
    """A projection is being rebuilt already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"projection {name} is being rebuilt already: wait until it is live")


class ProjectionStatus:
    """The projections of a database, whichever process runs them.

    `search_days` is that of `Projector`.
    """

    def __init__(
        self, database: Database, listener: Listener, *, search_days: int | None = None
    ) -> None:
        self.listener = listener
        self.search_days = search_days
        self._database = database

    def builds(self) -> "Sequence[build_states.Build]":
        """Return every build, by name and number."""
        with self._database.connection() as connection:
            return build_states.builds(connection)

    def lags(self) -> dict[str, int]:
        """Return how many positions the live build of each projection is behind the log."""
        return {build.name: build.lag for build in self.builds() if build.state == "live"}

    def rebuild(self, name: str) -> "build_states.Build":
        """Begin a build beside the live one, to replace it; a running projector fills it.

        Raises:
            UnknownReadModel: there is no such projection.
            RebuildUnderWay: one is building already.
        """
        model = registry.read_model(name)
        with self._database.connection() as connection:
            if not build_states.begin(connection, model, days=self.search_days):
                raise RebuildUnderWay(name)
        return max(self._of(name), key=lambda build: build.build)

    def pause(self, name: str) -> "Sequence[build_states.Build]":
        """Pause a projection; raises `UnknownReadModel`."""
        return self._set_paused(name, paused=True)

    def resume(self, name: str) -> "Sequence[build_states.Build]":
        """Resume a projection that is paused or stopped; raises `UnknownReadModel`."""
        return self._set_paused(name, paused=False)

    def behind(self, position: int, names: Collection[str]) -> ProjectionBehind | None:
        """Return why some projections cannot be read as of a position yet, None if they can.

        Raises:
            FutureMoment: the log has not reached the position.
            NotYetBuilt: there is no live build of one.
            UnknownReadModel: there is no such projection.
        """
        live = {build.name: build for build in self.builds() if build.state == "live"}
        for name in names:
            build = live.get(registry.read_model(name).name)
            if build is None:
                raise NotYetBuilt(name)
            if position > build.log_position:
                present = f"the log is at position {build.log_position}"
                raise FutureMoment(f"position {position}", present=present)
            if build.position < position:
                return ProjectionBehind(build, wanted=position)
        return None

    def _set_paused(self, name: str, *, paused: bool) -> "Sequence[build_states.Build]":
        model = registry.read_model(name)
        with self._database.connection() as connection:
            build_states.set_paused(connection, model.name, paused=paused)
        return self._of(name)

    def _of(self, name: str) -> "list[build_states.Build]":
        return [build for build in self.builds() if build.name == name]
