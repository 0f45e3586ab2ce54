"""Whether a message of a thread matches a filter: its texts and values, and its spans."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

from agentlog.domain.events import Event
from agentlog.domain.json.places import Parts
from agentlog.domain.json.values import JsonObject, JsonValue, integer_at, objects_of
from agentlog.domain.json.values import texts_of as texts_in
from agentlog.infrastructure.search.hits import (
    MOST_EXCERPTS,
    Excerpt,
    ThreadMatch,
    excerpt_of,
    excerpts_of,
    select,
    selects,
)
from agentlog.infrastructure.search.json_path import Predicate, Tick
from agentlog.projections.filters.expression import Expression, Term, compare, evaluate, terms_in
from agentlog.projections.filters.success import message_path
from agentlog.projections.outcomes.words import word_of
from agentlog.projections.search.message_texts import content_of, texts_of
from agentlog.projections.search.search_text import Part, folded
from agentlog.projections.shell_command import shell_command
from agentlog.projections.view import Item

_TEXTS = frozenset({"words", "text"})
_OF_MESSAGES = _TEXTS | {"$", "type", "version"}
_PARTS = {"tool_calls": "calls", "tool_results": "results"}
_FIGURES = {"took": "elapsedMs", "tokens": "totalTokens", "cost": "costUsd"}


@dataclass(frozen=True, slots=True)
class _Subject:
    """What terms are asked of: a message, or one call or result in it; `span` is empty of most."""

    event: Event
    content: JsonObject
    part: JsonObject
    texts: Sequence[str]
    span: Item

    @property
    def figures(self) -> Item:
        """The span, unless a later message ends it: what it came to is known there."""
        is_over = self.span.get("endVersion") in {None, self.event.version}
        return self.span if is_over else {}

    @property
    def outcomes(self) -> Sequence[JsonValue]:
        """Its outcome, and the word for what is known of a failure."""
        figures = self.figures
        return (figures.get("outcome"), word_of(figures)) if figures else ()


class MessageFilter:
    """A filter over the messages of a thread.

    A message with several calls or results matches where one of them does. What a call or a model
    call came to, and its figures, are known at the message that ends it; its name at both.

    `spans` gives the items of its timeline with hints and attempts, `shells` are the tools whose
    commands are tools too, `content_at` gives the message at a version.
    """

    def __init__(
        self,
        where: Expression,
        *,
        spans: Callable[[], Iterable[Item]],
        shells: Sequence[str],
        content_at: Callable[[int], JsonObject],
    ) -> None:
        self._where = where
        self._shells = shells
        self._content_at = content_at
        terms = [*terms_in(where)]
        self._words = {term: _part(term) for term in terms if term.name in _TEXTS}
        self._of_paths = [*dict.fromkeys(term for term in terms if term.key is not None)]
        self._paths = {
            term.key: Predicate(message_path(term.key or "")[1], parameter="filter")
            for term in self._of_paths
        }
        self._commands: dict[int, list[str | None]] = {}
        self._begun: defaultdict[int, list[Item]] = defaultdict(list)
        self._ended: defaultdict[int, list[Item]] = defaultdict(list)
        of_spans = any(term.name not in _OF_MESSAGES for term in terms)
        for span in spans() if of_spans else ():
            begin, end = span["version"], span.get("endVersion")
            if isinstance(begin, int):
                self._begun[begin].append(span)
            if isinstance(end, int):
                self._ended[end].append(span)

    def match(self, event: Event, tick: Tick) -> ThreadMatch | None:
        """Return the match of a message, None where it does not match."""
        content = content_of(event)
        for subject in self._subjects(event, content):
            if evaluate(self._where, partial(self._holds, subject, tick)):
                return ThreadMatch(event.version, event.type, self._excerpts(subject, tick))
        return None

    def _excerpts(self, subject: _Subject, tick: Tick) -> Sequence[Excerpt]:
        parts = [*dict.fromkeys(self._words.values())]
        excerpts = excerpts_of(parts, subject.content) if parts else []
        values = (self._select(term, subject, tick) for term in self._of_paths)
        shown = islice(chain.from_iterable(values), MOST_EXCERPTS)
        return [*excerpts, *(excerpt_of(*value) for value in shown)][:MOST_EXCERPTS]

    def _subjects(self, event: Event, content: JsonObject) -> Iterator[_Subject]:
        """Yield the calls or results of a message, each with its span, or else the message."""
        texts = [*texts_of(content)] if self._words else []
        begun, ended = self._begun[event.version], self._ended[event.version]
        key = _PARTS.get(event.type, "")
        if parts := objects_of(content.get(key)):
            calls = ended if key == "results" else sorted(begun, key=_ordinal)
            calls = [span for span in calls if span["kind"] == "call"]
            for index, part in enumerate(parts):
                inside = [text for where, text in texts if where[:2] == (key, index)]
                span = calls[index] if index < len(calls) else {}
                yield _Subject(event, content, part, inside, span)
            return
        inside = [text for _, text in texts]
        spans = [*ended, *(span for span in begun if span.get("endVersion") != event.version)]
        for span in spans or [{}]:
            yield _Subject(event, content, content, inside, span)

    def _holds(self, subject: _Subject, tick: Tick, term: Term) -> bool | None:
        span, figures = subject.span, subject.figures
        match term.name:
            case "words" | "text":
                word = self._words[term]
                return any(next(word.matches(folded(text)), None) for text in subject.texts)
            case "$":
                return selects(term, self._select(term, subject, tick))
            case "type":
                return compare(term, subject.event.type)
            case "version":
                return compare(term, subject.event.version)
            case "tool":
                return any(compare(term, name) for name in self._tools(span))
            case "worker":
                return compare(term, span.get("workerId"))
            case "open":
                return "endVersion" in span and span["endVersion"] is None
            case "succeeded" | "failed" | "told" | "suspected":
                return term.name in subject.outcomes
            case "rule":
                return any(compare(term, rule) for rule in texts_in(figures.get("suspected")))
            case figure:
                value = figures.get(_FIGURES[figure])
                return None if value is None else compare(term, value)

    def _select(
        self, term: Term, subject: _Subject, tick: Tick
    ) -> Iterator[tuple[Parts, JsonValue]]:
        path, event = self._paths[term.key], subject.event
        return select(term, path, event.type, subject.part, subject.content, tick)

    def _tools(self, span: Item) -> Iterator[JsonValue]:
        """Yield the name of a call's tool, and of the command where that is a shell."""
        if span.get("kind") not in {"call", "approval"}:
            return
        yield span["name"]
        if span["name"] in self._shells and span["kind"] == "call":
            yield self._command(span)

    def _command(self, span: Item) -> str | None:
        version, ordinal = span["version"], span["ordinal"]
        if not isinstance(version, int) or not isinstance(ordinal, int):
            return None
        if version not in self._commands:
            calls = objects_of(self._content_at(version).get("calls"))
            self._commands[version] = [shell_command(call.get("args")) for call in calls]
        commands = self._commands[version]
        return commands[ordinal] if ordinal < len(commands) else None


def _ordinal(span: Item) -> int:
    return integer_at(span, "ordinal") or 0


def _part(term: Term) -> Part:
    return Part(str(term.value), whole=not term.is_prefix)
