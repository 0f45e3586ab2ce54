"""Routes of audits, chains, evidence, checkpoints and proofs."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Annotated

from fastapi import Query, Request, Response
from starlette.responses import StreamingResponse

from agentlog.api.http.codec.caller import TheTenant, tenant_of
from agentlog.api.http.codec.parameters import After, Limit, MessageId, ThreadId, number_cursor
from agentlog.api.http.codec.responses import json_answer, page_answer
from agentlog.api.http.openapi.answers import answers
from agentlog.api.http.routing import Router
from agentlog.api.shapes.proofs import (
    Audit,
    Chain,
    Checkpoint,
    Consistency,
    Inclusion,
    audit_json,
    chain_json,
    checkpoint_json,
    consistency_json,
    inclusion_json,
)
from agentlog.api.shapes.shape import Page
from agentlog.domain.integrity.chain_audit import Finding
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.audit.checkpoints import LogContradicted
from agentlog.infrastructure.audit.proofs import Proofs
from agentlog.infrastructure.subscriptions.conditions import note_audit

router = Router(prefix="/v1", tags=["proof"])

Size = Annotated[
    int | None,
    Query(
        ge=0,
        le=BIGGEST,
        alias="checkpoint",
        description="Size of the checkpoint; the latest where none is named.",
    ),
]
From = Annotated[
    int, Query(alias="from", ge=0, le=BIGGEST, description="Size of the earlier checkpoint.")
]
To = Annotated[
    int, Query(alias="to", ge=0, le=BIGGEST, description="Size of the later checkpoint.")
]


@contextmanager
def _noted(request: Request) -> Iterator[Proofs]:
    """Lend the tenant's proofs; a log that contradicts a checkpoint is told to subscriptions."""
    tenant = tenant_of(request)
    try:
        yield tenant.proofs
    except LogContradicted as error:
        finding = Finding("checkpoint-differs", str(error))
        note_audit(request.app.state.database, [finding], tenant=tenant.name)
        raise


@router.add("GET /threads/{thread_id}/audit", "read", responses=answers(200, Audit, 404))
def audit_thread(request: Request, thread_id: ThreadId) -> Response:
    """Check a thread's hash chain anew from all that is stored: what broke, where, and how."""
    tenant = tenant_of(request)
    audit = tenant.proofs.auditor.thread(thread_id)
    note_audit(request.app.state.database, audit.findings, tenant=tenant.name)
    return json_answer(audit_json(thread_id, audit))


@router.add("GET /threads/{thread_id}/chain", "read", responses=answers(200, Chain, 404))
def read_chain(
    tenant: TheTenant, thread_id: ThreadId, after: After = None, limit: Limit = 100
) -> Response:
    """Read a thread's events as they were chained, to compute each link again.

    A page may have fewer events than asked for, if they are large.
    """
    beyond = number_cursor(after) or 0
    return json_answer(
        chain_json(tenant.proofs.evidence.page(thread_id, after=beyond, limit=limit))
    )


@router.add(
    "GET /threads/{thread_id}/evidence",
    "read",
    response_class=StreamingResponse,
    responses=answers(200, "Evidence", 404, 409),
)
def read_evidence(request: Request, thread_id: ThreadId) -> StreamingResponse:
    """Read a thread with all its proofs, as a file that `agentlog verify` checks offline.

    The latest checkpoint has to cover the thread's last event; none is made.
    """
    with _noted(request) as proofs:
        pieces = proofs.evidence.of_thread(thread_id, signing=False)
        first = next(pieces)  # what is refused gives a problem, not a broken response
    headers = {"Content-Disposition": f'attachment; filename="{thread_id}.json"'}
    return StreamingResponse(chain([first], pieces), headers=headers, media_type="application/json")


@router.add(
    "GET /threads/{thread_id}/messages/{message_id}/proof",
    "read",
    responses=answers(200, Inclusion, 404, 409),
)
def prove_message(
    request: Request, thread_id: ThreadId, message_id: MessageId, checkpoint: Size = None
) -> Response:
    """Prove that a message is in a checkpoint (RFC 9162, 2.1.3); its leaf is its chain's link."""
    with _noted(request) as proofs:
        inclusion = proofs.checkpoints.inclusion(thread_id, message_id, size=checkpoint)
    return json_answer(inclusion_json(inclusion, tenant=proofs.checkpoints.tenant))


@router.add("GET /checkpoints", "read", responses=answers(200, Page[Checkpoint]))
def list_checkpoints(tenant: TheTenant, after: After = None, limit: Limit = 100) -> Response:
    """List the signed checkpoints, the smallest first."""
    checkpoints = tenant.proofs.checkpoints
    page = checkpoints.page(after=number_cursor(after), limit=limit + 1)
    shown = partial(checkpoint_json, tenant=checkpoints.tenant)
    return page_answer(page, limit, shown=shown, place=lambda checkpoint: checkpoint.size)


@router.add("GET /checkpoints/latest", "read", responses=answers(200, Checkpoint, 404))
def latest_checkpoint(tenant: TheTenant) -> Response:
    """Read the latest checkpoint: keep its note, and nothing before it changes unseen."""
    checkpoints = tenant.proofs.checkpoints
    return json_answer(checkpoint_json(checkpoints.latest(), tenant=checkpoints.tenant))


@router.add("GET /checkpoints/consistency", "read", responses=answers(200, Consistency, 404, 409))
def prove_consistency(request: Request, begin: From, end: To) -> Response:
    """Prove that one checkpoint's log begins with another's (RFC 9162, 2.1.4)."""
    with _noted(request) as proofs:
        consistency = proofs.checkpoints.consistency(begin, end)
    return json_answer(consistency_json(consistency, tenant=proofs.checkpoints.tenant))
