"""Verification of a restored log: chains, trees, checkpoints, counts, definitions."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from agentlog.domain.errors import InvalidInput
from agentlog.domain.integrity.chain_audit import Finding, Verdict, verdict_of
from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.audit.findings import check_all_tenants
from agentlog.infrastructure.audit.moves import last_of
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
from agentlog.infrastructure.schema_audit import audit_schema


@dataclass(frozen=True, slots=True)
class Known:
    """What is known from elsewhere, None if nothing is: key, checkpoint, an earlier backup's log.

    All of that log has still to be there, of every tenant that has not moved away since.
    """

    public_key: VerifierKey | None = None
    checkpoint: Checkpoint | None = None
    earlier: BackupManifest | None = None


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


def verify_backup(
    database: Database,
    manifest: BackupManifest,
    known: Known,
    *,
    processes: AuditProcesses,
    progress: Progress,
) -> BackupVerdict:
    """Check the log in the database against itself, the manifest, and what is known.

    `processes` have the database's URL.
    """
    with database.connection() as connection, connection.transaction():
        connection.execute("SET LOCAL statement_timeout = 0")
        contents = contents_of(connection, progress, checked=False)
    findings: list[tuple[str, Finding]] = []
    held = _checkpoints(contents, known)
    differences = [
        *_differences(contents, manifest, known.public_key),
        *_lost(contents, held, known.earlier),
    ]
    threads = count = 0
    expected = {tenant.tenant: tenant for tenant in manifest.tenants}
    for tenant in contents.tenants:
        auditor = Auditor(database, tenant=tenant.tenant)
        notes, key = _held_of(tenant.tenant, expected.get(tenant.tenant), held, known.public_key)
        for thread_id, audit in auditor.log(notes, public_key=key, processes=processes):
            threads, count = threads + (thread_id is not None), count + audit.count
            findings += [(tenant.tenant, finding) for finding in audit.findings]
            progress("threads", threads, None)
    log = check_all_tenants(database, public_key=known.public_key)
    schema = [*audit_schema(database, derived=False)]
    findings += [("", finding) for finding in (*log.audit.findings, *schema)]
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
        count=count + log.audit.count + len(schema),
    )


def _held_of(
    tenant: str,
    expected: TenantLog | None,
    held: Sequence[Checkpoint],
    key: VerifierKey | None,
) -> tuple[list[Checkpoint], VerifierKey | None]:
    """Return the checkpoints and the key by which a tenant's log is checked."""
    notes = []
    if expected is not None and expected.checkpoint is not None:
        with suppress(InvalidNote):  # which is among the differences
            notes.append(Checkpoint.parse(expected.checkpoint))
    notes += [checkpoint for checkpoint in held if checkpoint.origin == origin_of(tenant)]
    return notes, key if key is not None and key.name == origin_of(tenant) else None


def _checkpoints(contents: LogContents, known: Known) -> list[Checkpoint]:
    """Return the checkpoint that is held, and those over the earlier log of each tenant here."""
    held = [] if known.checkpoint is None else [known.checkpoint]
    if known.earlier is not None:
        dropped = {move.tenant for move in last_of(contents.moves) if move.step == "dropped"}
        held += [
            Checkpoint(origin_of(log.tenant), log.events, _root(log.root) or b"")
            for log in known.earlier.tenants
            if log.tenant not in dropped
        ]
    return held


def _lost(
    contents: LogContents, held: Sequence[Checkpoint], earlier: BackupManifest | None
) -> Iterator[str]:
    """Yield what is held, or was in the earlier backup, and is not in the database."""
    here = {origin_of(tenant.tenant) for tenant in contents.tenants}
    for origin in sorted({checkpoint.origin for checkpoint in held} - here):
        yield f"there is no log of {origin!r}, of which you hold a checkpoint"
    if earlier is None:
        return
    if contents.position < earlier.position:
        yield f"the log went back: from position {earlier.position} to {contents.position}"
    if lost := set(earlier.moves) - {move.note for move in contents.moves}:
        yield f"of the earlier record of moved tenants, steps are missing: {len(lost)}"


def _differences(
    contents: LogContents, manifest: BackupManifest, public_key: VerifierKey | None
) -> Iterator[str]:
    """Yield the database's differences from the manifest."""
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
        yield from _signature(theirs, public_key)


def _root(text: str) -> bytes | None:
    with suppress(ValueError):
        return from_base64(text)
    return None


def _signature(log: TenantLog, key: VerifierKey | None) -> Iterator[str]:
    """Yield the findings about the backup's checkpoint."""
    if log.checkpoint is None or log.public_key is None:
        return
    try:
        if key is None or key.name != origin_of(log.tenant):
            key = VerifierKey.parse(log.public_key)
        signed = open_note(log.checkpoint, key)
    except InvalidInput as error:
        yield f"tenant {log.tenant!r}: {error}"
        return
    if (signed.size, signed.root) != (log.events, _root(log.root)):
        yield f"tenant {log.tenant!r}: the checkpoint of the backup is over another log"
