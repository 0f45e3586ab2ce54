"""Checking a thread's chain anew: what each event says against the one before, as findings.

Digests come in as data, so that whoever checks need not hold the contents: a database, or a bundle
that came by mail.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from domain.chain import GENESIS, link

What = Literal[
    "content-missing",
    "body-altered",
    "link-broken",
    "version-missing",
    "position-not-growing",
    "head-differs",
    "head-missing",
    "tree-differs",
    "tile-differs",
    "signature-invalid",
    "other-key",
    "other-checkpoint",
    "not-included",
    "incomplete",
]
"""What can be found; everything but `content-missing` says that the record is not what it was."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as it was written; `thread_id` and `version` where it is about one."""

    what: What
    detail: str
    thread_id: str | None = None
    version: int | None = None

    @property
    def breaks(self) -> bool:
        """Whether the record is broken; a content that is gone leaves its hash, and the chain."""
        return self.what != "content-missing"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a chain stands: just after an event, or before the first."""

    version: int = 0
    position: int = 0
    chain: bytes = GENESIS


@dataclass(frozen=True, slots=True)
class Record:
    """An event as it is stored, with digests in place of its contents.

    `found_digest` is of the body that is there, None where some of it is missing; `body_digest` is
    what the event says that it is. `recorded_at` is None where what is stored is no time.
    """

    tenant: str
    thread_id: str
    version: int
    position: int
    type: str
    message_id: str
    recorded_at: datetime | None
    body_digest: bytes
    found_digest: bytes | None
    metadata_digest: bytes
    chain: bytes

    @property
    def place(self) -> Place:
        """Where its thread stands after it."""
        return Place(self.version, self.position, self.chain)


def check_record(before: Place, record: Record) -> list[Finding]:
    """Return what is wrong with an event that follows `before`.

    The chain goes on from what is stored, so that each break is found once, where it is.
    """
    found: list[Finding] = []

    def add(what: What, detail: str, version: int = record.version) -> None:
        found.append(Finding(what, detail, record.thread_id, version))

    missing = record.version - before.version - 1
    if missing > 0:
        first, last = before.version + 1, record.version - 1
        gone = f"version {first} is" if missing == 1 else f"versions {first} to {last} are"
        add("version-missing", f"{gone} not there", first)
    if record.position <= before.position:
        detail = f"position {record.position} does not come after {before.position}"
        add("position-not-growing", detail)
    if record.found_digest is None:
        add("content-missing", "some of its content is gone; its hash is still in the chain")
    elif record.found_digest != record.body_digest:
        add("body-altered", "its body is not the one that its SHA-256 is of")
    # after a gap there is nothing that it could follow
    if missing <= 0 and (record.recorded_at is None or _link(before, record) != record.chain):
        add(
            "link-broken",
            "its link does not follow: its place, type, id, time, metadata or hash is another "
            "than was chained, or the link before it is",
        )
    return found


def check_head(thread_id: str, last: Place, head: Place | None) -> list[Finding]:
    """Return what is wrong with a thread's head after its last event."""
    if head is None:
        return [Finding("head-missing", "the thread has events but no head", thread_id)]
    names = [
        name
        for name in ("version", "position", "chain")
        if getattr(last, name) != getattr(head, name)
    ]
    if not names:
        return []
    detail = (
        f"the head has another {' and '.join(names)} than the last event: it says version "
        f"{head.version} at position {head.position}, the events end with version {last.version} "
        f"at position {last.position}"
    )
    return [Finding("head-differs", detail, thread_id, last.version)]


def broken(findings: Iterable[Finding]) -> bool:
    """Return whether any of the findings says that the record is not what it was."""
    return any(each.breaks for each in findings)


def _link(before: Place, record: Record) -> bytes | None:
    if record.recorded_at is None:
        return None
    return link(
        before.chain,
        tenant=record.tenant,
        thread_id=record.thread_id,
        version=record.version,
        position=record.position,
        type_name=record.type,
        message_id=record.message_id,
        recorded_at=record.recorded_at,
        body_digest=record.body_digest,
        metadata_digest=record.metadata_digest,
    )
