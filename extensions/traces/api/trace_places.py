"""Where a trace has gone: its thread, and the event that a span of it ends with."""

from collections.abc import Iterator
from typing import NamedTuple

from agentlog.domain.errors import NotThere, UnknownThread
from agentlog.domain.identifiers import is_thread_id
from agentlog.domain.json.values import text_at
from agentlog.extensions.traces.projections.readers.span import hexadecimal
from agentlog.infrastructure.readmodels.projection_status import NotYetBuilt
from agentlog.infrastructure.search.query import Query
from agentlog.infrastructure.search.search import Search
from agentlog.infrastructure.threads import Threads

_BEGINNING_BYTES = 1024
_MOST_HITS = 20
_SPAN_DIGITS = 16


class UnknownTrace(NotThere):
    """Nothing of that trace is here, or not yet."""

    def __init__(self, trace_id: str) -> None:
        super().__init__(f"no span or run of {trace_id[:64]!r} is here, or not yet: send it first")
        self.trace_id = trace_id


class TracePlace(NamedTuple):
    """A thread, and the version of the event that is meant; None for the whole thread."""

    thread_id: str
    on: int | None = None


class _Versions(NamedTuple):
    """The last version of each trace and span in a thread, by their hexadecimal ids."""

    traces: dict[str, int]
    spans: dict[str, int]


class TracePlaces:
    """Finds traces in one tenant's threads; of each thread it reads the events once."""

    def __init__(self, threads: Threads, search: Search) -> None:
        self._threads = threads
        self._search = search
        self._versions: dict[str, _Versions] = {}

    def place(self, trace_id: str, span_id: str | None, *, recent: str | None) -> TracePlace:
        """Return the place of a trace, or of one of its spans; `recent` is a thread to look in.

        A trace that is all of its thread stands for the thread.

        Raises:
            UnknownTrace: there is none.
        """
        trace = hexadecimal(trace_id)
        span = hexadecimal(span_id or trace_id)[-_SPAN_DIGITS:]
        for thread_id in self._candidates(trace_id, recent):
            versions = self._versions_in(thread_id)
            is_own = thread_id in {trace_id, recent}
            if not (is_own or trace in versions.traces or span in versions.spans):
                continue
            last = versions.traces.get(trace)
            is_whole = versions.traces.keys() <= {trace} and span_id in {None, trace_id}
            return TracePlace(thread_id, None if is_whole else versions.spans.get(span, last))
        raise UnknownTrace(trace_id)

    def _candidates(self, trace_id: str, recent: str | None) -> Iterator[str]:
        if recent is not None:
            yield recent
        if is_thread_id(trace_id) and self._is_there(trace_id):
            yield trace_id
        try:
            hits = self._search.find(Query(text=f'"{trace_id}"'), limit=_MOST_HITS).items
        except NotYetBuilt:
            return
        yield from dict.fromkeys(hit.thread_id for hit in hits)

    def _is_there(self, thread_id: str) -> bool:
        try:
            self._threads.head(thread_id)
        except UnknownThread:
            return False
        return True

    def _versions_in(self, thread_id: str) -> _Versions:
        known = self._versions.get(thread_id)
        if known is None:
            known = self._versions[thread_id] = _Versions({}, {})
            for event in self._threads.messages(thread_id, most_bytes=_BEGINNING_BYTES):
                parts = (text_at(event.metadata, "traceparent") or "").split("-")
                if len(parts) == 4:  # noqa: PLR2004 - version, trace, span and flags
                    known.traces[parts[1]] = known.spans[parts[2]] = event.version
        return known
