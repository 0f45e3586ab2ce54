"""Errors as RFC 9457 problems: status, type, title, detail and attributes.

The only place with HTTP statuses of errors; a test keeps the table complete.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from agentlog.api.http.request.errors import (
    BlobMismatch,
    BlobTooLarge,
    BodyStalled,
    BodyTooLarge,
    ForeignSite,
    GatewayUnreachable,
    HeadersStalled,
    HeadersTooLarge,
    InvalidIfMatch,
    InvalidOtlp,
    KeyInUrl,
    MethodNotImplemented,
    NeedsModel,
    RefusedRequest,
    RunsNoAgent,
    TransferCodingNotImplemented,
    UnknownCoding,
    UnknownHttpVersion,
    UnknownMediaType,
)
from agentlog.api.http.request.limits import (
    NestedTooDeep,
    StreamsExhausted,
    TooManyMessages,
    TooManyParts,
    TooManyRequests,
    TooManyStreams,
)
from agentlog.api.mcp.errors import McpMissing
from agentlog.api.plots import PlotsMissing
from agentlog.domain.access import NotAllowed, NotAuthenticated
from agentlog.domain.cognition.errors import CognitiveError
from agentlog.domain.errors import (
    AgentlogError,
    ContentMissing,
    EmptyAppend,
    Flaw,
    FutureMoment,
    InvalidCursor,
    InvalidInput,
    InvalidJson,
    InvalidMessage,
    InvalidMoment,
    InvalidThreadId,
    InvalidViewOption,
    MessageConflict,
    NotThere,
    Refused,
    RuleBroken,
    ThreadExists,
    UnknownMessage,
    UnknownThread,
    UnknownView,
    VersionConflict,
)
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.analysts.errors import (
    AnalystNotConfined,
    Complaint,
    InvalidQuery,
    NoAnalystLogin,
    QueriesExhausted,
    QueryForbidden,
    QueryRejected,
    TooManyQueries,
)
from agentlog.infrastructure.appending.append_request import WriterOverloaded
from agentlog.infrastructure.audit.checkpoints import LogContradicted
from agentlog.infrastructure.audit.signing import InvalidSigningKey, NoSigningKey
from agentlog.infrastructure.definitions.definitions import InvalidDefinition, UnknownDefinition
from agentlog.infrastructure.definitions.rules import UnknownRule
from agentlog.infrastructure.embedded import EmbeddedServerError
from agentlog.infrastructure.erasure.errors import NothingToRedact, NotRedactable, UnknownFile
from agentlog.infrastructure.eventlog.blob_store import UnknownBlob
from agentlog.infrastructure.forks.errors import ForkTooLong
from agentlog.infrastructure.keys.accesses import AccessNotRecorded
from agentlog.infrastructure.postgres.errors import (
    DatabaseReadOnly,
    DatabaseTooOld,
    DatabaseUnavailable,
    LockNotGranted,
    OutcomeUnknown,
    StatementTooLong,
)
from agentlog.infrastructure.postgres.migration import MigrationError
from agentlog.infrastructure.postgres.roles import NoServiceRole
from agentlog.infrastructure.postgres.session_check import LogSubscribed, UnsafeSession
from agentlog.infrastructure.readmodels.projection_status import (
    NotYetBuilt,
    ProjectionBehind,
    RebuildUnderWay,
)
from agentlog.infrastructure.reports.reports import ReportTooLong
from agentlog.infrastructure.subscriptions.subscription import (
    InvalidSubscription,
    LeaseEnded,
    NotPulled,
    SubscriptionExists,
    SubscriptionPaused,
    UnknownSubscription,
)
from agentlog.infrastructure.transfer.traces.threads import ThreadContended
from agentlog.infrastructure.transfer.uploads.errors import (
    FileTooLarge,
    ImportBusy,
    ImportsTooLarge,
    OffsetMismatch,
    PieceMismatch,
    RunStopped,
    SpoolUnwritable,
    TooManyFiles,
    TooManyImports,
)
from agentlog.infrastructure.views.snapshots.key import InvalidSnapshotKey
from agentlog.projections.filters.grammar import InvalidFilterText
from agentlog.projections.readers.spans.drafts import TooManyAdded
from agentlog.projections.readmodels.registry import UnknownReadModel

MEDIA_TYPE = "application/problem+json"

Problem = dict[str, JsonValue]
"""Members of a problem (RFC 9457); `status` is always there."""


STATUSES: Mapping[type[AgentlogError], int] = {
    AccessNotRecorded: 503,
    AnalystNotConfined: 503,
    BlobMismatch: 422,
    BlobTooLarge: 413,
    BodyStalled: 408,
    BodyTooLarge: 413,
    ContentMissing: 410,
    DatabaseReadOnly: 503,
    DatabaseUnavailable: 503,
    EmptyAppend: 422,
    ForeignSite: 403,
    FutureMoment: 404,
    GatewayUnreachable: 503,
    HeadersStalled: 408,
    HeadersTooLarge: 431,
    InvalidCursor: 422,
    InvalidIfMatch: 400,
    InvalidJson: 400,
    InvalidMessage: 422,
    InvalidMoment: 422,
    InvalidOtlp: 400,
    InvalidQuery: 422,
    InvalidSigningKey: 503,
    InvalidSnapshotKey: 503,
    InvalidFilterText: 422,
    InvalidDefinition: 422,
    InvalidSubscription: 422,
    InvalidThreadId: 422,
    InvalidViewOption: 422,
    KeyInUrl: 400,
    LeaseEnded: 409,
    LockNotGranted: 503,
    LogContradicted: 409,
    LogSubscribed: 503,
    MessageConflict: 409,
    MethodNotImplemented: 501,
    NeedsModel: 501,
    NestedTooDeep: 400,
    NoAnalystLogin: 404,
    NoSigningKey: 503,
    NotAllowed: 403,
    NotAuthenticated: 401,
    NotPulled: 409,
    NotRedactable: 409,
    OutcomeUnknown: 503,
    NotYetBuilt: 503,
    NothingToRedact: 422,
    FileTooLarge: 413,
    ForkTooLong: 422,
    ImportBusy: 409,
    ImportsTooLarge: 413,
    OffsetMismatch: 409,
    PieceMismatch: 422,
    SpoolUnwritable: 503,
    RunStopped: 503,
    TooManyFiles: 413,
    TooManyImports: 429,
    McpMissing: 501,
    PlotsMissing: 501,
    ProjectionBehind: 503,
    QueriesExhausted: 503,
    QueryForbidden: 403,
    RebuildUnderWay: 409,
    ReportTooLong: 503,
    RuleBroken: 409,
    RunsNoAgent: 501,
    StatementTooLong: 503,
    StreamsExhausted: 503,
    SubscriptionExists: 409,
    SubscriptionPaused: 409,
    ThreadExists: 409,
    ThreadContended: 503,
    TooManyAdded: 413,
    TooManyMessages: 413,
    TooManyParts: 413,
    TooManyQueries: 429,
    TooManyRequests: 429,
    TooManyStreams: 429,
    TransferCodingNotImplemented: 501,
    UnknownBlob: 404,
    UnknownCoding: 415,
    UnknownFile: 404,
    UnknownHttpVersion: 505,
    UnknownMediaType: 415,
    UnknownMessage: 404,
    UnknownReadModel: 404,
    UnknownDefinition: 404,
    UnknownRule: 404,
    UnknownSubscription: 404,
    UnknownThread: 404,
    UnknownView: 404,
    UnsafeSession: 503,
    WriterOverloaded: 503,
    VersionConflict: 412,
    # whole families, for errors added later
    CognitiveError: 409,
    DatabaseTooOld: 503,
    EmbeddedServerError: 503,
    InvalidInput: 422,
    MigrationError: 503,
    NoServiceRole: 503,
    NotThere: 404,
    Refused: 409,
    RefusedRequest: 400,
}

_RETRY_SECONDS = 1
_STREAM_SECONDS = 10
_PASSING = (
    AccessNotRecorded
    | DatabaseUnavailable
    | GatewayUnreachable
    | ImportBusy
    | NotYetBuilt
    | ProjectionBehind
    | QueriesExhausted
    | ThreadContended
    | TooManyQueries
    | WriterOverloaded
)


def status_of(error: AgentlogError) -> int:
    """Return the HTTP status of an error."""
    return next((STATUSES[cls] for cls in type(error).__mro__ if cls in STATUSES), 500)


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
        case _ if isinstance(error, _PASSING):
            return {"Retry-After": str(_RETRY_SECONDS)}
        case _:
            return {}


def _title(error: AgentlogError) -> str:
    return (type(error).__doc__ or "").strip().splitlines()[0].rstrip(".")


def _kebab(name: str) -> str:
    return "".join(f"-{c.lower()}" if c.isupper() else c for c in name).removeprefix("-")
