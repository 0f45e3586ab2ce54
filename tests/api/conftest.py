"""What tests of HTTP share: the application over a fresh log, and a client of it."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from secrets import randbits, token_bytes
from tempfile import mkdtemp

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from structlog.typing import FilteringBoundLogger

from agentlog.api.http.app import create_app
from agentlog.api.http.middleware.authentication import AnonymousFrom, Entrance
from agentlog.api.http.request.limits import USUAL, RequestLimits
from agentlog.api.http.streaming.subscribers import Followers, TenantFollowers
from agentlog.domain.identifiers import Ulids
from agentlog.infrastructure.analysts.analyst import Analyst
from agentlog.infrastructure.analysts.slots import Slots
from agentlog.infrastructure.appending.append_request import Preparer, wall_clock
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.proofs import Proofs
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.comparison.comparer import Comparer
from agentlog.infrastructure.comparison.run_sets import RunSets
from agentlog.infrastructure.definitions.definitions import Definitions
from agentlog.infrastructure.definitions.rules import rules_in
from agentlog.infrastructure.derived_audit import DerivedAuditor
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.forks.forker import Forker
from agentlog.infrastructure.keys.accesses import Accesses
from agentlog.infrastructure.keys.cache import RecentKeys
from agentlog.infrastructure.keys.keys import Keys
from agentlog.infrastructure.matches.thread_matches import ThreadMatches
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.readmodels.projection_status import ProjectionStatus
from agentlog.infrastructure.reports.reports import Reports
from agentlog.infrastructure.reports.summaries import Summaries
from agentlog.infrastructure.reports.worker_trees import WorkerTrees
from agentlog.infrastructure.search.search import Search
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
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.infrastructure.webhooks.addresses import PUBLIC, Addresses
from tests.api.refusals import Refusals
from tests.infrastructure.analysts.logins import login_of
from tests.infrastructure.appends import TENANT, Clock, Ids

MAX_BODY_BYTES = 16 * 2**20
MAX_BLOB_BYTES = 5 * 2**20
MAX_IMPORT_BYTES, MAX_IMPORT_FILE_BYTES = 64 * 2**20, 32 * 2**20
ALLOWED_HOSTS = frozenset({"testserver", "here", "there", "logs.example"})


def threads_over(database: Database, *, tenant: str = TENANT) -> Threads:
    """Return the tests' threads."""
    writer = Writer(database, clock=Clock(), new_id=Ids())
    return Threads(
        reader=LogReader(database, tenant=tenant),
        writer=writer,
        blobs=Blobs(database, tenant=tenant),
        tenant=tenant,
    )


def entrance_over(
    database: Database,
    listener: Listener,
    *,
    anonymous: AnonymousFrom = "anywhere",
    audited: bool = False,
) -> Entrance:
    """Return the tests' entrance; it has looked whether there is a key, as `serve` has."""
    keys = Keys(database, random_bytes=token_bytes, clock=lambda: datetime.now(UTC))
    recent = RecentKeys(keys, listener, ticks=time.monotonic)
    recent.look_made()
    return Entrance(recent, Accesses(database), anonymous, ALLOWED_HOSTS, audited)


def app_over(  # noqa: PLR0913 - what tests set
    database: Database,
    threads: Threads,
    *,
    limits: RequestLimits = USUAL,
    addresses: Addresses = PUBLIC,
    gateway_url: str | None = None,
    access_log: FilteringBoundLogger | None = None,
    anonymous: AnonymousFrom = "anywhere",
    audited: bool = False,
    slots: Slots | None = None,
) -> FastAPI:
    """Return an application over these threads, and over others for each other tenant."""
    listener = Listener(database, poll_seconds=0.25)
    key = SigningKey(None)
    slots = Slots() if slots is None else slots
    queue, import_dir = RunQueue(), Path(mkdtemp(prefix="imports-"))

    def tenant_of(name: str) -> Tenant:
        own_threads = threads if name == TENANT else threads_over(database, tenant=name)
        reader = LogReader(database, tenant=name)
        snapshots = Snapshots(database, tenant=name, key=b"key")
        views = Views(reader, tenant=name, snapshots=snapshots)
        subscriptions = Subscriptions(database, tenant=name)
        imports = Imports(database, own_threads, tenant=name)
        definitions = Definitions(database, tenant=name)
        rules = partial(rules_in, definitions)
        summaries = Summaries(database, tenant=name, rules=rules)
        return Tenant(
            name=name,
            threads=own_threads,
            views=views,
            hub=Hub(reader, listener),
            analyst=Analyst(login_of(database, name), tenant=name, slots=slots),
            reports=Reports(database, tenant=name, rules=rules),
            summaries=summaries,
            workers=WorkerTrees(database, summaries, tenant=name),
            definitions=definitions,
            search=Search(database, tenant=name, searched=database),
            matches=ThreadMatches(views, rules),
            proofs=Proofs.over(database, tenant=name, key=key),
            derived=DerivedAuditor(database, reader, snapshots, tenant=name),
            redactor=Redactor(
                database,
                own_threads,
                Eraser(database, own_threads.writer),
                tenant=name,
                discard=lambda thread_id: tenants.forget(name, thread_id),
            ),
            forker=Forker(
                database,
                database,
                reader,
                Eraser(database, own_threads.writer),
                tenant=name,
                clock=wall_clock,
                new_id=Ulids(wall_clock, randbits),
            ),
            comparer=Comparer(views),
            run_sets=RunSets(views),
            traces=TraceIngest(own_threads),
            subscriptions=subscriptions,
            queue=Queue(database, subscriptions, reader, tenant=name),
            imports=imports,
            uploads=Uploads(
                Spool(
                    import_dir,
                    tenant=name,
                    most_bytes=MAX_IMPORT_BYTES,
                    most_file_bytes=MAX_IMPORT_FILE_BYTES,
                ),
                queue,
                own_threads,
                imports,
                tenant=name,
                access=database.write_access,
                rehearse=lambda: Rehearsal(
                    database,
                    Preparer(clock=Clock(), new_id=Ids()),
                    reader=reader,
                    writer=own_threads.writer,
                    blobs=own_threads.blobs,
                    tenant=name,
                ),
            ),
            histories=OpenHistories(
                own_threads, views, tenant=name, recent=RecentReaders(most_bytes=2**20)
            ),
        )

    tenants = Tenants(tenant_of)

    return create_app(
        tenants,
        database,
        own=TENANT,
        entrance=entrance_over(database, listener, anonymous=anonymous, audited=audited),
        projection_status=ProjectionStatus(database, listener),
        writer=threads.writer,
        max_body_bytes=MAX_BODY_BYTES,
        max_blob_bytes=MAX_BLOB_BYTES,
        limits=limits,
        addresses=addresses,
        gateway_url=gateway_url,
        access_log=access_log,
    )


def following_of(app: FastAPI) -> TenantFollowers:
    """Return all who follow the tests' log over an application."""
    followings: Followers = app.state.followings
    return followings.of(TENANT)


def end_following(app: FastAPI) -> None:
    """Stop the hub of an application and its listener, in case that anybody followed."""
    tenants: Tenants = app.state.tenants
    tenants.close()
    app.state.projection_status.listener.close()


@pytest.fixture
def threads(database: Database) -> Threads:
    """The threads that the application serves."""
    return threads_over(database)


@pytest.fixture
def views(app: FastAPI) -> Views:
    """The views that the application serves."""
    tenants: Tenants = app.state.tenants
    return tenants[TENANT].views


@pytest.fixture
def app(database: Database, threads: Threads) -> Iterator[FastAPI]:
    """The application."""
    app = app_over(database, threads)
    yield app
    end_following(app)


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    """A client in this process; what the application does not catch is raised."""
    with TestClient(app) as opened:  # one event loop for all its requests
        yield opened


@pytest.fixture
def refusals(client: TestClient, database: Database) -> Refusals:
    """Asks for what is refused, and sees that nothing is written."""
    return Refusals(client, database)
