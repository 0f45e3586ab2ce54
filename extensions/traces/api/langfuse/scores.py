"""Scores as the SDK sends them: each becomes a remark on the thread of its trace or session."""

from agentlog.domain.drafts import Origin
from agentlog.domain.errors import AgentlogError, InvalidMessage
from agentlog.domain.json.values import JsonObject, JsonValue, text_at
from agentlog.extensions.traces.api.judgements import remark_of_score
from agentlog.extensions.traces.api.trace_places import TracePlace, TracePlaces, UnknownTrace
from agentlog.infrastructure.tenants import Tenant
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.extensions.traces.infrastructure import ingest, threads

Refusal = str | None


class Scores:
    """Scores of one request; `refusals` has for each why it was refused, None if it was taken."""

    def __init__(self, tenant: Tenant, scores: list[JsonValue], origin: Origin) -> None:
        self._tenant = tenant
        self._scores = scores
        self._origin = origin
        self.refusals: list[Refusal] = [None] * len(scores)
        self._waiting = list(range(len(scores)))

    def take(self) -> bool:
        """Take those whose trace is here; return whether others wait for theirs."""
        places = TracePlaces(self._tenant.threads, self._tenant.search)
        waiting = []
        for index in self._waiting:
            try:
                self._take(self._scores[index], places)
                self.refusals[index] = None
            except UnknownTrace as error:
                self.refusals[index] = str(error)
                waiting.append(index)
            except AgentlogError as error:
                self.refusals[index] = str(error)
        self._waiting = waiting
        return bool(waiting)

    def _take(self, score: JsonValue, places: TracePlaces) -> None:
        if not isinstance(score, dict):
            raise InvalidMessage.at("", "not an object")
        thread_id, on = self._place(score, places)
        about: JsonObject = {} if on is None else {"on": on}
        remark = {**remark_of_score(score), **about}
        self._tenant.threads.remark(thread_id, remark, origin=self._origin)

    def _place(self, score: JsonObject, places: TracePlaces) -> TracePlace:
        trace, session = text_at(score, "traceId"), text_at(score, "sessionId")
        if trace is not None:
            recent = ingest.traces_of(self._tenant).thread_of(trace)
            return places.place(trace, text_at(score, "observationId"), recent=recent)
        if session is None:
            raise InvalidMessage.at("traceId", "missing: name a trace or a session")
        return TracePlace(threads.thread_id_of(session))
