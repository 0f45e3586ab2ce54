"""What a row takes from an event: times, texts and figures, None where there is none."""

from datetime import UTC, datetime, timedelta

from domain.events import Event
from domain.json_text import JsonValue

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST = 253_402_300_799_999
_MILLISECOND = timedelta(milliseconds=1)

SHOWN = 500
"""How many characters of a longer text a row shows."""


def sent_at(event: Event) -> datetime | None:
    """Return when a message was made, by its producer's clock; reads its JSON, not its message."""
    raw = event.raw
    found = raw.get("timestamp") if isinstance(raw, dict) else None
    return time_of(found) if type(found) is int and 0 <= found <= _LATEST else None


def time_of(timestamp: int) -> datetime:
    """Return a message's `timestamp`, in milliseconds since the epoch, as a time."""
    return _EPOCH + timedelta(milliseconds=timestamp)


Moment = tuple[datetime | None, datetime | None]
"""Of an event: when it was sent, and when it was recorded."""


def elapsed_ms(begun: Moment, ended: Moment) -> float | None:
    """Return the milliseconds from one event to another, by the producer's clock.

    None where that ran backwards, and where both came in one commit with one time: such times were
    filled in when a history was imported, and nobody measured anything.
    """
    if begun[0] is None or ended[0] is None or begun == ended or ended[0] < begun[0]:
        return None
    return (ended[0] - begun[0]) / _MILLISECOND


def text_in(metadata: dict[str, JsonValue], key: str) -> str | None:
    """Return the text that stands under a key."""
    found = metadata.get(key)
    return found if isinstance(found, str) else None


def shown(text: str | None) -> str | None:
    """Return the beginning of a text."""
    return text if text is None or len(text) <= SHOWN else text[:SHOWN] + "…"
