"""Audits, checkpoints and proofs as JSON, for HTTP and the command line."""

from api.shapes.threads import time_text
from domain.integrity.chain_audit import Finding
from domain.json.text import JsonValue
from infrastructure.audit.auditor import Audit
from infrastructure.audit.checkpoints import Consistency, Inclusion, SignedCheckpoint
from infrastructure.audit.notes import VerifierKey, origin_of, to_base64


def audit_json(thread_id: str, audit: Audit) -> JsonValue:
    """Return the result of a thread's audit."""
    return {
        "threadId": thread_id,
        "whole": audit.whole,
        "events": audit.events,
        "findingCount": audit.count,
        "findings": [finding_json(each) for each in audit.findings],
    }


def finding_json(finding: Finding) -> JsonValue:
    """Return a finding."""
    return {
        "what": finding.what,
        "breaks": finding.breaks,
        "version": finding.version,
        "detail": finding.detail,
    }


def checkpoint_json(checkpoint: SignedCheckpoint, *, tenant: str) -> JsonValue:
    """Return a checkpoint: the note is authoritative, the other fields repeat it for reading."""
    return {
        "size": checkpoint.size,
        "position": checkpoint.position,
        "root": to_base64(checkpoint.root),
        "note": checkpoint.note,
        "publicKey": VerifierKey(origin_of(tenant), checkpoint.public_key).text,
        "madeAt": time_text(checkpoint.made_at),
    }


def inclusion_json(inclusion: Inclusion, *, tenant: str) -> JsonValue:
    """Return the proof that a message is in a checkpoint."""
    return {
        "leafIndex": inclusion.index,
        "leafHash": to_base64(inclusion.leaf),
        "path": [to_base64(each) for each in inclusion.path],
        "checkpoint": checkpoint_json(inclusion.checkpoint, tenant=tenant),
    }


def consistency_json(consistency: Consistency, *, tenant: str) -> JsonValue:
    """Return the proof that the log of one checkpoint begins with that of another."""
    return {
        "from": checkpoint_json(consistency.first, tenant=tenant),
        "to": checkpoint_json(consistency.second, tenant=tenant),
        "path": [to_base64(each) for each in consistency.path],
    }
