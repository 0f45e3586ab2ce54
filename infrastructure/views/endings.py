"""How runs ended and what they came to, by the tenant's rule of success."""

from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.projections.filters.expression import Expression
from agentlog.projections.filters.success import last_types
from agentlog.projections.why.ending import ENDING_TYPES, Ending, ending_of


class Endings:
    """How one tenant's runs ended, by a rule of success; None leaves that to scores and exits."""

    def __init__(self, reader: LogReader, rule: Expression | None) -> None:
        self._reader = reader
        self._rule = rule
        self._types = sorted(last_types(rule))

    def at(self, thread_id: str, version: int) -> Ending:
        """Return how a run had ended at a version of its thread."""
        events = self._reader.events(thread_id, upto=version, types=ENDING_TYPES)
        last = self._reader.last_events(thread_id, upto=version, types=self._types)
        return ending_of(events, self._rule, {event.type: event for event in last})
