"""Composition root: wires adapters from settings to a store."""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

from psycopg.conninfo import make_conninfo

from agentlog.domain.identifiers import Ulids
from agentlog.infrastructure.analysts.analyst import Analyst
from agentlog.infrastructure.analysts.login import given_login, own_login
from agentlog.infrastructure.analysts.slots import Slots
from agentlog.infrastructure.appending.append_request import Preparer, wall_clock
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.appending.writer_metrics import Commit, WriterMeters
from agentlog.infrastructure.audit.proofs import Proofs
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.comparison.comparer import Comparer
from agentlog.infrastructure.comparison.run_sets import RunSets
from agentlog.infrastructure.definitions.definitions import Definitions
from agentlog.infrastructure.definitions.rules import rules_in
from agentlog.infrastructure.derived_audit import DerivedAuditor
from agentlog.infrastructure.embedded import Keeper, open_embedded
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.forks.forker import Forker
from agentlog.infrastructure.keys.accesses import Accesses
from agentlog.infrastructure.keys.cache import RecentKeys
from agentlog.infrastructure.keys.keys import Keys
from agentlog.infrastructure.matches.thread_matches import ThreadMatches
from agentlog.infrastructure.postgres.conninfo import WHOLE_LOG_TIMEOUTS, Timeouts
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.postgres.migration import described
from agentlog.infrastructure.postgres.roles import LOGIN, check_membership, make_login
from agentlog.infrastructure.postgres.write_access import WriteAccess, WriteAccessWatch
from agentlog.infrastructure.readmodels.projection_status import ProjectionStatus
from agentlog.infrastructure.reports.reports import Reports
from agentlog.infrastructure.reports.summaries import Summaries
from agentlog.infrastructure.reports.worker_trees import WorkerTrees
from agentlog.infrastructure.runtime.key_files import SIGNING_KEY
from agentlog.infrastructure.search.search import Search
from agentlog.infrastructure.settings import Settings
from agentlog.infrastructure.subscriptions.hub import Hub
from agentlog.infrastructure.subscriptions.queue import Queue
from agentlog.infrastructure.subscriptions.subscriptions import Subscriptions
from agentlog.infrastructure.tenants import Tenant, Tenants
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.imports import Imports
from agentlog.infrastructure.transfer.open_histories import OpenHistories, RecentReaders
from agentlog.infrastructure.transfer.rehearsal import Rehearsal
from agentlog.infrastructure.transfer.traces.ingest import TraceIngest
from agentlog.infrastructure.transfer.uploads.queue import RunQueue
from agentlog.infrastructure.transfer.uploads.spool import Spool
from agentlog.infrastructure.transfer.uploads.uploads import Uploads
from agentlog.infrastructure.views.snapshots.key import given_key, own_key
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.view_cache import RecentViews
from agentlog.infrastructure.views.views import Views

_ANSWER_SECONDS = 1.0
"""With the time until a statement counts as lasting, less than the 2 s that are promised."""


@dataclass(frozen=True, slots=True)
class Service:
    """The components over a migrated database: those of each tenant and the shared ones.

    `own` is the settings' tenant. `url` is the database's, for other processes; `where` is its
    description for people, `schema` says what became of its schema. `listener` starts on first use.
    """

    tenants: Tenants
    own: Tenant
    database: Database
    listener: Listener
    projection_status: ProjectionStatus
    writer: Writer
    keys: RecentKeys
    accesses: Accesses
    eraser: Eraser
    snapshot_key: bytes = field(repr=False)
    url: str = field(repr=False)
    where: str
    schema: str

    @property
    def threads(self) -> Threads:
        """The threads of the settings' tenant."""
        return self.own.threads

    @property
    def views(self) -> Views:
        """The views of the settings' tenant."""
        return self.own.views

    def rehearsal(self) -> Threads:
        """Return threads of the settings' tenant whose appends are decided and not committed."""
        return _rehearsal(self.database, self.threads, tenant=self.own.name)


def _rehearsal(database: Database, threads: Threads, *, tenant: str) -> Threads:
    return Rehearsal(
        database,
        Preparer(clock=wall_clock, new_id=Ulids(wall_clock, secrets.randbits)),
        tenant=tenant,
        reader=LogReader(database.confined(tenant), tenant=tenant),
        writer=threads.writer,
        blobs=threads.blobs,
    )


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
        RunQueue() as queue,
    ):
        new_id = Ulids(wall_clock, secrets.randbits)
        writer = Writer(
            database,
            clock=wall_clock,
            new_id=new_id,
            meters=WriterMeters(on_commit),
        )
        key = signing_key(settings)
        snapshot_key = _snapshot_key(settings)
        eraser = Eraser(database, writer)
        recent, readers = RecentViews(), RecentReaders(most_bytes=64 * 2**20)
        most = settings.analyst_queries_in_all
        slots = Slots(most=max(1, most // 4), most_in_all=most)

        def tenant_of(name: str) -> Tenant:
            confined = database.confined(name)
            reader = LogReader(confined, tenant=name, searched=database)
            snapshots = Snapshots(confined, tenant=name, key=snapshot_key)
            threads = Threads(
                reader=reader,
                writer=writer,
                blobs=Blobs(confined, tenant=name, most_bytes=settings.max_blob_bytes),
                tenant=name,
            )
            subscriptions = Subscriptions(database, tenant=name)
            imports = Imports(database, threads, tenant=name)
            definitions = Definitions(database, tenant=name)
            rules = partial(rules_in, definitions)
            views = Views(reader, tenant=name, snapshots=snapshots, recent=recent, rules=rules)
            summaries = Summaries(confined, tenant=name, rules=rules)
            return Tenant(
                name=name,
                threads=threads,
                views=views,
                hub=Hub(reader, listener),
                analyst=_analyst(place, settings, slots, tenant=name),
                reports=Reports(confined, tenant=name, rules=rules),
                summaries=summaries,
                workers=WorkerTrees(confined, summaries, tenant=name),
                definitions=definitions,
                search=Search(confined, tenant=name, searched=database),
                matches=ThreadMatches(views, rules),
                proofs=Proofs.over(confined, tenant=name, key=key),
                derived=DerivedAuditor(database, reader, snapshots, tenant=name),
                redactor=Redactor(
                    confined,
                    threads,
                    eraser,
                    tenant=name,
                    discard=lambda thread_id: tenants.forget(name, thread_id),
                ),
                forker=Forker(
                    database,
                    confined,
                    reader,
                    eraser,
                    tenant=name,
                    clock=wall_clock,
                    new_id=new_id,
                ),
                comparer=Comparer(views),
                run_sets=RunSets(views),
                traces=TraceIngest(threads),
                subscriptions=subscriptions,
                queue=Queue(database, subscriptions, reader, tenant=name),
                imports=imports,
                uploads=Uploads(
                    Spool(
                        settings.import_dir or settings.data_dir / "imports",
                        tenant=name,
                        most_bytes=settings.max_import_bytes,
                        most_file_bytes=settings.max_import_file_bytes,
                    ),
                    queue,
                    threads,
                    imports,
                    tenant=name,
                    access=access,
                    rehearse=lambda: _rehearsal(database, threads, tenant=name),
                ),
                histories=OpenHistories(threads, views, tenant=name, recent=readers),
            )

        with Tenants(tenant_of) as tenants:
            yield Service(
                tenants=tenants,
                own=tenants[settings.tenant],
                database=database,
                listener=listener,
                projection_status=ProjectionStatus(
                    database, listener, search_days=settings.search_days
                ),
                writer=writer,
                keys=RecentKeys(
                    Keys(
                        database,
                        random_bytes=secrets.token_bytes,
                        clock=_now,
                        cell=settings.cell,
                    ),
                    listener,
                    ticks=time.monotonic,
                ),
                accesses=Accesses(database),
                eraser=eraser,
                snapshot_key=snapshot_key,
                url=place.url,
                where=place.where,
                schema=place.schema,
            )


@contextmanager
def open_as_owner(
    settings: Settings, *, writes: bool, new: bool = False
) -> Iterator[tuple[Database, str]]:
    """Yield the database with all rights of its login, at any schema version, and its URL.

    `writes`: refuse what takes no writes. `new`: whether our own may be made.

    Raises:
        DatabaseReadOnly: it takes none, or AGENTLOG_READ_ONLY=on.
        LogCopying: not all of the log is there yet.
    """
    with ExitStack() as stack:
        url = settings.database_url
        if url is None:
            url = stack.enter_context(open_embedded(settings.data_dir, new=new)).url
        access = write_access_of(settings)
        database = stack.enter_context(
            Database(url, pool_size=2, timeouts=WHOLE_LOG_TIMEOUTS, write_access=access)
        )
        access.check_whole()
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


def _analyst(place: MigratedDatabase, settings: Settings, slots: Slots, *, tenant: str) -> Analyst:
    if place.owner is not None and settings.analyst_url is None:
        login = own_login(place.owner, place.url, tenant=tenant)
    else:  # the given login itself determines its tenant
        login = given_login(settings.analyst_url)
    return Analyst(login, tenant=tenant, slots=slots, most_seconds=settings.analyst_seconds)


def signing_key(settings: Settings) -> SigningKey:
    """Return the key that signs checkpoints; for our own PostgreSQL it is created on first use."""
    if settings.signing_key is not None or settings.database_url is not None:
        return SigningKey(settings.signing_key)
    return SigningKey(settings.data_dir / SIGNING_KEY, made=True)


def _snapshot_key(settings: Settings) -> bytes:
    if settings.snapshot_key is not None:
        return given_key(settings.snapshot_key)
    return own_key(settings.data_dir)


def _now() -> datetime:
    return datetime.now(UTC)
