"""Check of a bundle of evidence by itself, without database or service."""

from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agentlog.domain.errors import InvalidInput, InvalidJson
from agentlog.domain.integrity.chain_audit import (
    ChainPlace,
    ChainRecord,
    Finding,
    check_names,
    check_record,
)
from agentlog.domain.integrity.hash_chain import digest
from agentlog.domain.integrity.merkle_tree import is_included, leaf_hash
from agentlog.domain.integrity.redaction_audit import Redactions, redaction_in
from agentlog.domain.json.text import parse
from agentlog.infrastructure.audit.evidence import FORMAT, ChainedEvent, bundle_time
from agentlog.infrastructure.audit.findings import CheckResult
from agentlog.infrastructure.audit.notes import (
    Checkpoint,
    InvalidNote,
    InvalidVerifierKey,
    VerifierKey,
    from_base64,
    has_one_spelling,
    open_note,
    origin_of,
)


class InvalidBundle(InvalidInput):
    """The file is no bundle of evidence."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"this is no bundle of evidence: {reason}; `agentlog evidence THREAD` writes one"
        )
        self.reason = reason


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class _Inclusion(_Frozen):
    leaf_index: int = Field(alias="leafIndex")
    tree_size: int = Field(alias="treeSize")
    path: list[str]


class _Bundle(_Frozen):
    format: str
    tenant: str
    thread_id: str = Field(alias="threadId")
    version: int
    inclusion: _Inclusion
    checkpoint: str
    public_key: str = Field(alias="publicKey")
    events: list[ChainedEvent]


@dataclass(frozen=True, slots=True)
class BundleVerdict(CheckResult):
    """The result of a bundle's check: its thread, its extent, and the findings.

    `public_key` is the key it was checked by, as text; `size` that of the checkpoint.
    """

    tenant: str
    thread_id: str
    version: int
    size: int
    public_key: str


def check_bundle(
    text: bytes, *, public_key: VerifierKey | None = None, held: Checkpoint | None = None
) -> BundleVerdict:
    """Check a bundle; `public_key` and `held` are those that the auditor has from elsewhere.

    Raises:
        InvalidBundle: the text is no bundle.
    """
    try:
        parse(text)  # refuses an object with a key twice, which readers take differently
        bundle = _Bundle.model_validate_json(text)
    except InvalidJson as error:
        raise InvalidBundle(str(error)) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidBundle(f"{where}: {first['msg']}" if where else first["msg"]) from error
    if bundle.format != FORMAT:
        raise InvalidBundle(f"its format is {bundle.format[:64]!r}, not {FORMAT!r}")
    try:
        enclosed = VerifierKey.parse(bundle.public_key)
        inclusion, checkpoint = bundle.inclusion, Checkpoint.parse(bundle.checkpoint)
        path = [from_base64(text) for text in inclusion.path]
        events = [_record(bundle, event) for event in bundle.events]
    except (InvalidVerifierKey, InvalidNote, ValueError) as error:
        raise InvalidBundle(str(error)) from error
    if enclosed.text != bundle.public_key or (
        "\n\n" in bundle.checkpoint and not has_one_spelling(bundle.checkpoint)
    ):
        raise InvalidBundle("its key or checkpoint is not written as a bundle has it")
    findings = _signature_findings(bundle, enclosed, public_key or enclosed)
    findings += check_names(bundle.tenant, bundle.thread_id)
    stated = {
        record.version: redaction_in(body)
        for record, body in events
        if record.type == "thread.redacted" and body is not None
    }
    facts = {version: fact for version, fact in stated.items() if fact is not None}
    redactions = Redactions(bundle.thread_id, facts, pending=facts)
    chain_end = ChainPlace()
    for record, _ in events:
        findings += check_record(chain_end, record)
        findings += redactions.check(record)
        chain_end = record.place
    if chain_end.version != bundle.version or not events:
        detail = f"it says version {bundle.version}, its events end with {chain_end.version}"
        findings.append(Finding("incomplete", detail, bundle.thread_id, chain_end.version))
    if inclusion.tree_size != checkpoint.size or not is_included(
        leaf_hash(chain_end.chain),
        index=inclusion.leaf_index,
        size=checkpoint.size,
        path=path,
        root=checkpoint.root,
    ):
        detail = "the proof does not lead from the thread's last link to the checkpoint's root"
        findings.append(Finding("not-included", detail, bundle.thread_id, chain_end.version))
    if held is not None and held != checkpoint:
        detail = (
            f"its checkpoint, of size {checkpoint.size}, is not the one that you hold, of size "
            f"{held.size}"
        )
        findings.append(Finding("other-checkpoint", detail))
    return BundleVerdict(
        tenant=bundle.tenant,
        thread_id=bundle.thread_id,
        version=chain_end.version,
        size=checkpoint.size,
        public_key=(public_key or enclosed).text,
        findings=findings,
    )


def _signature_findings(
    bundle: _Bundle, enclosed: VerifierKey, trusted: VerifierKey
) -> list[Finding]:
    findings = []
    if enclosed != trusted:
        findings.append(Finding("other-key", "its public key is not the one that you hold"))
    try:
        signed = open_note(bundle.checkpoint, trusted)
    except InvalidNote as error:
        return [*findings, Finding("signature-invalid", f"its checkpoint: {error.reason}")]
    if signed.origin != origin_of(bundle.tenant):
        detail = f"its checkpoint is of {signed.origin!r}, not of tenant {bundle.tenant!r}"
        findings.append(Finding("other-checkpoint", detail))
    return findings


def _record(bundle: _Bundle, event: ChainedEvent) -> tuple[ChainRecord, bytes | None]:
    """Return an event with digests in place of its contents, and its body."""
    body = None if event["body"] is None else from_base64(event["body"])
    metadata = b"" if event["metadata"] is None else from_base64(event["metadata"])
    redacted, erased = event.get("redacted"), event.get("metadataSha256")
    left = event.get("leftSha256")
    metadata_digest = digest(metadata) if redacted is None or erased is None else _hash(erased)
    record = ChainRecord(
        tenant=bundle.tenant,
        thread_id=bundle.thread_id,
        version=event["version"],
        position=event["position"],
        type=event["type"],
        message_id=event["messageId"],
        recorded_at=_time(event["recordedAt"]),
        body_digest=_hash(event["bodySha256"]),
        found_digest=None if body is None else digest(body),
        metadata_digest=None if event["metadata"] == "" else metadata_digest,
        chain=_hash(event["chain"]),
        left=None if left is None else _hash(left),
        redacted=redacted,
        is_redacted_form=body is None and event["metadata"] is None,
        is_without_file=body is None and event["metadata"] is None,
    )
    return record, body


def _time(text: str | None) -> datetime | None:
    time = None if text is None else datetime.fromisoformat(text)
    if time is not None and (time.tzinfo is None or bundle_time(time) != text):
        raise ValueError(f"{text} is not written as a bundle has it")
    return time


def _hash(text: str) -> bytes:
    data = bytes.fromhex(text)
    if data.hex() != text:
        raise ValueError(f"{text} is not written as a bundle has it")
    return data
