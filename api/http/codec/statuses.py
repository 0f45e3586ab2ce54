"""HTTP statuses of errors: the only place with them; a test keeps the table complete."""

from collections.abc import Mapping

from agentlog.api.http.codec.wait_for_position import LogBehind
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
    InvalidUser,
    KeyInUrl,
    McpMissing,
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
    StreamsExhausted,
    TooManyMessages,
    TooManyParts,
    TooManyRequests,
    TooManyStreams,
)
from agentlog.domain.access import NotAllowed, NotAuthenticated
from agentlog.domain.cognition.errors import CognitiveError
from agentlog.domain.errors import (
    AgentlogError,
    ContentMissing,
    EmptyAppend,
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
from agentlog.infrastructure.analysts.errors import (
    AnalystNotConfined,
    InvalidQuery,
    NoAnalystLogin,
    QueriesExhausted,
    QueryForbidden,
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
from agentlog.infrastructure.keys.accesses import AccessNotRecorded, ReadsUnrecorded
from agentlog.infrastructure.postgres.errors import (
    DatabaseReadOnly,
    DatabaseTooOld,
    DatabaseUnavailable,
    LockNotGranted,
    OutcomeUnknown,
    StatementTooLong,
    TenantElsewhere,
    TenantMoving,
)
from agentlog.infrastructure.postgres.migration import MigrationError
from agentlog.infrastructure.postgres.roles import NoServiceRole
from agentlog.infrastructure.postgres.session_check import UnsafeSession
from agentlog.infrastructure.postgres.write_access import LogCopying, LogSubscribed
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
    InvalidUser: 400,
    InvalidViewOption: 422,
    KeyInUrl: 400,
    LeaseEnded: 409,
    LockNotGranted: 503,
    LogContradicted: 409,
    LogBehind: 503,
    LogCopying: 503,
    LogSubscribed: 503,
    MessageConflict: 409,
    MethodNotImplemented: 501,
    NeedsModel: 501,
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
    ProjectionBehind: 503,
    QueriesExhausted: 503,
    QueryForbidden: 403,
    ReadsUnrecorded: 503,
    RebuildUnderWay: 409,
    ReportTooLong: 503,
    RuleBroken: 409,
    RunsNoAgent: 501,
    StatementTooLong: 503,
    StreamsExhausted: 503,
    SubscriptionExists: 409,
    SubscriptionPaused: 409,
    TenantElsewhere: 421,
    TenantMoving: 503,
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


def status_of(error: AgentlogError) -> int:
    """Return the HTTP status of an error."""
    return next((STATUSES[cls] for cls in type(error).__mro__ if cls in STATUSES), 500)
