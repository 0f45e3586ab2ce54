"""Composition root: wires adapters from settings to a store."""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import RLock
from typing import TypeVar

from psycopg.conninfo import make_conninfo

from agentlog.domain.identifiers import Ulids
from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.infrastructure.appending.commit_plan import Commit
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.embedded import Keeper, open_embedded
from agentlog.infrastructure.postgres.conninfo import WHOLE_LOG_TIMEOUTS, Timeouts
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.postgres.migration import described
from agentlog.infrastructure.postgres.roles import LOGIN, check_membership, make_login
from agentlog.infrastructure.postgres.write_access import WriteAccess, WriteAccessWatch
from agentlog.infrastructure.settings import Settings
from agentlog.infrastructure.tenants import Tenants
from agentlog.lazy import Part, lazy_imports

with lazy_imports():
    from agentlog.infrastructure import threads
    from agentlog.infrastructure.analysts import login
    from agentlog.infrastructure.keys import accesses, cache, keys
    from agentlog.infrastructure.readmodels import projection_status
    from agentlog.infrastructure.views import views

Made = TypeVar("Made")
_ANSWER_SECONDS = 1.0
"""With the time until a statement counts as lasting, less than the 2 s that are promised."""


class _Part(Part["Service", Made]):
    """A part of the service, made on first use."""


class Service:
    """The components over a migrated database: those of each tenant and the shared ones.

    `own` is the settings' tenant. `url` is the database's, for other processes; `where` is its
    description for people, `schema` says what became of its schema. `listener` starts on first use.
    """

    def __init__(self, tenants: Tenants, *, url: str, where: str, schema: str) -> None:
        self.tenants = tenants
        self.database, self.listener = tenants.database, tenants.listener
        self.writer = tenants.writer
        self.own = tenants[tenants.settings.tenant]
        self.url, self.where, self.schema = url, where, schema
        self.making = RLock()

    projection_status = _Part(
        lambda service: projection_status.ProjectionStatus(
            service.database,
            service.listener,
            search_days=service.tenants.settings.search_days,
        )
    )
    keys = _Part(
        lambda service: cache.RecentKeys(
            keys.Keys(
                service.database,
                random_bytes=secrets.token_bytes,
                clock=lambda: datetime.now(UTC),
                cell=service.tenants.settings.cell,
            ),
            service.listener,
            ticks=time.monotonic,
        )
    )
    accesses = _Part(lambda service: accesses.Accesses(service.database))

    @property
    def threads(self) -> "threads.Threads":
        """The threads of the settings' tenant."""
        return self.own.threads

    @property
    def views(self) -> "views.Views":
        """The views of the settings' tenant."""
        return self.own.views


@contextmanager
def open_service(
    settings: Settings, *, new: bool = False, on_commit: Callable[[Commit], None] | None = None
) -> Iterator[Service]:
    """Open the settings' database (or our own), migrate it, and close it at the end.

    `new`: whether our own may be made. `on_commit` is called for each commit of events.

    Raises:
        AgentlogError: the database is unavailable, with the reason and the way out.
    """
    access = write_access_of(settings)
    new_id = Ulids(wall_clock, secrets.randbits)
    with (
        ready_database(settings, new=new, access=access) as place,
        Database(
            place.url,
            pool_size=settings.pool_size,
            in_role=True,
            timeouts=Timeouts(settings.statement_seconds, answer_seconds=_ANSWER_SECONDS),
            write_access=access,
        ) as database,
        WriteAccessWatch(access, database.connect),
        Listener(database) as listener,
        Tenants(
            settings,
            database,
            listener,
            Writer(database, clock=wall_clock, new_id=new_id, on_commit=on_commit),
            clock=wall_clock,
            new_id=new_id,
            login_of=lambda tenant: _login_of(place, settings, tenant),
        ) as tenants,
    ):
        yield Service(tenants, url=place.url, where=place.where, schema=place.schema)


@contextmanager
def open_as_owner(
    settings: Settings, *, writes: bool, new: bool = False
) -> Iterator[tuple[Database, str]]:
    """Yield the database with all rights of its login, at any schema version, and its URL.

    `writes`: refuse what takes no writes. `new`: whether our own may be made.

    Raises:
        DatabaseReadOnly: it takes none, or AGENTLOG_READ_ONLY=on.
        LogSubscribed: a subscription fills the log.
    """
    with ExitStack() as stack:
        url = settings.database_url
        if url is None:
            url = stack.enter_context(open_embedded(settings.data_dir, new=new)).url
        access = write_access_of(settings)
        database = stack.enter_context(
            Database(url, pool_size=2, timeouts=WHOLE_LOG_TIMEOUTS, write_access=access)
        )
        if writes:
            access.check()
        yield database, url


@dataclass(frozen=True, slots=True)
class MigratedDatabase:
    """A migrated database: its URL for the service, and `owner` where it is our own."""

    url: str = field(repr=False)
    where: str
    schema: str
    owner: Database | None


def write_access_of(settings: Settings) -> WriteAccess:
    """Return what tells whether the settings' database takes writes, once it is open."""
    return WriteAccess(forbidden=settings.read_only == "on", writer_url=settings.writer_url)


@contextmanager
def ready_database(
    settings: Settings, *, new: bool, access: WriteAccess
) -> Iterator[MigratedDatabase]:
    """Yield a database with the current schema and the service's roles."""
    if settings.database_url is None:
        with (
            open_embedded(settings.data_dir, new=new) as server,
            Keeper(server),
            Database(server.url, pool_size=1) as owner,
        ):
            schema = described(owner.migrate())
            with owner.connection() as connection:
                make_login(connection)
            url = make_conninfo(server.url, user=LOGIN)
            where = f"its own PostgreSQL in {settings.data_dir}"
            yield MigratedDatabase(url, where, schema, owner)
        return
    with Database(settings.database_url, pool_size=1, write_access=access) as given:
        schema = described(given.migrate())
        with given.connection() as connection:
            check_membership(connection)
    yield MigratedDatabase(settings.database_url, "AGENTLOG_DATABASE_URL", schema, None)


def _login_of(place: MigratedDatabase, settings: Settings, tenant: str) -> "login.Login":
    if place.owner is not None and settings.analyst_url is None:
        return login.own_login(place.owner, place.url, tenant=tenant)
    return login.given_login(settings.analyst_url)  # which itself determines its tenant
