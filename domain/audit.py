"""Checking a thread's chain anew: what each event says against the one before, as findings.

Digests come in as data, so that whoever checks need not hold the contents: a database, or a bundle
that came by mail.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from domain.catalogue import read_stored
from domain.chain import GENESIS, link
from domain.facts import ThreadRedacted
from domain.json_text import parse_stored

What = Literal[
    "content-missing",
    "redaction-unfounded",
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
    `redacted` is the version of the redaction by which the content went; then `left` says that what
    stands in its place is no more than a skeleton.
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
    redacted: int | None = None
    left: bool = True

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
    if record.redacted is not None:
        detail = f"it was redacted by version {record.redacted}; its hash is still in the chain"
        add("content-missing", detail)
    elif record.found_digest is None:
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


class Redactions:
    """What says of itself that it was redacted, against the redactions of its thread."""

    def __init__(self, thread_id: str) -> None:
        self._thread_id = thread_id
        self._marked: dict[int, list[Record]] = {}
        self._facts: dict[int, ThreadRedacted] = {}

    def take(self, record: Record, body: bytes | None) -> None:
        """Take in the next event of the thread."""
        if record.redacted is not None:
            self._marked.setdefault(record.redacted, []).append(record)
        elif record.type == "thread.redacted" and body is not None:
            fact = _redaction_in(body)
            if fact is not None:
                self._facts[record.version] = fact

    def findings(self) -> list[Finding]:
        """Return what was blanked though no redaction says so, once all events are taken in."""
        found: list[Finding] = []
        for version, records in self._marked.items():
            fact = self._facts.get(version)
            named = frozenset(() if fact is None else fact.messages)
            for each in records:
                founded = fact is not None and (fact.all or each.message_id in named)
                if not founded or version <= each.version or each.type == "thread.redacted":
                    detail = f"it says that version {version} redacted it, which does not say so"
                    found.append(
                        Finding("redaction-unfounded", detail, self._thread_id, each.version)
                    )
                elif fact is not None and fact.blob is None and not each.left:
                    detail = "it was redacted, and something else was put in its place"
                    found.append(Finding("body-altered", detail, self._thread_id, each.version))
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


def _redaction_in(body: bytes) -> ThreadRedacted | None:
    try:
        raw = parse_stored(body)
    except ValueError:
        return None
    found = read_stored("thread.redacted", raw) if isinstance(raw, dict) else None
    return found if isinstance(found, ThreadRedacted) else None


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
