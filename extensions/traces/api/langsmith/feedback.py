"""Feedback: what people and programs say of runs, as remarks on their threads."""

from collections.abc import Iterable

from agentlog.domain.drafts import Origin
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonObject, text_at
from agentlog.extensions.traces.api.judgements import remark_of_feedback
from agentlog.extensions.traces.api.trace_places import TracePlaces, UnknownTrace
from agentlog.infrastructure.tenants import Tenant
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.extensions.traces.infrastructure import ingest


class Feedback:
    """Takes the feedback of one request."""

    def __init__(self, tenant: Tenant, origin: Origin) -> None:
        self._tenant = tenant
        self._origin = origin
        self._places = TracePlaces(tenant.threads, tenant.search)

    def take_all(self, feedback: Iterable[JsonObject]) -> list[JsonObject]:
        """Append remarks; return the feedback whose runs are not here yet."""
        early: list[JsonObject] = []
        for item in feedback:
            try:
                self.take(item)
            except UnknownTrace:
                early.append(item)
        return early

    def take(self, feedback: JsonObject) -> None:
        """Append a remark on the thread of a run; raises `UnknownTrace`."""
        run = text_at(feedback, "run_id", "trace_id")
        if run is None:
            raise InvalidMessage.at("run_id", "missing: name a run or a trace")
        trace = text_at(feedback, "trace_id", "run_id") or run
        traces = ingest.traces_of(self._tenant)
        recent = traces.thread_of(trace) or traces.thread_of(run)
        thread_id, on = self._places.place(trace, run, recent=recent)
        about: JsonObject = {} if on is None else {"on": on}
        self._tenant.threads.remark(
            thread_id, {**remark_of_feedback(feedback), **about}, origin=self._origin
        )
