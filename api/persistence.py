"""The log as a persistence module of the library eventsourcing.

A user's `Application` reads and follows the log by it, and a `Projection` fills tables beside the
log.
"""

import weakref
from contextlib import ExitStack
from typing import cast

from eventsourcing.domain import TAggregateID
from eventsourcing.persistence import (
    AggregateRecorder,
    InfrastructureFactory,
    Mapper,
    NotSupportedError,
    ProcessRecorder,
    Recorder,
    Transcoder,
)
from eventsourcing.utils import Environment, EnvType
from typing_extensions import override

from agentlog.api.composition import open_as_owner, ready_database, write_access_of
from agentlog.infrastructure.eventsourcing_adapter.mapper import MessageMapper
from agentlog.infrastructure.eventsourcing_adapter.recorder import LogRecorder, View
from agentlog.infrastructure.postgres.conninfo import Timeouts
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.settings import Settings

_SETTINGS = ("database_url", "data_dir", "tenant")
"""Settings that an application's `env` may have too, in place of the process's environment."""


class Factory(InfrastructureFactory[View]):
    """Makes recorders of one tenant's log; each has connections of its own until it is dropped."""

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        given = {name: self.env.get(f"AGENTLOG_{name.upper()}") for name in _SETTINGS}
        self._settings = Settings.model_validate(
            {name: value for name, value in given.items() if value is not None}
        )
        self._opened: list[weakref.finalize[..., Recorder]] = []

    @override
    def mapper(
        self,
        transcoder: Transcoder | None = None,
        mapper_class: type[Mapper[TAggregateID]] | None = None,
    ) -> Mapper[TAggregateID]:
        """Return the log's own mapper: messages are read as they are stored."""
        return cast("Mapper[TAggregateID]", MessageMapper())

    @override
    def application_recorder(self) -> LogRecorder:
        """Return a recorder that reads and follows the log.

        Raises:
            AgentlogError: the database is unavailable, with the reason and the way out.
        """
        settings = self._settings
        with ExitStack() as stack:
            access = write_access_of(settings)
            place = stack.enter_context(ready_database(settings, new=False, access=access))
            database = stack.enter_context(
                Database(
                    place.url,
                    pool_size=settings.pool_size,
                    in_role=True,
                    timeouts=Timeouts(settings.statement_seconds),
                    write_access=access,
                )
            )
            listener = stack.enter_context(Listener(database))
            confined = database.confined(settings.tenant)
            recorder = LogRecorder(confined, listener, tenant=settings.tenant)
            self._close_with(recorder, stack.pop_all())
        return recorder

    @override
    def tracking_recorder(self, tracking_recorder_class: type[View] | None = None) -> View:
        """Return a view, on connections with all rights of the login.

        Raises:
            NotSupportedError: the class is no `View`.
            AgentlogError: as `application_recorder`.
        """
        view_class = View if tracking_recorder_class is None else tracking_recorder_class
        if not issubclass(view_class, View):
            raise NotSupportedError(
                f"{view_class.__qualname__} is kept elsewhere: derive it from "
                f"agentlog.persistence.View, or set {self._own_module}"
            )
        with ExitStack() as stack:
            database, _ = stack.enter_context(open_as_owner(self._settings, writes=True))
            database.migrate()
            view = view_class(database, projection=self.env.name, tenant=self._settings.tenant)
            self._close_with(view, stack.pop_all())
        return view

    @override
    def process_recorder(self) -> ProcessRecorder:
        """Raise `NotSupportedError`."""
        raise NotSupportedError(
            "the log takes no events from the library eventsourcing: for a projection that makes "
            f"events of its own set {self._own_module}"
        )

    @override
    def aggregate_recorder(self, purpose: str = "events") -> AggregateRecorder:
        """Return the application recorder; raises `NotSupportedError` for snapshots."""
        if purpose != "events":
            raise NotSupportedError(
                "the log takes no snapshots from the library eventsourcing: leave "
                "IS_SNAPSHOTTING_ENABLED out"
            )
        return self.application_recorder()

    @override
    def close(self) -> None:
        """End the connections of all recorders made here."""
        for close in self._opened:
            close()

    @property
    def _own_module(self) -> str:
        return f"{self.env.name.upper()}_PERSISTENCE_MODULE, as to eventsourcing.postgres"

    def _close_with(self, recorder: Recorder, opened: ExitStack) -> None:
        # a runner drops the factory of its view at once and never closes it
        self._opened.append(weakref.finalize(recorder, opened.close))
