"""Verification of a restored log: chains, trees, checkpoints, counts."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from agentlog.domain.errors import InvalidInput
from agentlog.domain.integrity.chain_audit import Finding, Verdict, verdict_of
from agentlog.infrastructure.audit.accounts import check_all_tenants
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.audit.notes import (
    Checkpoint,
    InvalidNote,
    VerifierKey,
    from_base64,
    open_note,
    origin_of,
)
from agentlog.infrastructure.audit.threads.processes import AuditProcesses
from agentlog.infrastructure.backup.contents import LogContents, Progress, contents_of
from agentlog.infrastructure.backup.manifest import BackupManifest, TenantLog
from agentlog.infrastructure.postgres.database import Database


@dataclass(frozen=True, slots=True)
class _Held:
    """The key and checkpoint known from elsewhere, None if there is none."""

    public_key: VerifierKey | None
    checkpoint: Checkpoint | None


@dataclass(frozen=True, slots=True)
class BackupVerdict:
    """The result of a verification: the size of the log, and its findings by tenant."""

    tenants: int
    threads: int
    events: int
    findings: Sequence[tuple[str, Finding]]
    differences: Sequence[str]
    count: int
    """The number of findings; not all of a thread's are kept."""

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of the findings; a difference from the backup breaks it."""
        return "broken" if self.differences else verdict_of(finding for _, finding in self.findings)


def verify_backup(  # noqa: PLR0913 - what is checked, and by what
    database: Database,
    manifest: BackupManifest,
    *,
    public_key: VerifierKey | None,
    checkpoint: Checkpoint | None,
    processes: AuditProcesses,
    progress: Progress,
) -> BackupVerdict:
    """Check the log in the database against itself, the manifest, and what is held elsewhere.

    `processes` have the database's URL.
    """
    held = _Held(public_key, checkpoint)
    with database.connection() as connection, connection.transaction():
        connection.execute("SET LOCAL statement_timeout = 0")
        contents = contents_of(connection, progress, checked=False)
    findings: list[tuple[str, Finding]] = []
    differences = list(_differences(contents, manifest, held))
    threads = count = 0
    expected = {tenant.tenant: tenant for tenant in manifest.tenants}
    for tenant in contents.tenants:
        auditor = Auditor(database, tenant=tenant.tenant)
        notes, key = _held_of(tenant.tenant, expected.get(tenant.tenant), held)
        for thread_id, audit in auditor.log(notes, public_key=key, processes=processes):
            threads, count = threads + (thread_id is not None), count + audit.count
            findings += [(tenant.tenant, finding) for finding in audit.findings]
            progress("threads", threads, None)
    log = check_all_tenants(database, public_key=public_key)
    findings += [("", finding) for finding in log.audit.findings]
    differences += [
        f"tenant {tenant!r} has {events} events and no threads"
        for tenant, events in log.events.items()
        if tenant not in {tenant.tenant for tenant in contents.tenants}
    ]
    return BackupVerdict(
        tenants=len(contents.tenants),
        threads=threads,
        events=sum(tenant.events for tenant in contents.tenants),
        findings=findings,
        differences=differences,
        count=count + log.audit.count,
    )


def _held_of(
    tenant: str, expected: TenantLog | None, held: _Held
) -> tuple[list[Checkpoint], VerifierKey | None]:
    """Return the checkpoints and the key by which a tenant's log is checked."""
    notes = []
    if expected is not None and expected.checkpoint is not None:
        with suppress(InvalidNote):  # which is among the differences
            notes.append(Checkpoint.parse(expected.checkpoint))
    if held.checkpoint is not None and held.checkpoint.origin == origin_of(tenant):
        notes.append(held.checkpoint)
    key = held.public_key
    return notes, key if key is not None and key.name == origin_of(tenant) else None


def _differences(contents: LogContents, manifest: BackupManifest, held: _Held) -> Iterator[str]:
    """Yield the database's differences from the manifest and from what is held."""
    if contents.position != manifest.position:
        yield f"the log is at position {contents.position}, not {manifest.position}"
    if [move.note for move in contents.moves] != manifest.moves:
        yield "the record of moved tenants is not the one of the backup"
    here = {tenant.tenant: tenant for tenant in contents.tenants}
    there = {tenant.tenant: tenant for tenant in manifest.tenants}
    for tenant in sorted(here.keys() ^ there.keys()):
        yield f"tenant {tenant!r} is {'not in the backup' if tenant in here else 'missing'}"
    for tenant in sorted(here.keys() & there.keys()):
        ours, theirs = here[tenant], there[tenant]
        for name in ("threads", "events"):
            if getattr(ours, name) != getattr(theirs, name):
                yield (
                    f"tenant {tenant!r} has {getattr(ours, name)} {name}, "
                    f"not {getattr(theirs, name)}"
                )
        if ours.root != _root(theirs.root):
            yield f"tenant {tenant!r}: the tree over all events is not the one of the backup"
        yield from _signature(theirs, held)
    if held.checkpoint is not None and held.checkpoint.origin not in map(origin_of, here):
        yield f"there is no log of {held.checkpoint.origin!r}, of which you hold a checkpoint"


def _root(text: str) -> bytes | None:
    with suppress(ValueError):
        return from_base64(text)
    return None


def _signature(log: TenantLog, held: _Held) -> Iterator[str]:
    """Yield the findings about the backup's checkpoint."""
    if log.checkpoint is None or log.public_key is None:
        return
    key = held.public_key
    try:
        if key is None or key.name != origin_of(log.tenant):
            key = VerifierKey.parse(log.public_key)
        signed = open_note(log.checkpoint, key)
    except InvalidInput as error:
        yield f"tenant {log.tenant!r}: {error}"
        return
    if (signed.size, signed.root) != (log.events, _root(log.root)):
        yield f"tenant {log.tenant!r}: the checkpoint of the backup is over another log"
