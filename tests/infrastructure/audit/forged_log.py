"""A log with all there is to forge, and what who checks it holds."""

from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from agentlog.api.shapes.threads import bare_view_json
from agentlog.domain.json.text import print_bytes
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.audit.findings import check_all_tenants
from agentlog.infrastructure.audit.notes import Checkpoint
from agentlog.infrastructure.audit.proofs import Proofs
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.derived_audit import DerivedAuditor
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.forks.forker import Forker
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.schema_audit import audit_schema
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.projections.readmodels.registry import READ_MODELS
from agentlog.projections.registry import VIEWS
from tests.infrastructure.appends import STORY, TENANT, Clock, Ids, calls, given, reply
from tests.infrastructure.precomputed import precompute
from tests.infrastructure.readmodels.tables import catch_up

PROMPT = "You are a careful agent. " * 40
FILE, OTHER = b"a first file " * 100, b"a second file " * 100
KEY = b"not in the database"
TILE = 16
"""Of the tests: a log of some seventy events has tiles."""

By = Literal["verify", "verify --derived", "what you hold", "no reader"]


@dataclass(frozen=True)
class Log:
    """A log with all there is to change, and what who checks it holds."""

    database: Database
    proofs: Proofs
    derived: DerivedAuditor
    threads: Threads
    views: Views
    held: Checkpoint

    @classmethod
    def on(cls, database: Database, key: SigningKey, held: Checkpoint | None = None) -> "Log":
        reader = LogReader(database, tenant=TENANT)
        snapshots = Snapshots(database, tenant=TENANT, key=KEY, interval=5, share=100)
        proofs = Proofs.over(database, tenant=TENANT, key=key)
        threads = Threads(
            reader=reader,
            writer=Writer(database, clock=Clock(), new_id=Ids()),
            blobs=Blobs(database, tenant=TENANT),
            tenant=TENANT,
        )
        views = Views(reader, tenant=TENANT, snapshots=snapshots)
        derived = DerivedAuditor(database, reader, snapshots, tenant=TENANT)
        return cls(database, proofs, derived, threads, views, held or Checkpoint("", 0, b""))

    def findings(self, *, by: By, since: Checkpoint | None = None) -> set[str]:
        """Return what does not pass, as `agentlog verify` finds it with these options."""
        auditor, holding = self.proofs.auditor, by == "what you hold"
        public_key = self.proofs.checkpoints.public_key() if holding else None
        held = [self.held] if holding else []
        audits = dict(auditor.log(held, public_key=public_key, since=since))
        findings = [finding for audit in audits.values() for finding in audit.findings]
        findings += check_all_tenants(self.database).audit.findings
        derived = by in {"verify --derived", "no reader"}
        findings += audit_schema(self.database, derived=derived)
        if by in {"verify --derived", "no reader"}:
            threads = [thread_id for thread_id in audits if thread_id is not None]
            findings += [finding for thread in threads for finding in self.derived.thread(thread)]
            findings += [*self.derived.around(), *self.derived.unchecked()]
        return {finding.what for finding in findings if finding.verdict != "whole"}

    def shown(self) -> dict[str, bytes]:
        """Return what readers are shown of the threads, in every view."""
        return {
            f"{thread} {name}": print_bytes(bare_view_json(self.views.view(thread, view())))
            for thread in ("t", "many")
            for name, view in VIEWS.items()
        }


def fill(log: Log) -> None:
    threads = log.threads
    metadata = {"team": "x", "passed": True, "reward": 1}
    goal = {"policy": "record", "goal": "Find the parcel", "metadata": metadata}
    threads.start("t", goal)
    threads.append("t", [{"type": "system", "text": PROMPT}])
    threads.append("t", [reply("It costs seventy.", metadata={"actor": "a"}), *STORY])
    threads.append("strict", [reply("one"), calls("a"), reply("two")])
    files = [{"data": b64encode(content).decode()} for content in (FILE, OTHER)]
    threads.append("files", [{"type": "input", "text": "both", "files": files}])
    usage = {"inputTokens": 10, "outputTokens": 5}
    secret = [
        {"type": "llm_response", "usage": usage, "id": given(1)},
        reply("a secret", id=given(2), metadata={"responseId": "r"}),
        reply("a secret", id=given(3)),
    ]
    threads.append("redacted", secret)
    threads.append("gone", [reply("a secret"), calls("gone")])
    threads.append("single", [reply("a secret", id=given(4))])
    threads.append("many", [reply(str(number)) for number in range(2 * TILE)])
    eraser = Eraser(log.database, threads.writer)
    ids = Ids()
    forker = Forker(
        log.database,
        log.database,
        LogReader(log.database, tenant=TENANT),
        eraser,
        tenant=TENANT,
        clock=Clock(),
        new_id=lambda: "2" + ids()[1:],
    )
    forker.fork("redacted", AtVersion(2), as_thread="copied")
    redactor = Redactor(log.database, threads, eraser, tenant=TENANT)
    redactor.redact("redacted", [given(1), given(2), given(3)], "asked for")
    redactor.redact("gone", None, "asked for")
    redactor.redact("single", [given(4)], "asked for")
    redactor.redact_file(sha256(FILE).hexdigest(), "asked for")
    for model in READ_MODELS.values():
        catch_up(log.database, model, most_events=500)
    for thread in ("t", "many"):
        precompute(log.views, thread, *(view() for view in VIEWS.values()))
    log.shown()
