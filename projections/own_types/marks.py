"""Messages that begin or end a group, or are the record of a run that stands in another."""

from agentlog.domain.json.shortened import beginnings
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.projections.own_types.registry import own_types_of
from agentlog.projections.view import Item

_LONGEST = 200
"""Characters of a name, and of an id."""


def mark_of(type_name: str, payload: JsonValue) -> Item | None:
    """Return what a message of an own type marks: its `mark`, `id`, and `name`; None for most.

    `mark` is begin, end, or run: the record of a run, whose `parent` is the id of that around it.
    """
    wire, _, kind = type_name.partition(".")
    types = own_types_of(wire)
    read = types.marks.get(kind) or types.record
    return None if read is None else read(object_of(beginnings(payload, _LONGEST)))
