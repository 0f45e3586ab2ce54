"""Parses questions to reports, for HTTP and the command line."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import get_args

from agentlog.api.filters import InvalidFilter, metadata_filter, time_filter
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.reports.question import InvalidQuestion, Question
from agentlog.infrastructure.reports.report import METADATA, Report
from agentlog.infrastructure.reports.sources import Clock

GENERAL = ("by", "from", "to", "clock", "order", "limit")
"""Parameters of every report, beside its filters."""


def question_of(report: Report, pairs: Iterable[tuple[str, str]]) -> Question:
    """Return the question from names and values; `by` and filters may be repeated.

    Raises:
        InvalidQuestion: the report does not support it; the message lists what it supports.
    """
    given: defaultdict[str, list[str]] = defaultdict(list)
    metadata: list[tuple[str, str]] = []
    for name, value in pairs:
        if name.startswith(METADATA):
            metadata.append((name.removeprefix(METADATA), value))
        else:
            given[name].append(value)
    filters = {name: values for name, values in given.items() if name not in GENERAL}
    for name in filters:
        if name not in report.filters:
            takes = ", ".join((*GENERAL, *report.filters, f"{METADATA}KEY"))
            raise InvalidQuestion(f"{name[:64]}: report {report.name} takes no such thing; {takes}")
    by = given.get("by")
    limit = _once(given, "limit")
    question = Question(
        by=None if by is None else [part for text in by for part in text.split(",") if part],
        begin=_time("from", _once(given, "from")),
        end=_time("to", _once(given, "to")),
        filters=filters,
        metadata=_metadata(metadata),
        clock=_clock(_once(given, "clock")),
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


def _metadata(pairs: list[tuple[str, str]]) -> dict[str, JsonValue]:
    try:
        return metadata_filter(pairs)
    except InvalidFilter as error:
        raise InvalidQuestion(str(error)) from error


def _time(name: str, text: str | None) -> datetime | None:
    try:
        return time_filter(name, text)
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
