"""Points in time of a history: the meaning of `at` in reads and views."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from agentlog.domain.errors import InvalidCursor, InvalidMoment
from agentlog.domain.identifiers import bits_id


@dataclass(frozen=True, slots=True)
class AtVersion:
    """Just after the thread's message of that version; 0 is before the first."""

    version: int


@dataclass(frozen=True, slots=True)
class AtPosition:
    """Just after the log's message at that position, in any thread."""

    position: int


@dataclass(frozen=True, slots=True)
class AtMessage:
    """Just after that message of the thread."""

    message_id: str


@dataclass(frozen=True, slots=True)
class AtTime:
    """Just after the last message recorded at or before that time, by the store's clock."""

    time: datetime


Moment = AtVersion | AtPosition | AtMessage | AtTime

BIGGEST = 2**63 - 1
"""The largest version and position."""

_MOST_DIGITS = 19
_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)\Z")


def number_in(text: str) -> int | None:
    """Return the version or position in a text of digits, None if it is none."""
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        return None
    number = int(text)
    return number if number <= BIGGEST else None


def number_of(cursor: str) -> int:
    """Return the version or position in a list's cursor; raises `InvalidCursor`."""
    number = number_in(cursor)
    if number is None:
        raise InvalidCursor(cursor)
    return number


def parse_moment(text: str) -> Moment:
    """Return the point that `text` names.

    A version (`12`), a position (`@345`), a message id (a ULID or UUID), or an RFC 3339 time with
    its zone (fractions beyond microseconds are cut off, so the time never lies later than was
    asked).

    Raises:
        InvalidMoment: it names none.
    """
    if (message_id := bits_id(text)) is not None:
        return AtMessage(message_id)
    number = number_in(text.removeprefix("@"))
    if number is not None:
        return AtPosition(number) if text.startswith("@") else AtVersion(number)
    if _RFC_3339.match(text):
        try:
            return AtTime(datetime.fromisoformat(text.upper()).astimezone(UTC))
        except (ValueError, OverflowError) as error:
            raise InvalidMoment(text) from error
    raise InvalidMoment(text)
