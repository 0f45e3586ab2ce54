"""The order of spans, and the conversation that each belongs to."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TypeVar

from agentlog.domain.json.values import object_at, text_at
from agentlog.extensions.traces.projections.readers.dialects import (
    claude_code,
    gemini_cli,
    langfuse,
    log_records,
    logfire,
    semconv,
)
from agentlog.extensions.traces.projections.readers.span import Key, Span
from agentlog.projections.view import Item

_DIALECTS = (  # the first that knows a span reads it
    (langfuse.is_known, langfuse.read),
    (claude_code.is_known, claude_code.read),
    (gemini_cli.is_known, gemini_cli.read),
    (logfire.is_known, logfire.read),
    (semconv.is_known, semconv.read),
)
_NAMES = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
    "mlflow.trace.session",
    "conversation.id",
    *(
        f"ai.telemetry.metadata.{name}{suffix}"
        for name in ("session", "conversation", "thread", "chat")
        for suffix in ("Id", "_id")
    ),
)
_Value = TypeVar("_Value")
_SCRUBBED = "[Scrubbed due to "  # Logfire puts this where a value looks like a secret


@dataclass(frozen=True, slots=True)
class ConversationSpan:
    """A span and its conversation: by a name, or else the trace itself (`name` is its id).

    `also_named` is the name that such a trace has beside, because it was learnt too late.
    """

    span: Span
    name: str
    also_named: str | None = None


def read_span(span: Item) -> Span | None:
    """Return a span of generative AI, None where it is another."""
    attributes = object_at(span, "attributes")
    return next((read(span) for is_known, read in _DIALECTS if is_known(attributes)), None)


def conversation_of(item: Item) -> str | None:
    """Return the conversation that a span or log record names itself."""
    conversation = text_at(object_at(item, "attributes"), *_NAMES)
    return None if conversation is None or conversation.startswith(_SCRUBBED) else conversation


def names_of_traces(spans: Iterable[Item]) -> dict[str, str]:
    """Return the one conversation that spans of a trace name; empty where they name several."""
    names: dict[str, str] = {}
    for span in spans:
        if (name := conversation_of(span)) is not None:
            known = names.setdefault(_trace(span), name)
            names[_trace(span)] = name if known == name else ""
    return names


def placed(
    spans: Sequence[Item],
    is_home: Callable[[str], bool],
    read: Callable[[Item], Span | None] = read_span,
    *,
    traces: Mapping[str, str] | None = None,
) -> Iterator[ConversationSpan]:
    """Yield the spans of generative AI in order, each with its conversation.

    That is the one which it names itself, else its ancestors, else its descendants, else the one
    that its trace has by `traces`, or in these spans; else its trace. `is_home` returns whether a
    trace has a thread already: its spans without a name stay there. `read` returns None for spans
    that are left out.
    """
    traces = names_of_traces(spans) if traces is None else traces
    parents = {_key(span): _key(span, "parentSpanId") for span in spans}
    names = {_key(span): name for span in spans if (name := conversation_of(span)) is not None}
    rows = [row for span in spans if (row := read(span)) is not None]
    return in_conversations(rows, names, Tree(parents), is_home, traces)


def in_conversations(
    spans: Iterable[Span],
    names: Mapping[Key, str],
    tree: "Tree",
    is_home: Callable[[str], bool],
    traces: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[ConversationSpan]:
    """Yield spans as `placed` does; `names` are the conversations that spans of `tree` name."""
    above, below = tree.above(names), tree.below(names)
    for row in in_order(spans, tree):
        own, related = names.get(row.key), above.get(row.key) or below.get(row.key)
        related = own or related or traces.get(row.trace_id) or None
        says_much = row.kind in {"chat", "tool"}
        if related is None or (own is not None and says_much):
            yield ConversationSpan(row, related or row.trace_id)
        elif is_home(row.trace_id):
            yield ConversationSpan(row, row.trace_id, also_named=related)
        else:
            yield ConversationSpan(row, related)


def placed_records(
    records: Sequence[Item], names: Mapping[str, str] | None = None
) -> list[ConversationSpan]:
    """Return log records by their spans, each with its conversation; `names` are those of traces.

    That is its own, else the one which a record of the trace names, else the trace's.
    """
    own = {_trace(record): name for record in records if (name := conversation_of(record))}
    by_trace = {**(names or {}), **own}
    together: dict[str, list[Item]] = {}
    for record in records:
        trace = _trace(record)
        name = conversation_of(record) or by_trace.get(trace)
        together.setdefault(name or trace, []).append(record)
    return [
        ConversationSpan(row, name)
        for name, of_name in together.items()
        for row in log_records.read(of_name)
    ]


def in_order(spans: Iterable[Span], tree: "Tree | None" = None) -> list[Span]:
    """Return spans by the begin of their trace, then by their own, those around others first.

    Log records of a span stand before it, events of agents by their time in the trace before them.
    A model call within another, but for one that a tool or agent makes there, is kept as a record
    alone, since it tells the same; so is an agent around model calls with contents. An error is
    told by the innermost span that failed.
    """
    listed = list(spans)
    tree = tree or Tree({span.key: (span.trace_id, span.parent_id) for span in listed})
    kinds = {span.key: span.kind for span in listed if span.kind != "other" and not span.is_log}
    outer = tree.above(kinds)
    says = {span.key: True for span in listed if span.kind == "chat" and _has_contents(span)}
    around = tree.below(says)
    around_failed = tree.below({span.key: True for span in listed if span.error is not None})
    begins: dict[str | Key, int] = {}
    for span in listed:
        for key in (span.trace_id, span.key):
            if span.begin is not None and span.trace_id:
                begins[key] = min(span.begin, begins.get(key, span.begin))

    traces = sorted(
        {(begins[span.trace_id], span.trace_id) for span in listed if span.trace_id in begins}
    )

    # a record without a trace stands by its own time, as several runs may have such
    def place(span: Span) -> tuple[int, str, int, int, bool, int]:
        first, trace = begins.get(span.trace_id, span.begin or 0), span.trace_id
        begin = begins.get(span.key, first)  # of its log records too, which tell what it was given
        if span.kind == "event":  # it tells what was when it was written
            begin = span.end or 0
            before = 0 if trace else bisect_right(traces, (begin, "g"))
            first, trace = traces[before - 1] if before else (first, trace)
        return first, trace, begin, tree.depth(span.key), not span.is_log, span.end or 0

    def once(span: Span) -> Span:
        is_told = (span.kind == "chat" and outer.get(span.key) == "chat") or (
            span.kind == "agent" and span.key in around
        )
        has_told_error = span.error is not None and span.key in around_failed
        if not (is_told or (has_told_error and span.kind != "tool")):
            return span
        return replace(
            span,
            kind="other" if is_told else span.kind,
            error=None if has_told_error else span.error,
        )

    return sorted(map(once, listed), key=place)


def _has_contents(span: Span) -> bool:
    return bool(span.inputs or span.outputs)


class Tree:
    """Spans with their parents, whether of generative AI or not.

    However long chains of parents are, each span is walked over once. A circle of parents, which no
    tracer makes, ends where it began.
    """

    def __init__(self, parents: Mapping[Key, Key]) -> None:
        self._parents = parents
        self._depths: dict[Key, int] = {}

    def depth(self, key: Key) -> int:
        """Return how many spans a span is in."""
        path: list[Key] = []
        while key in self._parents and key not in self._depths:
            self._depths[key] = 0
            path.append(key)
            key = self._parents[key]
        depth = self._depths.get(key, -1)
        for inner in reversed(path):
            depth += 1
            self._depths[inner] = depth
        return depth

    def above(self, values: Mapping[Key, _Value]) -> dict[Key, _Value]:
        """Return for each span the value of its nearest ancestor that has one."""
        nearest: dict[Key, _Value | None] = {}
        for start in self._parents:
            key, path = start, list[Key]()
            while key in self._parents and key not in nearest:
                nearest[key] = None
                path.append(key)
                key = self._parents[key]
            value = values.get(key) or nearest.get(key)
            for inner in reversed(path):
                nearest[inner] = value
                value = values.get(inner) or value
        return {key: value for key, value in nearest.items() if value is not None}

    def below(self, values: Mapping[Key, _Value]) -> dict[Key, _Value]:
        """Return for each span the value of one of its descendants, if one has any."""
        nearest: dict[Key, _Value] = {}
        for key, value in values.items():
            above = self._parents.get(key, key)
            while above in self._parents and above not in nearest:
                nearest[above] = value
                above = self._parents[above]
        return nearest


def _trace(record: Item) -> str:
    return text_at(record, "traceId") or ""


def _key(span: Item, name: str = "spanId") -> Key:
    return _trace(span), text_at(span, name) or ""
