"""Values of rows taken from events: times, texts and figures; None where missing."""

import re
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import TypeVar

from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue

TextT = TypeVar("TextT", str, str | None)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STAMPED = re.compile(rb'\{"id":"[0-9A-Z]{26}","timestamp":(0|[1-9]\d{0,13})[,}]').match
_LATEST = 253_402_300_799_999
_MILLISECOND = timedelta(milliseconds=1)
_MOST = 2**63 - 1

SHOWN = 500
"""Characters of a longer text that a row holds."""


def sent_at(event: Event) -> datetime | None:
    """Return a message's time by its producer's clock, from its JSON.

    The store prints the time right after the id, so the rest need not be parsed.
    """
    known = _STAMPED(event.body)
    if known is not None:
        return time_of(int(known[1]))
    raw = event.raw
    timestamp = raw.get("timestamp") if isinstance(raw, dict) else None
    return time_of(timestamp) if type(timestamp) is int and 0 <= timestamp <= _LATEST else None


def time_of(timestamp: int) -> datetime:
    """Return a message's `timestamp`, in milliseconds since the epoch, as a time."""
    return _EPOCH + timedelta(milliseconds=timestamp)


def milliseconds(time: datetime | None) -> int | None:
    """Return a time of `time_of` in milliseconds since the epoch."""
    return None if time is None else (time - _EPOCH) // _MILLISECOND


def text_in(metadata: dict[str, JsonValue], key: str) -> str | None:
    """Return the text under a key, adapted to a column."""
    value = metadata.get(key)
    return held(value) if isinstance(value, str) else None


def shown(text: TextT) -> TextT:
    """Return the beginning of a text, `SHOWN` characters at most."""
    return text if text is None or len(text) <= SHOWN else text[:SHOWN] + "…"


def held(text: TextT) -> TextT:
    """Return a text adapted to a column; compare later events with this form."""
    return text if text is None else text.replace("\x00", "\ufffd")


def count_held(count: int | None) -> int | None:
    """Return a count, None where it exceeds the column's range."""
    return None if count is None or not -_MOST <= count <= _MOST else count


def figure_held(figure: float | None) -> float | None:
    """Return a figure as the nearest float, None where it exceeds the range of floats."""
    return None if figure is None or not isfinite(figure) else float(figure)


def count_sum(total: int | None, more: int | None) -> int | None:
    """Return the sum of reported counts; skips a count that would exceed the column's range."""
    if total is None or more is None:
        return count_held(more) if total is None else total
    return total + more if total + more <= _MOST else total


def figure_sum(total: float | None, more: float | None) -> float | None:
    """Return the sum of reported figures; skips a figure that would exceed any float."""
    if total is None or more is None:
        return figure_held(more) if total is None else total
    return total + more if isfinite(total + more) else total
