"""Log records of any dialect: events of the GenAI conventions, and those of coding agents."""

from collections.abc import Iterable, Iterator

from agentlog.extensions.traces.projections.readers.dialects import agent_events, events
from agentlog.extensions.traces.projections.readers.span import Span
from agentlog.projections.view import Item


def is_known(record: Item) -> bool:
    """Return whether a record tells something of a run."""
    return events.is_known(record) or agent_events.name_of(record) != ""


def read(records: Iterable[Item]) -> Iterator[Span]:
    """Yield the rows of the records of a conversation."""
    of_calls: list[Item] = []
    for record in records:
        if agent_events.name_of(record):
            yield agent_events.read(record)
        else:
            of_calls.append(record)
    yield from events.read(of_calls)
