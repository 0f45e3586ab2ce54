"""Checks of a new key's name, scopes and expiry."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from agentlog.domain.access import SCOPES, Scope
from agentlog.domain.errors import InvalidInput

MOST_NAME = 200
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_SPAN = re.compile(r"([0-9]{1,6})([mhdw])\Z")


class InvalidKeyTerms(InvalidInput):
    """A key cannot be made like that."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")


def name_of(text: str) -> str:
    """Return a key's name; raises `InvalidKeyTerms`."""
    name = text.strip()
    if not name or len(name) > MOST_NAME or not name.isprintable():
        raise InvalidKeyTerms(
            "name", f"say what the key is for, in 1 to {MOST_NAME} printable characters"
        )
    return name


def scopes_of(texts: Sequence[str]) -> tuple[Scope, ...]:
    """Return scopes, each once, in their own order; raises `InvalidKeyTerms`."""
    unknown = [text for text in texts if text not in SCOPES]
    if unknown or not texts:
        problem = f"{unknown[0][:32]!r} is no scope" if unknown else "there is none"
        raise InvalidKeyTerms("scopes", f"{problem}: choose from {', '.join(SCOPES)}")
    return tuple(scope for scope in SCOPES if scope in texts)


def expiry_of(text: str | None, *, now: datetime) -> datetime | None:
    """Return when a key ends: `90d` from now (m, h, d, w), or an RFC 3339 time; None: never.

    Raises:
        InvalidKeyTerms: it is neither, or is in the past.
    """
    if text is None:
        return None
    ways = "give a span as 90d (m, h, d, w), or a time as 2027-01-31T00:00:00Z"
    try:
        span = _SPAN.match(text)
        if span is not None:
            end = now + timedelta(**{_UNITS[span[2]]: int(span[1])})
        else:
            end = datetime.fromisoformat(text)
    except (ValueError, OverflowError) as error:
        raise InvalidKeyTerms("expires", f"{text[:64]!r} is no time: {ways}") from error
    if end.tzinfo is None:
        raise InvalidKeyTerms("expires", f"{text[:64]!r} has no zone: {ways}")
    if end <= now:
        raise InvalidKeyTerms("expires", f"{text[:64]!r} has passed: {ways}")
    return end
