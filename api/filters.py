"""Parses parameters of lists, for HTTP and the command line."""

from datetime import UTC, date, datetime, time, tzinfo
from typing import get_args

from agentlog.domain.errors import InvalidInput, InvalidJson, InvalidMoment
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from agentlog.domain.points_in_time import AtTime, parse_moment
from agentlog.domain.threads import Status
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.projections.filters.expression import Expression, Term, conjuncts, print_filter
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.filters.terms import TERMS

_METADATA = "metadata."
_OF_RUNS = {name: TERMS[name] for name in ("metadata", "exit")}


class InvalidFilter(InvalidInput):
    """The list has no such filter, or not like that."""


class NotIndexed(InvalidInput):
    """The log cannot list threads by that; their summaries can."""

    def __init__(self, part: str) -> None:
        super().__init__(
            f"filter: {part[:100]}: here threads are listed by words, status:, open, parent: and "
            "metadata.KEY:, which must all hold, each once; `agentlog threads` and "
            "GET /v1/summaries take every filter"
        )
        self.part = part


def indexed_filter(text: str) -> ThreadFilter:
    """Return a filter of a list, as the log's own indexes serve it.

    Raises:
        InvalidFilterText: the text is no filter.
        NotIndexed: the log has no index for a part of it.
    """
    names: dict[str, str] = {}
    words: list[str] = []
    metadata: dict[str, JsonValue] = {}
    for part in conjuncts(parse_filter(text, "list")):
        match part:
            case Term(name="words", value=str(word)) if not any(map(str.isspace, word)):
                words.append(word)
            case Term(name="open") if "status" not in names:
                names["status"] = "open"
            case Term(name="status" | "parent" as name, value=str(value), is_prefix=False) if (
                name not in names
            ):
                names[name] = value
            case Term(name="metadata", operator=":", key=str(key), is_prefix=False) if (
                part.value is not None and key not in metadata
            ):
                metadata[key] = part.value
            case _:
                raise NotIndexed(print_filter(part))
    status = next((known for known in get_args(Status) if known == names.get("status")), None)
    return ThreadFilter(status, names.get("parent"), " ".join(words) or None, metadata or None)


def metadata_key(text: str) -> str:
    """Return the key that `metadata.KEY` names; raises `InvalidFilter`."""
    key = text.removeprefix(_METADATA)
    if not key or key == text:
        raise InvalidFilter(f"{text[:64]!r} names no key of the metadata: write metadata.KEY")
    return key


def failure_filter(text: str) -> Expression | None:
    """Return which runs have failed, by metadata and exit; None where the tenant's rule says it.

    Raises:
        InvalidFilterText: the text is no such filter.
    """
    return parse_filter(text, _OF_RUNS, parameter="failed") if text else None


def metadata_value(text: str) -> JsonValue:
    """Return the JSON value in a text, or the text itself where it is none."""
    try:
        return parse(text.encode())
    except InvalidJson:
        return text


def time_filter(name: str, text: str | None, zone: tzinfo = UTC) -> datetime | None:
    """Return the time in a text, if given; a date is the start of that day in a zone.

    Raises:
        InvalidFilter: it is neither.
    """
    if text is None:
        return None
    try:
        if len(text) == len("2026-01-31"):
            return datetime.combine(date.fromisoformat(text), time(), zone)
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
