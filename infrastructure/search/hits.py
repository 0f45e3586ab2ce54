"""Hits: messages that match a query, with the texts around what matches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, takewhile

from pydantic import ConfigDict, with_config
from pydantic.alias_generators import to_camel

from agentlog.domain.events import Event
from agentlog.domain.json.answers import Time, answer
from agentlog.domain.json.places import Parts, path
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.infrastructure.search.json_path import Predicate, Tick
from agentlog.infrastructure.search.query import Query
from agentlog.projections.filters.expression import Term, compare, evaluate
from agentlog.projections.filters.success import message_path
from agentlog.projections.search.message_texts import (
    content_of,
    parts_in,
    role_of,
    texts_of,
    tools_of,
)
from agentlog.projections.search.search_text import Part, folded
from agentlog.projections.values import held

MOST_EXCERPTS = 3
"""Most excerpts of a hit."""

_CONTEXT = 80

Range = tuple[int, int]
"""Begin and end of a match in an excerpt, in characters."""


@answer
@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a text of the message, and where in it the search text stands, in characters.

    What a JSONPath selects has no ranges.
    """

    place: str
    text: str
    ranges: Sequence[Range]


_EXAMPLE: JsonObject = {
    "threadId": "support-42",
    "version": 3,
    "messageId": "01JD8Z3Q5N7V2M4K6H8G0F1E2D",
    "position": 345,
    "recordedAt": "2026-01-05T08:00:00.000000Z",
    "type": "tool_calls",
    "role": "assistant",
    "tools": ["track"],
    "excerpts": [{"place": "calls[0].args.parcel", "text": "4711", "ranges": [[0, 4]]}],
}


@with_config(ConfigDict(alias_generator=to_camel, json_schema_extra={"examples": [_EXAMPLE]}))
@dataclass(frozen=True, slots=True)
class Hit:
    """A message that matches; `tools` are those that it names."""

    thread_id: str
    version: int
    message_id: str
    position: int
    recorded_at: Time | None
    type: str
    role: str | None
    tools: Sequence[str]
    excerpts: Sequence[Excerpt]


@answer
@dataclass(frozen=True, slots=True)
class ThreadMatch:
    """A message that matches; its excerpts show the texts that the filter asks for."""

    version: int
    type: str
    excerpts: Sequence[Excerpt]


def hit_of(query: Query, event: Event, tick: Tick) -> Hit | None:
    """Return the hit of a message, None if it does not match; its row was found by the query."""
    content = content_of(event)
    subject = next(_matching_subjects(query, event, content, tick), None)
    if not content or subject is None:
        return None
    excerpts: list[Excerpt] = []
    if query.parts:
        matches = list(_matching(query.parts, content))
        if len({part for *_, parts in matches for part in parts}) < len(query.parts):
            return None
        excerpts += _choose(matches)
    for term in query.paths:
        values = select(term, query.paths[term], event.type, subject, content, tick)
        excerpts += (excerpt_of(where, value) for where, value in islice(values, MOST_EXCERPTS))
    return Hit(
        thread_id=event.thread_id,
        version=event.version,
        message_id=event.message_id,
        position=event.position or 0,
        type=event.type,
        role=role_of(event.type),
        tools=list(dict.fromkeys(tools_of(content))),
        recorded_at=event.recorded_at,
        excerpts=excerpts[:MOST_EXCERPTS],
    )


def _matching_subjects(
    query: Query, event: Event, content: JsonObject, tick: Tick
) -> Iterator[JsonObject]:
    """Yield the calls or results of a message that its filter matches, or the message."""

    def holds(subject: JsonObject, term: Term) -> bool | None:
        match term.name:
            case "type":
                return compare(term, held(event.type))
            case "role":
                return compare(term, role_of(event.type))
            case "tool":
                names = [
                    content.get("tool"),
                    *([] if subject is content else [subject.get("name")]),
                ]
                return any(isinstance(name, str) and compare(term, name) for name in names)
            case _:
                values = select(term, query.paths[term], event.type, subject, content, tick)
                return selects(term, values)

    for subject in parts_in(content) or [content]:
        if evaluate(query.where, partial(holds, subject)):
            yield subject


def select(  # noqa: PLR0913, PLR0917 - of what
    term: Term,
    path: Predicate,
    type_name: str,
    part: JsonObject,
    content: JsonObject,
    tick: Tick,
) -> Iterator[tuple[Parts, JsonValue]]:
    """Return what the path of a term selects in a call or a result, else in the message."""
    wanted_type, _ = message_path(term.key or "")
    if wanted_type not in {None, type_name}:
        return iter(())
    in_part = iter(()) if wanted_type or part is content else path.matches(part, tick)
    first = next(in_part, None)
    return path.matches(content, tick) if first is None else chain([first], in_part)


def selects(term: Term, values: Iterator[tuple[Parts, JsonValue]]) -> bool | None:
    """Return whether a value that was selected is as wanted; None where none was."""
    is_there = False
    for _, value in values:
        if compare(term, value):
            return True
        is_there = True
    return None if term.operator and not is_there else False


def excerpts_of(parts: Sequence[Part], content: dict[str, JsonValue]) -> list[Excerpt]:
    """Return pieces of a message's texts in which some of the parts stand."""
    return _choose(list(_matching(parts, content)))


def excerpt_of(place: Parts, value: JsonValue) -> Excerpt:
    """Return the beginning of a value that a JSONPath selects."""
    text = value if isinstance(value, str) else print_text(value)
    return Excerpt(path(place), text[: 2 * _CONTEXT], ())


_Found = tuple[Excerpt, frozenset[Part]]


def _matching(parts: Sequence[Part], content: dict[str, JsonValue]) -> Iterator[_Found]:
    """Yield an excerpt of each text with a match, and the parts that stand in the text."""
    for place, text in texts_of(content):
        lowered = folded(text)
        firsts = {part: next(part.matches(lowered), None) for part in parts}
        spans = [span for span in firsts.values() if span is not None]
        if spans:
            inside = frozenset(part for part, span in firsts.items() if span is not None)
            yield _excerpt(path(place), text, lowered, min(spans), parts), inside


def _excerpt(place: str, text: str, lowered: str, first: Range, parts: Sequence[Part]) -> Excerpt:
    """Return the text around its first match, with all matches that are inside."""
    begin, end = max(0, first[0] - _CONTEXT), first[1] + _CONTEXT
    ranges: list[Range] = []
    for start, stop in sorted(
        span
        for part in parts
        for span in takewhile(lambda span: span[1] <= end, part.matches(lowered, begin))
    ):
        before = ranges.pop() if ranges and start < ranges[-1][1] else (start, stop)
        ranges.append((before[0], max(before[1], stop)))  # parts may overlap
    return Excerpt(
        place, text[begin:end], [(start - begin, stop - begin) for start, stop in ranges]
    )


def _choose(candidates: Sequence[_Found]) -> list[Excerpt]:
    """Return the first excerpts, those first that show a part which none before shows."""
    seen: set[Part] = set()
    news: list[Excerpt] = []
    others: list[Excerpt] = []
    for excerpt, parts in candidates:
        (others if parts <= seen else news).append(excerpt)
        seen |= parts
    return [*news, *others][:MOST_EXCERPTS]
