"""HTTP statuses of errors, by their kinds."""

from collections.abc import Mapping
from typing import Final

from agentlog.domain.errors import AgentlogError, Kind

STATUSES: Final[Mapping[Kind, int]] = {
    "unreadable": 400,
    "unauthenticated": 401,
    "forbidden": 403,
    "absent": 404,
    "stalled": 408,
    "conflict": 409,
    "gone": 410,
    "stale": 412,
    "too large": 413,
    "unsupported": 415,
    "elsewhere": 421,
    "invalid": 422,
    "too many": 429,
    "headers too large": 431,
    "defect": 500,
    "unimplemented": 501,
    "unavailable": 503,
    "unknown version": 505,
}


def status_of(error: AgentlogError) -> int:
    """Return the HTTP status of an error."""
    return STATUSES[error.kind]
