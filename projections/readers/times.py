"""Times of sources, as milliseconds since the epoch."""

from datetime import UTC, datetime, timedelta

from agentlog.domain.json.values import JsonValue
from agentlog.projections.views.letta.shapes import read_date

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = 253_402_300_799_999


def milliseconds(date: JsonValue) -> int | None:
    """Return an ISO 8601 time as milliseconds since the epoch, or None; no zone means UTC."""
    at = read_date(date)
    if at is None:
        return None
    since = (at if at.tzinfo is not None else at.replace(tzinfo=UTC)) - _EPOCH
    return _in_range(since // timedelta(milliseconds=1))


def milliseconds_of_seconds(seconds: JsonValue) -> int | None:
    """Return seconds since the epoch, whole or not, as milliseconds, or None."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return None
    return _in_range(round(seconds * 1000)) if abs(seconds) <= _LAST else None


def _in_range(time: int) -> int | None:
    return time if 0 <= time <= _LAST else None
