"""Proofs: audits, chains, evidence, checkpoints."""

from agentlog_client.models import Audit, Chain, Checkpoint, Consistency, Inclusion
from agentlog_client.operation import Json, Listing, Operation, as_model, as_page, request


def audit_thread(thread_id: str) -> Operation[Audit]:
    """Check a thread's links, contents and proofs."""
    return Operation(request("GET", "/v1/threads/{}/audit", thread_id), as_model(Audit))


def chain(
    thread_id: str, *, after: int | None = None, limit: int | None = None
) -> Operation[Chain]:
    """Read the links of a thread, and what they cover."""
    asked = request(
        "GET", "/v1/threads/{}/chain", thread_id, query={"after": after, "limit": limit}
    )
    return Operation(asked, as_model(Chain))


def evidence(thread_id: str) -> Operation[Json]:
    """Read a thread with all its proofs, which verify offline."""
    return Operation(
        request("GET", "/v1/threads/{}/evidence", thread_id), lambda answer: answer.json()
    )


def proof(
    thread_id: str, message_id: str, *, checkpoint: int | None = None
) -> Operation[Inclusion]:
    """Read the proof that a checkpoint covers a message."""
    asked = request(
        "GET",
        "/v1/threads/{}/messages/{}/proof",
        thread_id,
        message_id,
        query={"checkpoint": checkpoint},
    )
    return Operation(asked, as_model(Inclusion))


def checkpoints(*, after: str | None = None, limit: int | None = None) -> Listing[Checkpoint]:
    """List signed checkpoints."""
    asked = request("GET", "/v1/checkpoints", query={"after": after, "limit": limit})
    return Listing(asked, as_page(Checkpoint))


def latest_checkpoint() -> Operation[Checkpoint]:
    """Read the newest checkpoint."""
    return Operation(request("GET", "/v1/checkpoints/latest"), as_model(Checkpoint))


def consistency(begin: int, end: int) -> Operation[Consistency]:
    """Read the proof that the log of one checkpoint goes on in that of another."""
    asked = request("GET", "/v1/checkpoints/consistency", query={"from": begin, "to": end})
    return Operation(asked, as_model(Consistency))
