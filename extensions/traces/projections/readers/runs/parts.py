"""LangSmith's runs as they come: begun by one request, ended by another, in any order.

Each part is kept as it came. What a run says is told once, when its parts together have its kind
and its end; a thread's records say in their metadata what they are parts of.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import object_at, text_at
from agentlog.extensions.traces.projections.readers.runs.run import WIRE, span_of
from agentlog.extensions.traces.projections.readers.span import Span
from agentlog.projections.readers.reading import custom_type
from agentlog.projections.view import Item

_ENDS = ("end_time", "error", "outputs")


@dataclass(slots=True)
class _Parts:
    is_begun: bool = False
    is_ended: bool = False
    records: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Runs:
    """The runs of a thread: which are told, and the records of those that are not."""

    _complete: set[str] = field(default_factory=set)
    _parts: dict[str, _Parts] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return how many runs there are."""
        return len(self._complete) + len(self._parts)

    def is_complete(self, run_id: str) -> bool:
        """Return whether what a run says is in the thread."""
        return run_id in self._complete

    def records(self, run_id: str) -> Sequence[str]:
        """Return the ids of messages that keep parts of a run that is not told."""
        parts = self._parts.get(run_id)
        return () if parts is None else parts.records

    def add(self, part: Item, message_id: str) -> None:
        """Go on by a part of a run, as `Span.part` describes it."""
        run_id = text_at(part, "id") or ""
        if run_id in self._complete:
            return
        parts = self._parts.setdefault(run_id, _Parts())
        parts.is_begun |= part.get("begun") is True
        parts.is_ended |= part.get("ended") is True
        parts.records.append(message_id)
        if parts.is_begun and parts.is_ended:
            del self._parts[run_id]
            self._complete.add(run_id)


def merged(parts: Iterable[Item]) -> Item:
    """Return a run of its parts: the later value of a field, and all of `extra`."""
    run: Item = {}
    for part in parts:
        extra = {**object_at(run, "extra"), **object_at(part, "extra")}
        metadata = {**object_at(run, "extra", "metadata"), **object_at(part, "extra", "metadata")}
        run |= {key: value for key, value in part.items() if value not in (None, {})}
        if extra:
            run["extra"] = {**extra, "metadata": metadata} if metadata else extra
    return run


def part_of(run: Item, *, trace_id: str) -> Span:
    """Return a part of a run as it came."""
    span = span_of({**run, "trace_id": trace_id})
    return replace(
        span,
        records=_record(run),
        part={"id": span.span_id, "begun": _is_begun(run), "ended": _is_ended(run)},
    )


def feedback_of(feedback: Item, *, trace_id: str) -> Span:
    """Return what a person or program said of a run."""
    return Span(
        trace_id=trace_id,
        span_id=text_at(feedback, "id") or "",
        parent_id=text_at(feedback, "run_id") or "",
        kind="other",
        begin=None,
        end=None,
        records=_record(feedback),
        record_type=custom_type(WIRE, "feedback"),
    )


def completed(part: Span, runs: Runs, earlier: Callable[[str], Item]) -> Span:
    """Return a part as the span of its run, if that is whole with it; else as a record alone.

    `earlier` returns a part that was kept before, by the id of its message.
    """
    (record,) = part.records.values()
    if part.part and not runs.is_complete(part.span_id):
        run = merged([*map(earlier, runs.records(part.span_id)), record])
        if _is_begun(run) and _is_ended(run):
            span = span_of({**run, "trace_id": part.trace_id})
            return replace(span, records=part.records, part=part.part)
    return replace(part, kind="other", error=None)


def _record(item: Item) -> Mapping[str, Item]:
    """Return an object under a name that no other part of the same run has."""
    digest = sha256(print_bytes(item, sort_keys=True)).hexdigest()[:16]
    return {f"{text_at(item, 'id')}.{digest}": item}


def _is_begun(run: Item) -> bool:
    return text_at(run, "run_type") is not None


def _is_ended(run: Item) -> bool:
    return any(run.get(key) not in (None, {}) for key in _ENDS)
