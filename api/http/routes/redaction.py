"""Routes of redaction: erase a message, a thread's contents or a file, with a recorded reason."""

from fastapi import Response

from agentlog.api.http.codec.bodies import Body, read_body
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, TheTenant
from agentlog.api.http.codec.parameters import Digest, MessageId, ThreadId
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.openapi.answers import TRACEPARENT, answers, body
from agentlog.api.http.openapi.bodies import RedactBody
from agentlog.api.http.routing import Router
from agentlog.api.shapes.shape import shape_of
from agentlog.infrastructure.erasure.redactor import FileRedaction, Redaction

router = Router(prefix="/v1", tags=["erasure"])

_BODY = body(RedactBody, TRACEPARENT, description="Why: it stays on record.")


@router.add(
    "POST /threads/{thread_id}/messages/{message_id}/redact",
    "redact",
    responses=answers(200, Redaction, 400, 404, 409, 413),
    openapi_extra=_BODY,
)
def redact_message(  # noqa: PLR0913, PLR0917 - what a request has
    tenant: TheTenant,
    limits: TheLimits,
    thread_id: ThreadId,
    message_id: MessageId,
    body: Body,
    origin: TheOrigin,
) -> Response:
    """Erase what a message says, for ever; its place, type, ids and hash stay.

    A message that is erased already is answered as the first time.
    """
    reason = read_body(body, limits, RedactBody).reason
    done = tenant.redactor.redact(thread_id, [message_id], reason, origin=origin)
    return json_answer(shape_of(done))


@router.add(
    "POST /threads/{thread_id}/redact",
    "redact",
    responses=answers(200, Redaction, 400, 404, 409, 413),
    openapi_extra=_BODY,
)
def redact_thread(
    tenant: TheTenant,
    limits: TheLimits,
    thread_id: ThreadId,
    body: Body,
    origin: TheOrigin,
) -> Response:
    """Erase the contents of all that a thread has by now, its goal and metadata included."""
    reason = read_body(body, limits, RedactBody).reason
    done = tenant.redactor.redact(thread_id, None, reason, origin=origin)
    return json_answer(shape_of(done))


@router.add(
    "POST /blobs/{digest}/redact",
    "redact",
    responses=answers(200, FileRedaction, 400, 404, 409, 413),
    openapi_extra=_BODY,
)
def redact_file(
    tenant: TheTenant,
    limits: TheLimits,
    digest: Digest,
    body: Body,
    origin: TheOrigin,
) -> Response:
    """Erase a file from all messages that hold it; the rest of each stays."""
    reason = read_body(body, limits, RedactBody).reason
    done = tenant.redactor.redact_file(digest, reason, origin=origin)
    return json_answer(shape_of(done))
