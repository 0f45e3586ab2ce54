"""Verifies a thread's hash chain, event by event, and returns findings.

Digests are arguments, so that contents are not needed: records come from a database or from an
evidence file.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from agentlog.domain.identifiers import is_message_id, is_thread_id
from agentlog.domain.integrity.hash_chain import GENESIS, link

What = Literal[
    "content-redacted",
    "content-missing",
    "redaction-unfounded",
    "redaction-undone",
    "redaction-unfinished",
    "erasure-differs",
    "body-altered",
    "link-broken",
    "version-missing",
    "position-not-growing",
    "position-missing",
    "move-differs",
    "not-appendable",
    "rows-unaccounted",
    "fork-differs",
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
    "definition-differs",
    "definition-unchecked",
]
"""Codes of findings."""

Verdict = Literal["whole", "not all checked", "not finished", "broken"]
"""The result of a check: it passes only if whole."""

_FROM_BEST: tuple[Verdict, ...] = get_args(Verdict)
_VERDICTS: Mapping[What, Verdict] = {
    "content-redacted": "whole",
    "derived-unchecked": "not all checked",
    "definition-unchecked": "not all checked",
    "redaction-unfinished": "not finished",
}
"""Verdicts of the findings that do not mean that the record is broken."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A deviation from the record; `thread_id` and `version` where it concerns one."""

    what: What
    detail: str
    thread_id: str | None = None
    version: int | None = None

    @property
    def verdict(self) -> Verdict:
        """What the finding means by itself."""
        return _VERDICTS.get(self.what, "broken")

    @property
    def breaks(self) -> bool:
        """Whether the record is broken; a redaction alone does not break it."""
        return self.verdict == "broken"


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
    digest that the event states. `recorded_at` is None where the stored value is no time,
    `metadata_digest` where it is no metadata.
    `left` has the digests of what redactions may leave, None in an event from before 0.20.0.
    `is_cut` says whether some of the body is kept apart. `redacted` is the version of the redaction
    that erased the content; then `left_digest` is of the body in its place, `is_redacted_form` and
    `is_without_file` say whether that is what a redaction of a message, or of a file, leaves, and
    `lacks` whether some of it is missing.
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
    metadata_digest: bytes | None
    chain: bytes
    left: bytes | None = None
    is_cut: bool = False
    redacted: int | None = None
    left_digest: bytes | None = None
    is_redacted_form: bool = True
    is_without_file: bool = True
    lacks: bool = False

    @property
    def place(self) -> ChainPlace:
        """The place just after this event."""
        return ChainPlace(self.version, self.position, self.chain)


def check_names(tenant: str, thread_id: str) -> list[Finding]:
    """Return the findings for a thread's tenant and id."""
    if tenant and is_thread_id(thread_id):
        return []
    detail = f"no append makes a thread {thread_id!r} of the tenant {tenant!r}"
    return [Finding("not-appendable", detail, thread_id)]


def check_record(before: ChainPlace, record: ChainRecord) -> list[Finding]:
    """Return the findings for an event that follows `before`.

    The chain continues from the stored link, so that each break is reported once.
    """
    findings: list[Finding] = []

    def add(what: What, detail: str, version: int = record.version) -> None:
        findings.append(Finding(what, detail, record.thread_id, version))

    if record.version < 1 or record.position < 1 or not is_message_id(record.message_id):
        numbers = f"version {record.version}, position {record.position}"
        add("not-appendable", f"no append makes {numbers} and the message id {record.message_id!r}")
    missing = record.version - before.version - 1
    if missing > 0:
        first, last = before.version + 1, record.version - 1
        gone = f"version {first} is" if missing == 1 else f"versions {first} to {last} are"
        add("version-missing", f"{gone} not there", first)
    if record.position <= before.position:
        detail = f"position {record.position} does not come after {before.position}"
        add("position-not-growing", detail)
    findings += _check_content(record)
    # after a gap there is no link to compare with
    if missing <= 0 and _link(before, record) != record.chain:
        add(
            "link-broken",
            "its link does not follow: its place, type, id, time, metadata or hash is another "
            "than was chained, or the link before it is",
        )
    return findings


def _check_content(record: ChainRecord) -> list[Finding]:
    """Return the findings for what an event holds."""
    findings: list[Finding] = []

    def add(what: What, detail: str) -> None:
        findings.append(Finding(what, detail, record.thread_id, record.version))

    if record.redacted is not None:
        detail = f"it was redacted by version {record.redacted}; its hash is still in the chain"
        add("content-redacted", detail)
        if record.lacks:
            add("content-missing", "some of what it left is not there")
    elif record.found_digest is None:
        add("content-missing", "some of its content is not there, and no redaction names it")
    elif record.found_digest != record.body_digest:
        add("body-altered", "its body is not the one that its SHA-256 is of")
    if record.is_cut and record.type.startswith("thread."):
        add("body-altered", "some of its body is kept apart, as it never is of a fact")
    return findings


def verdict_of(findings: Iterable[Finding]) -> Verdict:
    """Return the worst verdict of findings; whole where there are none."""
    return worst(finding.verdict for finding in findings)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of verdicts; whole where there are none."""
    return max(verdicts, key=_FROM_BEST.index, default="whole")


def _link(before: ChainPlace, record: ChainRecord) -> bytes | None:
    if record.recorded_at is None or record.metadata_digest is None:
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
        left=record.left,
    )
