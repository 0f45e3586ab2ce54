"""Reads spans of any dialect, and names the conversation of each."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from agentlog.projections.readers.spans.otlp import langfuse, logfire, openinference, semconv
from agentlog.projections.readers.spans.otlp.span import GenAISpan, text
from agentlog.projections.view import Item

_DIALECTS = (  # the first that knows a span reads it
    (langfuse.is_known, langfuse.read),
    (openinference.is_known, openinference.read),
    (logfire.is_known, logfire.read),
    (semconv.is_known, semconv.read),
)
_NAMES = (
    "gen_ai.conversation.id",
    "session.id",
    "langfuse.session.id",
    "traceloop.association.properties.session_id",
)
_SCRUBBED = "[Scrubbed due to "  # Logfire puts this where a value looks like a secret

_Key = tuple[str, str | None]
"""Trace and span id; a parent has None where there is none."""


@dataclass(frozen=True, slots=True)
class ConversationSpan:
    """A span and its conversation: by a name, or else the trace itself (`name` is its id).

    `also_named` is the name that such a trace has beside, because it was learnt too late.
    """

    span: GenAISpan
    name: str
    also_named: str | None = None


def read_span(span: Item) -> GenAISpan | None:
    """Return the row of a span, None where it is not of generative AI."""
    attributes = span["attributes"]
    return next((read(span) for is_known, read in _DIALECTS if is_known(attributes)), None)


def conversation_of(item: Item) -> str | None:
    """Return the conversation that a span or log record names itself."""
    conversation = text(item["attributes"], *_NAMES)
    return None if conversation is None or conversation.startswith(_SCRUBBED) else conversation


def placed(spans: Sequence[Item], is_home: Callable[[str], bool]) -> Iterator[ConversationSpan]:
    """Yield the spans of generative AI in the order of their begin, each with its conversation.

    That is the one which it names itself, else its ancestors, else its descendants; else its trace.
    `is_home` returns whether a trace has a thread already: its spans without a name stay there.
    """
    tree = _Tree(spans)
    rows = [row for span in spans if (row := read_span(span)) is not None]
    chats = {(row.trace_id, row.span_id) for row in rows if row.kind == "chat"}
    for row in sorted(rows, key=lambda row: (row.kind in {"agent", "other"}, row.begin, row.end)):
        span = row
        if row.kind == "chat" and (row.trace_id, row.parent_id) in chats:
            span = replace(row, kind="other")  # of a second instrumentation: it tells the same
        key = (row.trace_id, row.span_id)
        own, related = tree.own(key), tree.related(key)
        says_much = row.kind in {"chat", "tool"}
        if related is None or (own is not None and says_much):
            yield ConversationSpan(span, related or row.trace_id)
        elif is_home(row.trace_id):
            yield ConversationSpan(span, row.trace_id, also_named=related)
        else:
            yield ConversationSpan(span, related)


class _Tree:
    """Spans of a batch with their parents, whether of generative AI or not.

    However long chains of parents are, each span is walked over once for the names above it, and
    once for those below. A circle of parents, which no tracer makes, ends where it began.
    """

    def __init__(self, spans: Sequence[Item]) -> None:
        self._parents: Mapping[_Key, _Key] = {
            _key(span): (span["traceId"], span.get("parentSpanId")) for span in spans
        }
        self._own: Mapping[_Key, str | None] = {_key(span): conversation_of(span) for span in spans}
        self._above: dict[_Key, str | None] = {}
        self._below: dict[_Key, str] = {}
        for key, name in self._own.items():
            self._walk_up(key)
            above = self._parents[key]
            while name is not None and above in self._parents and above not in self._below:
                self._below[above] = name
                above = self._parents[above]

    def own(self, key: _Key) -> str | None:
        """Return the name that a span has itself."""
        return self._own[key]

    def related(self, key: _Key) -> str | None:
        """Return the name of a span, its nearest ancestor that has one, or a descendant."""
        return self._own[key] or self._above[key] or self._below.get(key)

    def _walk_up(self, key: _Key) -> None:
        """Note the name of the nearest ancestor that has one, for a span and its ancestors."""
        path: list[_Key] = []
        while key in self._parents and key not in self._above:
            self._above[key] = None
            path.append(key)
            key = self._parents[key]
        name = self._own.get(key) or self._above.get(key)
        for below in reversed(path):
            self._above[below] = name
            name = self._own[below] or name


def _key(span: Item) -> _Key:
    return span["traceId"], span["spanId"]
