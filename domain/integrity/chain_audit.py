"""Verifies a thread's hash chain, event by event, and returns findings.

Digests are arguments, so that contents are not needed: records come from a database or from an
evidence file.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal

from domain.catalogue import read_stored
from domain.facts import ThreadRedacted
from domain.integrity.hash_chain import GENESIS, link
from domain.json.text import parse_stored

What = Literal[
    "content-redacted",
    "content-missing",
    "redaction-unfounded",
    "redaction-undone",
    "body-altered",
    "link-broken",
    "version-missing",
    "position-not-growing",
    "position-missing",
    "head-differs",
    "head-missing",
    "ledger-differs",
    "tree-differs",
    "tile-differs",
    "checkpoint-differs",
    "signature-invalid",
    "other-key",
    "other-checkpoint",
    "not-included",
    "incomplete",
    "derived-differs",
    "derived-unchecked",
]
"""Codes of findings; all but those of `HARMLESS` mean that the record is broken."""

HARMLESS: frozenset[What] = frozenset({"content-redacted", "derived-unchecked"})
"""A content was redacted; derived data cannot be computed by this code and key."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A deviation from the record; `thread_id` and `version` where it concerns one."""

    what: What
    detail: str
    thread_id: str | None = None
    version: int | None = None

    @property
    def breaks(self) -> bool:
        """Whether the record is broken; a redaction alone does not break it."""
        return self.what not in HARMLESS


@dataclass(frozen=True, slots=True)
class ChainPlace:
    """A place in a chain: just after an event, or before the first."""

    version: int = 0
    position: int = 0
    chain: bytes = GENESIS


@dataclass(frozen=True, slots=True)
class ChainRecord:
    """A stored event with digests in place of its contents.

    `found_digest` is of the stored body, None where some of it is missing; `body_digest` is the
    digest that the event states. `recorded_at` is None where the stored value is no time.
    `redacted` is the version of the redaction that erased the content; then `left_digest` is of the
    body in its place, `is_redacted_form` says whether that is what a redaction leaves, and `lacks`
    whether some of it is missing.
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
    left_digest: bytes | None = None
    is_redacted_form: bool = True
    lacks: bool = False

    @property
    def place(self) -> ChainPlace:
        """The place just after this event."""
        return ChainPlace(self.version, self.position, self.chain)


def check_record(before: ChainPlace, record: ChainRecord) -> list[Finding]:
    """Return the findings for an event that follows `before`.

    The chain continues from the stored link, so that each break is reported once.
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
        add("content-redacted", detail)
        if record.lacks:
            add("content-missing", "some of what it left is not there")
    elif record.found_digest is None:
        add("content-missing", "some of its content is not there, and no redaction names it")
    elif record.found_digest != record.body_digest:
        add("body-altered", "its body is not the one that its SHA-256 is of")
    # after a gap there is no link to compare with
    if missing <= 0 and (record.recorded_at is None or _link(before, record) != record.chain):
        add(
            "link-broken",
            "its link does not follow: its place, type, id, time, metadata or hash is another "
            "than was chained, or the link before it is",
        )
    return found


class Redactions:
    """Compares a thread's redaction facts with its redacted events.

    `facts` are by version; they are in the chain. Those in `pending` are not executed yet. Where
    `pending` is unknown (None), unexecuted redactions give no finding.
    """

    def __init__(
        self,
        thread_id: str,
        facts: Mapping[int, ThreadRedacted],
        *,
        pending: Collection[int] | None = None,
    ) -> None:
        self._thread_id = thread_id
        self._facts = facts
        self._left = {
            (version, message_id): left
            for version, fact in facts.items()
            for message_id, left in zip(fact.messages, fact.left, strict=False)
        }
        self._left_of_all: defaultdict[int, Any] = defaultdict(sha256)
        self._named: dict[str, list[int]] = {}
        self._done = {} if pending is None else {v: f for v, f in facts.items() if v not in pending}
        for version, fact in self._done.items():
            for message_id in fact.messages:
                self._named.setdefault(message_id, []).append(version)
        self._all = max((v for v, fact in self._done.items() if fact.all), default=0)

    def check(self, record: ChainRecord) -> list[Finding]:
        """Add the thread's next event, and return its findings."""
        if record.type == "thread.redacted" and record.redacted is None:
            return []
        return [*self._unfounded(record), *self._undone(record)]

    def findings(self) -> list[Finding]:
        """Return the findings for redactions of all messages, after the last event."""
        return [
            Finding(
                "body-altered",
                f"what is left of the messages that version {version} redacted is not what it says",
                self._thread_id,
                version,
            )
            for version, found in self._left_of_all.items()
            if self._facts[version].left and found.hexdigest() != self._facts[version].left[0]
        ]

    def _unfounded(self, record: ChainRecord) -> Iterator[Finding]:
        by = record.redacted
        if by is None:
            return
        fact = self._facts.get(by)
        named = fact is not None and (fact.all or record.message_id in fact.messages)
        if fact is None or not named or by <= record.version or record.type == "thread.redacted":
            detail = f"it says that version {by} redacted it, which does not say so"
            yield self._finding("redaction-unfounded", detail, record)
            return
        left, stated = record.left_digest, self._left.get((by, record.message_id))
        if fact.all and left is not None:
            self._left_of_all[by].update(left)
        altered = left is not None and stated is not None and left.hex() != stated
        if altered or (fact.blob is None and not record.is_redacted_form):
            detail = "it was redacted, and something else was put in its place"
            yield self._finding("body-altered", detail, record)

    def _undone(self, record: ChainRecord) -> Iterator[Finding]:
        by = None if record.redacted is None else self._facts.get(record.redacted)
        if by is not None and by.blob is None:
            return
        for version in self._named.get(record.message_id, ()):
            fact = self._done[version]
            if version > record.version and (by is None or fact.blob is None):
                detail = f"version {version} redacted it, and its content is there"
                yield self._finding("redaction-undone", detail, record)
                return
        if self._all > record.version:
            detail = f"version {self._all} redacted it, and its content is there"
            yield self._finding("redaction-undone", detail, record)

    def _finding(self, what: What, detail: str, record: ChainRecord) -> Finding:
        return Finding(what, detail, self._thread_id, record.version)


def redaction_in(body: bytes) -> ThreadRedacted | None:
    """Return the redaction in a stored body; None where it is not a valid one."""
    try:
        raw = parse_stored(body)
    except ValueError:
        return None
    found = read_stored("thread.redacted", raw) if isinstance(raw, dict) else None
    return found if isinstance(found, ThreadRedacted) else None


def broken(findings: Iterable[Finding]) -> bool:
    """Return whether any finding says that the record is broken."""
    return any(each.breaks for each in findings)


def _link(before: ChainPlace, record: ChainRecord) -> bytes | None:
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
