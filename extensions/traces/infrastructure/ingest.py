"""Takes spans, log records and runs of agents into one tenant's threads as they come."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cache
from weakref import WeakKeyDictionary

from agentlog.domain.drafts import NO_ORIGIN, Origin
from agentlog.domain.json.values import object_at, text_at
from agentlog.extensions.traces.infrastructure.threads import (
    RefusedCount,
    SpanThreads,
    thread_id_of,
)
from agentlog.extensions.traces.projections.readers.dialects import log_records
from agentlog.extensions.traces.projections.readers.drafts import UNBOUNDED
from agentlog.extensions.traces.projections.readers.placement import (
    ConversationSpan,
    Tree,
    conversation_of,
    in_conversations,
    names_of_traces,
    placed,
    placed_records,
)
from agentlog.extensions.traces.projections.readers.runs import run
from agentlog.extensions.traces.projections.readers.runs.parts import feedback_of, part_of
from agentlog.extensions.traces.projections.readers.span import OTEL, Key, Span
from agentlog.infrastructure.tenants import Tenant
from agentlog.infrastructure.threads import Threads
from agentlog.projections.view import Item

_MOST_RUNS = _MOST_TRACES = 10_000
_INGESTS: "WeakKeyDictionary[Tenant, TraceIngest]" = WeakKeyDictionary()


def traces_of(tenant: Tenant) -> "TraceIngest":
    """Return what takes spans into a tenant's threads, the same at each call."""
    with tenant.making:
        return _INGESTS.setdefault(tenant, TraceIngest(tenant.threads))


class TraceIngest:
    """Takes spans into one tenant's threads; any number of threads may call it.

    Each method appends at most so many messages, and returns what was refused. It raises as
    `SpanThreads.take` does.
    """

    def __init__(self, threads: Threads) -> None:
        self._into = SpanThreads(threads)
        self._runs: OrderedDict[str, tuple[str, str]] = OrderedDict()
        """Trace and conversation of the runs that came last: an end may name neither."""
        self._traces: OrderedDict[str, str] = OrderedDict()
        """The threads of the traces that came last."""
        self._names: OrderedDict[str, str] = OrderedDict()
        """The conversations that their spans name, empty where there are several."""

    def thread_of(self, trace_id: str) -> str | None:
        """Return the thread of a trace, or of a run, of those that came last."""
        trace_id, _ = self._runs.get(trace_id, (trace_id, ""))
        return self._traces.get(trace_id)

    def take_spans(
        self, spans: Sequence[Item], *, most: int = UNBOUNDED, origin: Origin = NO_ORIGIN
    ) -> RefusedCount:
        """Append what spans of OpenTelemetry say."""
        names = self._named(spans)
        alone = {trace: self._into.tool_runs(trace) for trace in names if self._is_alone(trace)}
        several = [*spans, *(span for runs in alone.values() for span in runs)]
        moved = {trace for trace, runs in alone.items() if runs}

        @cache
        def is_home(trace_id: str) -> bool:
            return trace_id not in moved and self._into.is_there(trace_id)

        in_threads = list(placed(several, is_home, traces={**self._names, **names}))
        refused = RefusedCount()
        refused.add(len(several) - len(in_threads), "not of the GenAI conventions")
        self._into.take(in_threads, refused, wire=OTEL, facts=_facts, most=most, origin=origin)
        for trace in moved:
            self._into.hide(trace, conversation=names[trace], origin=origin)
        self._remember(in_threads)
        return refused

    def _named(self, spans: Sequence[Item]) -> dict[str, str]:
        """Return the conversations that traces of spans have by their names, and remember them."""
        names = names_of_traces(spans)
        for trace, name in names.items():
            known = self._names.pop(trace, name)
            self._names[trace] = names[trace] = name if known == name else ""
        while len(self._names) > _MOST_TRACES:
            self._names.popitem(last=False)
        return names

    def _is_alone(self, trace: str) -> bool:
        """Return whether a trace came last without a conversation that is now known."""
        return self._names[trace] != "" and self._traces.get(trace) == trace

    def take_records(
        self, records: Sequence[Item], *, most: int = UNBOUNDED, origin: Origin = NO_ORIGIN
    ) -> RefusedCount:
        """Append what log records of OpenTelemetry say."""
        refused = RefusedCount()
        known = [record for record in records if log_records.is_known(record)]
        refused.add(len(records) - len(known), "not of the GenAI conventions")
        named = [record for record in known if record["traceId"] or conversation_of(record)]
        refused.add(len(known) - len(named), "without a trace and a conversation")
        in_threads = placed_records(named)
        self._into.take(in_threads, refused, wire=OTEL, facts=_facts, most=most, origin=origin)
        return refused

    def take_runs(
        self,
        runs: Sequence[Item],
        feedback: Sequence[Item] = (),
        *,
        most: int = UNBOUNDED,
        origin: Origin = NO_ORIGIN,
    ) -> RefusedCount:
        """Append what runs of LangSmith say, which may be parts of runs, and what is said of them.

        Each has an `id`; all parts of a run in `runs` are one.
        """
        refused = RefusedCount()
        in_threads = list(self._placed_runs(runs, feedback))
        self._into.take(
            in_threads, refused, wire=run.WIRE, facts=_facts_of_run, most=most, origin=origin
        )
        for in_thread in in_threads:
            self._runs.pop(in_thread.span.span_id, None)
            self._runs[in_thread.span.span_id] = in_thread.span.trace_id, in_thread.name
        while len(self._runs) > _MOST_RUNS:
            self._runs.popitem(last=False)
        self._remember(in_threads)
        return refused

    def _remember(self, in_threads: Sequence[ConversationSpan]) -> None:
        for in_thread in in_threads:
            self._traces.pop(in_thread.span.trace_id, None)
            self._traces[in_thread.span.trace_id] = thread_id_of(in_thread.name)
        while len(self._traces) > _MOST_TRACES:
            self._traces.popitem(last=False)

    def _placed_runs(
        self, runs: Sequence[Item], feedback: Sequence[Item]
    ) -> Iterator[ConversationSpan]:
        """Yield runs in order; one that names neither is of the trace of its relatives."""
        spans: list[Span] = []
        traces: dict[str, str] = {}
        names: dict[Key, str] = {}
        for item, read in (
            *((item, part_of) for item in runs),
            *((item, feedback_of) for item in feedback),
        ):
            related = [text_at(item, key) or "" for key in _RELATED]
            before = next((self._runs[key] for key in related if key in self._runs), None)
            in_batch = next((traces[key] for key in related if key in traces), None)
            trace_id = text_at(item, "trace_id") or in_batch or (before or related)[0]
            span = read(item, trace_id=trace_id)
            spans.append(span)
            traces[span.span_id] = trace_id
            name = run.conversation_of(item) or (before and before[1])
            if name and name != trace_id:
                names[span.key] = name
        tree = Tree({span.key: (span.trace_id, span.parent_id) for span in spans})
        return in_conversations(spans, names, tree, cache(self._into.is_there))


_RELATED = ("id", "parent_run_id", "run_id", "trace_id")
"""Fields by which a run, or what is said of one, names runs of its trace."""


def _facts(span: Span) -> Item:
    """Return the metadata that a thread begins with."""
    facts: Item = {"source": "otlp"}
    for record in span.records.values():
        service = object_at(record, "resource").get("service.name")
        if isinstance(service, str):
            facts["service"] = service
    return facts


def _facts_of_run(span: Span) -> Item:
    return {"source": run.WIRE, **run.facts_of(span.records.values())}
