"""Errors as RFC 9457 problems: status, type, title, detail and attributes."""

import math
from collections.abc import Sequence
from dataclasses import asdict

from agentlog.api.http.codec.statuses import status_of
from agentlog.api.http.request.errors import (
    RefusedRequest,
)
from agentlog.api.http.request.limits import (
    StreamsExhausted,
    TooManyRequests,
    TooManyStreams,
)
from agentlog.domain.access import NotAllowed, NotAuthenticated
from agentlog.domain.errors import (
    AgentlogError,
    ContentMissing,
    Flaw,
    InvalidJson,
    InvalidMessage,
    MessageConflict,
    RuleBroken,
    VersionConflict,
)
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.analysts.errors import (
    Complaint,
    QueryForbidden,
    QueryRejected,
)
from agentlog.infrastructure.postgres.errors import (
    DatabaseReadOnly,
)
from agentlog.infrastructure.transfer.uploads.errors import (
    OffsetMismatch,
)
from agentlog.projections.filters.grammar import InvalidFilterText

MEDIA_TYPE = "application/problem+json"

Problem = dict[str, JsonValue]
"""Members of a problem (RFC 9457); `status` is always there."""


_RETRY_SECONDS = 1
_STREAM_SECONDS = 10


def problem_of(error: AgentlogError) -> Problem:
    """Return the problem for an error."""
    body = problem(
        status_of(error), name=_kebab(type(error).__name__), title=_title(error), detail=str(error)
    )
    match error:
        case InvalidMessage(flaws=flaws) | InvalidJson(flaws=flaws):
            return {**body, "errors": flaw_list(flaws)}
        case RuleBroken(flaws=flaws, rule=rule):
            return {**body, "rule": rule, "errors": flaw_list(flaws)}
        case VersionConflict(expected=expected, actual=actual):
            return {**body, "expectedVersion": expected, "actualVersion": actual}
        case QueryRejected(complaint=complaint) | QueryForbidden(complaint=complaint):
            return {**body, "sql": _complaint_json(complaint)}
        case OffsetMismatch(given=given, size=size):
            return {**body, "expectedOffset": size, "providedOffset": given}
        case ContentMissing(missing=missing):
            return {**body, "missing": list(missing)}
        case MessageConflict(message_id=message_id, version=version):
            return {**body, "messageId": message_id, "version": version}
        case DatabaseReadOnly(writer=str(writer)):
            return {**body, "writer": writer}
        case InvalidFilterText(at=at):
            return {**body, "at": at}
        case _:
            return body


def _complaint_json(complaint: Complaint) -> JsonValue:
    """Return PostgreSQL's error for a query; `position`, `line` and `column` count from 1."""
    return {name: value for name, value in asdict(complaint).items() if value is not None}


def problem(status: int, *, name: str, title: str, detail: str) -> Problem:
    """Return a problem; `name` ends its type, a URN that never changes."""
    return {
        "type": f"urn:agentlog:problem:{name}",
        "title": title,
        "status": status,
        "detail": detail,
    }


def flaw_list(flaws: Sequence[Flaw]) -> list[JsonValue]:
    """Return flaws as JSON: place and reason."""
    return [{"place": flaw.place, "reason": flaw.reason} for flaw in flaws]


def headers_of(error: AgentlogError) -> dict[str, str]:
    """Return the headers that go with an error."""
    match error:
        case RefusedRequest():  # the start of the next request may be unknown
            return {"Connection": "close"}
        case TooManyRequests(wait_seconds=seconds):
            return {"Retry-After": str(math.ceil(seconds))}
        case TooManyStreams() | StreamsExhausted():
            return {"Retry-After": str(_STREAM_SECONDS)}
        case NotAuthenticated():
            return {"WWW-Authenticate": "Bearer"}
        case NotAllowed(scope=scope):  # RFC 6750, section 3.1
            challenge = f'Bearer error="insufficient_scope", scope="{scope}"'
            return {"WWW-Authenticate": challenge}
        case _ if error.transient:
            return {"Retry-After": str(_RETRY_SECONDS)}
        case _:
            return {}


def _title(error: AgentlogError) -> str:
    return (type(error).__doc__ or "").strip().splitlines()[0].rstrip(".")


def _kebab(name: str) -> str:
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).removeprefix("-")
