"""Two databases with services on them, and tenants that go from one to the other."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agentlog.api.shapes.threads import bare_view_json
from agentlog.domain.identifiers import Ulids
from agentlog.domain.json.text import print_bytes
from agentlog.extensions.cells.mover import Mover
from agentlog.infrastructure.appending.append_request import AppendRequest, Outcome, wall_clock
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.audit.findings import check_all_tenants
from agentlog.infrastructure.audit.notes import Checkpoint, origin_of
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels.build_audit import rows_of_thread
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.projections.readmodels.registry import READ_MODELS
from agentlog.projections.registry import VIEWS
from tests.infrastructure.appends import Ids, fetch
from tests.infrastructure.readmodels.tables import catch_up

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
NEW_ID = Ulids(wall_clock, secrets.randbits)
_IDS = Ids()


@dataclass(frozen=True)
class Cell:
    """A database: by its owner, and by the service with its writer."""

    owner: Database
    service: Database
    writer: Writer

    def append(self, tenant: str, thread_id: str, *texts: str) -> Outcome:
        """Append replies; return what came of them."""
        drafts = [{"type": "reply", "text": text} for text in texts]
        (outcome,) = self.writer.append_many([AppendRequest(tenant, thread_id, drafts)])
        return outcome

    def mover(self, tenant: str) -> Mover:
        """What moves a tenant out of here."""
        return Mover(self.owner, tenant, KEY, NEW_ID)

    def redact(self, tenant: str, thread_id: str) -> None:
        """Erase all contents of a thread."""
        threads = Threads(
            reader=LogReader(self.service, tenant=tenant),
            writer=self.writer,
            blobs=Blobs(self.service, tenant=tenant),
            tenant=tenant,
        )
        eraser = Eraser(self.service, self.writer)
        Redactor(self.service, threads, eraser, tenant=tenant).redact(thread_id, None, "why")

    def findings(self, *tenants: str, held: Checkpoint | None = None) -> list[str]:
        """Return what an audit of these tenants and of the whole log finds."""
        audits = [check_all_tenants(self.owner).audit]
        for tenant in tenants:
            notes = [] if held is None or held.origin != origin_of(tenant) else [held]
            audits += [audit for _, audit in Auditor(self.owner, tenant=tenant).log(notes)]
        return [
            f"{finding.what}: {finding.detail}"
            for audit in audits
            for finding in audit.findings
            if finding.verdict != "whole"
        ]

    def views(self, tenant: str, thread_id: str) -> dict[str, bytes]:
        """Return every view of a thread."""
        reader = LogReader(self.owner, tenant=tenant)
        snapshots = Snapshots(self.owner, tenant=tenant, key=b"key", interval=5, share=100)
        views = Views(reader, tenant=tenant, snapshots=snapshots)
        return {
            name: print_bytes(bare_view_json(views.view(thread_id, view())))
            for name, view in VIEWS.items()
        }

    def rows(self, tenant: str, thread_id: str) -> dict[str, list[object]]:
        """Return a thread's rows in every read model, filled up to the log."""
        for model in READ_MODELS.values():
            catch_up(self.owner, model, most_events=500)
        tables = fetch(self.owner, "SELECT name, name || '_' || build FROM agentlog.projections")
        with self.owner.connection() as connection:
            return {
                name: [row for (row,) in rows_of_thread(connection, table, tenant, thread_id)]
                for name, table in tables
            }


@contextmanager
def cell_on(url: str) -> Iterator[Cell]:
    """Yield a cell on a migrated database."""
    with Database(url, pool_size=4) as owner, Database(url, pool_size=4, in_role=True) as service:
        yield Cell(owner, service, Writer(service, clock=lambda: 1_767_268_800_000, new_id=_IDS))
