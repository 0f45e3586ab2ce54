"""Parses parameters of lists, for HTTP and the command line."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, tzinfo
from typing import get_args

from agentlog.domain.errors import InvalidInput, InvalidJson, InvalidMoment
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from agentlog.domain.points_in_time import AtTime, parse_moment
from agentlog.domain.threads import Status
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.projections.filters.columns import ANY_NUMBER, columns_of
from agentlog.projections.filters.expression import Expression, Term, print_filter
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.filters.terms import TERMS

_METADATA = "metadata."
_OF_RUNS = {name: TERMS[name] for name in ("metadata", "exit")}
_OF_EVENTS = {"type": TERMS["type"]}


class InvalidFilter(InvalidInput):
    """The list has no such filter, or not like that."""


class NotIndexed(InvalidInput):
    """The log has no index for that; other lists take it."""

    def __init__(self, part: Expression, way: str) -> None:
        super().__init__(f"filter: {print_filter(part)[:100]}: here {way}")


def indexed_filter(text: str) -> ThreadFilter:
    """Return a filter of a list, as the log's own indexes serve it.

    Raises:
        InvalidFilterText: the text is no filter.
        NotIndexed: the log has no index for a part of it.
    """
    known = columns_of(parse_filter(text, "list"), {"status": 1, "parent": 1})
    statuses, words = known.values("status"), list[str]()
    for part in known.rest:
        match part:
            case Term(name="words", value=str(word)) if not any(map(str.isspace, word)):
                words.append(word)
            case Term(name="open") if not statuses:
                statuses.append("open")
            case _:
                raise NotIndexed(
                    part,
                    "threads are listed by words, status:, open, parent: and metadata.KEY:, which "
                    "must all hold, each once; `agentlog threads` and GET /v1/summaries take every "
                    "filter",
                )
    status = next((status for status in get_args(Status) if status in statuses), None)
    return ThreadFilter(status, known.value("parent"), " ".join(words) or None, known.metadata)


def types_in(text: str) -> Sequence[str] | None:
    """Return the types of which events are, by a filter; None where they may be of any.

    Raises:
        InvalidFilterText: the text is no filter of types.
        NotIndexed: the log has no index for a part of it.
    """
    known = columns_of(parse_filter(text, _OF_EVENTS), {"type": ANY_NUMBER})
    for part in known.rest:
        raise NotIndexed(
            part,
            "events are listed by types, as type:reply or type:exit; GET /v1/log/events and "
            "GET /v1/threads/{thread_id}/matches take more",
        )
    return known.values("type") or None


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
