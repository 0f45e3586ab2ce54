"""Audits, chains, checkpoints and proofs as JSON, for HTTP and the command line."""

from typing_extensions import TypedDict

from agentlog.api.shapes.shape import Shape, shaped
from agentlog.domain.integrity.chain_audit import Verdict, What
from agentlog.domain.json.answers import TimeText, time_text
from agentlog.infrastructure.audit import checkpoints, findings
from agentlog.infrastructure.audit.evidence import ChainedEvent, ChainPage
from agentlog.infrastructure.audit.notes import VerifierKey, origin_of, to_base64


class Finding(Shape):
    """What is not as it was written."""

    what: What
    breaks: bool
    version: int | None
    detail: str


class Audit(TypedDict):
    """What is not as it was written, the first thousand of it.

    A content that was erased is a finding that breaks nothing. `whole` says whether the `verdict`
    is that; a thread of which a redaction is not carried out yet is neither whole nor broken.
    """

    threadId: str
    verdict: Verdict
    whole: bool
    events: int
    findingCount: int
    findings: list[Finding]


class ChainLink(TypedDict):
    """A version and its link in hexadecimal; 32 zero bytes at version 0, before the first event."""

    version: int
    chain: str


class Chain(TypedDict):
    """A page of a thread's events as they were chained: all that their links are computed from.

    The chain is whole if it leads from `previous` by each item to `head`. `previous` is null where
    the log has no event of that version.
    """

    tenant: str
    threadId: str
    head: ChainLink
    previous: ChainLink | None
    items: list[ChainedEvent]
    next: str | None


class Checkpoint(TypedDict):
    """A signed note (c2sp.org/tlog-checkpoint) over the first `size` events.

    The note is authoritative, the other fields repeat it for reading.
    """

    size: int
    position: int
    root: str
    note: str
    publicKey: str
    madeAt: TimeText


class Inclusion(TypedDict):
    """The proof that a message is in a checkpoint."""

    leafIndex: int
    leafHash: str
    path: list[str]
    checkpoint: Checkpoint


_Ends = TypedDict("_Ends", {"from": Checkpoint, "to": Checkpoint})


class Consistency(_Ends):
    """The proof that the log of one checkpoint begins with that of another."""

    path: list[str]


def audit_json(thread_id: str, audit: findings.Audit) -> Audit:
    """Return the result of a thread's audit."""
    findings = [Finding.of(finding) for finding in audit.findings]
    return shaped(Audit, audit, threadId=thread_id, findingCount=audit.count, findings=findings)


def chain_json(page: ChainPage) -> Chain:
    """Return a page of a thread's chain."""
    head, events, previous = page.head, page.events, page.previous
    last = events[-1]["version"] if events else head.version
    return {
        "tenant": head.tenant,
        "threadId": head.thread_id,
        "head": {"version": head.version, "chain": head.chain.hex()},
        "previous": None if previous is None else {"version": page.after, "chain": previous.hex()},
        "items": [*events],
        "next": None if last >= head.version else str(last),
    }


def checkpoint_json(checkpoint: checkpoints.SignedCheckpoint, *, tenant: str) -> Checkpoint:
    """Return a checkpoint."""
    return shaped(
        Checkpoint,
        checkpoint,
        root=to_base64(checkpoint.root),
        publicKey=VerifierKey(origin_of(tenant), checkpoint.public_key).text,
        madeAt=time_text(checkpoint.made_at),
    )


def inclusion_json(inclusion: checkpoints.Inclusion, *, tenant: str) -> Inclusion:
    """Return the proof that a message is in a checkpoint."""
    return {
        "leafIndex": inclusion.index,
        "leafHash": to_base64(inclusion.leaf),
        "path": [to_base64(digest) for digest in inclusion.path],
        "checkpoint": checkpoint_json(inclusion.checkpoint, tenant=tenant),
    }


def consistency_json(consistency: checkpoints.Consistency, *, tenant: str) -> Consistency:
    """Return the proof that the log of one checkpoint begins with that of another."""
    return {
        "from": checkpoint_json(consistency.first, tenant=tenant),
        "to": checkpoint_json(consistency.second, tenant=tenant),
        "path": [to_base64(digest) for digest in consistency.path],
    }
