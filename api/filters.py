"""Parses filters of lists, for HTTP and the command line."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, time

from agentlog.domain.errors import InvalidInput, InvalidJson, InvalidMoment
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from agentlog.domain.points_in_time import AtTime, parse_moment

_METADATA = "metadata."


class InvalidFilter(InvalidInput):
    """The list has no such filter, or not like that."""


def metadata_filter(pairs: Iterable[tuple[str, str]]) -> dict[str, JsonValue]:
    """Return the required metadata from keys and values as text.

    A value is JSON where it is a JSON scalar, and else a string: `5` is the number, `"5"` the
    string, `support` the string too. The empty string is `""`: an empty value is refused as
    missing, since it would silently match nothing.

    Raises:
        InvalidFilter: a key is empty, has no value, or comes twice.
    """
    values: dict[str, JsonValue] = {}
    for key, text in pairs:
        if not key:
            raise InvalidFilter("metadata: name the key, as in metadata.team=support")
        name = f"metadata.{key[:64]}"
        if key in values:
            raise InvalidFilter(f"{name}: given twice; a key has one value")
        if not text:
            raise InvalidFilter(
                f'{name}: no value; give one, as in {name}=support, or {name}="" for the empty text'
            )
        values[key] = _scalar(text)
    return values


def metadata_key(text: str) -> str:
    """Return the key that `metadata.KEY` names; raises `InvalidFilter`."""
    key = text.removeprefix(_METADATA)
    if not key or key == text:
        raise InvalidFilter(f"{text[:64]!r} names no key of the metadata: write metadata.KEY")
    return key


def failure_filter(texts: Iterable[str]) -> dict[str, JsonValue] | None:
    """Return the metadata of failed threads, from `metadata.KEY=VALUE` each; None of none.

    Raises:
        InvalidFilter: one is not of that form.
    """
    pairs = [text.partition("=") for text in texts]
    return metadata_filter((metadata_key(name), value) for name, _, value in pairs) or None


def metadata_value(text: str) -> JsonValue:
    """Return the JSON value in a text, or the text itself where it is none."""
    try:
        return parse(text.encode())
    except InvalidJson:
        return text


def _scalar(text: str) -> JsonValue:
    value = metadata_value(text)
    return text if isinstance(value, dict | list) else value


def time_filter(name: str, text: str | None) -> datetime | None:
    """Return the time in a text, if given; a date is the start of that day in UTC.

    Raises:
        InvalidFilter: it is neither.
    """
    if text is None:
        return None
    try:
        if len(text) == len("2026-01-31"):
            return datetime.combine(date.fromisoformat(text), time(), UTC)
        match parse_moment(text):
            case AtTime(time=moment):
                return moment
            case _:
                pass
    except (ValueError, InvalidMoment):
        pass
    raise InvalidFilter(
        f"{name}: {text[:64]!r} is no date (2026-01-31) and no RFC 3339 time with its zone "
        "(2026-01-31T10:00:00Z)"
    )
