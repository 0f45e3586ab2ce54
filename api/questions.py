"""Parses questions to reports, for HTTP and the command line."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from agentlog.api.filters import InvalidFilter, time_filter
from agentlog.infrastructure.reports.question import InvalidQuestion, Question
from agentlog.infrastructure.reports.report import Report
from agentlog.infrastructure.reports.sources import Clock
from agentlog.projections.filters.grammar import parse_filter

GENERAL = ("by", "from", "to", "filter", "clock", "zone", "order", "limit")
"""Parameters of every report."""


def question_of(report: Report, pairs: Iterable[tuple[str, str]]) -> Question:
    """Return the question from names and values; `by` may be repeated.

    Raises:
        InvalidQuestion: the report does not support it; the message lists what it supports.
        InvalidFilterText: the filter is none in the terms of the report.
    """
    given: defaultdict[str, list[str]] = defaultdict(list)
    for name, value in pairs:
        given[name].append(value)
    for name in given:
        if name not in GENERAL:
            raise InvalidQuestion(f"{name[:64]}: reports take no such thing; {', '.join(GENERAL)}")
    by = given.get("by")
    limit = _once(given, "limit")
    zone = _zone(_once(given, "zone") or "UTC")
    question = Question(
        by=None if by is None else [part for text in by for part in text.split(",") if part],
        begin=_time("from", _once(given, "from"), zone),
        end=_time("to", _once(given, "to"), zone),
        where=parse_filter(_once(given, "filter") or "", report.terms),
        clock=_clock(_once(given, "clock")),
        zone=zone.key,
        order=_once(given, "order"),
        limit=None if limit is None else _whole_number("limit", limit),
    )
    question.check(report)
    return question


def _once(given: dict[str, list[str]], name: str) -> str | None:
    values = given.get(name)
    if values is None:
        return None
    if len(values) > 1:
        raise InvalidQuestion(f"{name}: given twice; it has one value")
    return values[0]


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        reason = "is no time zone: use a name of the IANA database, such as Europe/Berlin"
        raise InvalidQuestion(f"zone: {name[:64]!r} {reason}") from None


def _time(name: str, text: str | None, zone: ZoneInfo) -> datetime | None:
    try:
        return time_filter(name, text, zone)
    except InvalidFilter as error:
        raise InvalidQuestion(str(error)) from error


def _clock(text: str | None) -> Clock:
    known: tuple[Clock, ...] = get_args(Clock)
    for choice in known:
        if choice == (text or "recorded"):
            return choice
    raise InvalidQuestion(f"clock: use one of {', '.join(known)}")


def _whole_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 10):  # noqa: PLR2004 - no such limit
        raise InvalidQuestion(f"{name}: {text[:64]!r} is no whole number from 0 to 999999999")
    return int(text)
